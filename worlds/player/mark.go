package player

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// Mark is the behaviour of a robot that stays between another robot and the ball, or between another robot and its own
// goal, and faces the ball.
type Mark struct {
	Limits
	Robot    string  `toml:"robot" required:"true" doc:"name of the robot to mark"`
	Against  string  `toml:"against" oneof:"ball|goal" doc:"what it keeps the robot from: the ball, or the goal that the marking robot's team defends"`
	Distance float64 `toml:"distance_m" range:"[0.3, 10]" doc:"distance from the marked robot's centre, but at most half the distance to the ball or the goal"`
}

// SetDefaults sets a short distance at which the robots still do not touch.
func (m *Mark) SetDefaults() {
	m.Limits.SetDefaults()
	m.Against, m.Distance = "ball", 0.8
}

func (m *Mark) Validate(robot string, w World) error {
	if _, err := w.FindRobot(m.Robot); err != nil {
		return violation("robot", m.Robot, err.Error())
	}
	if m.Robot == robot {
		return violation("robot", m.Robot, "must be another robot")
	}
	return nil
}

func (m *Mark) Start(model *physics.Model, robot int) Player {
	p := &marker{driver: newDriver(model, robot, m.Limits), Mark: m, marked: indexOf(model, m.Robot)}
	p.goal = ownGoal(model, robot)
	return p
}

type marker struct {
	driver
	*Mark
	marked int
	goal   mgl64.Vec2
}

func (p *marker) Command(now *physics.Snapshot, c *physics.Command) bool {
	marked, ball := &now.Robots[p.marked], flat(now.Ball.PosW)
	from := p.goal
	if p.Against == "ball" {
		from = ball
	}
	at := flat(marked.PoseWB.Pos)
	way := from.Sub(at)
	place := at.Add(unit(way, mgl64.Vec2{}).Mul(min(p.Distance, way.Len()/2)))
	p.drive(now, c, goal{place: place, vel: limited(flat(marked.TwistWBInW.Lin), p.speed),
		heading: p.facing(now, ball)})
	return true
}

// indexOf returns the index of the robot with a name. It panics if there is no such robot; Validate reports such a name
// first.
func indexOf(m *physics.Model, name string) int {
	for i := range m.Robots {
		if m.Robots[i].Name == name {
			return i
		}
	}
	panic("player: there is no robot " + name)
}

// ownGoal returns the centre of the goal that a robot's team defends.
func ownGoal(m *physics.Model, robot int) mgl64.Vec2 {
	return mgl64.Vec2{-m.Robots[robot].Team.Attacks(&m.Field).X, 0}
}
