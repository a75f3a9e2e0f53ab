package player

import (
	"errors"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Behaviour describes how a robot is to play.
type Behaviour interface {
	// Validate runs before the simulation. For each field that names something the world or the robot does not have, it
	// reports a schema.Violation with that field's key.
	Validate(robot string, w World) error
	// Start returns a player that starts with the next step, or nil for none. The behaviour must be valid, and must not
	// change afterwards.
	Start(m *physics.Model, robot int) Player
}

// Player plays one robot.
type Player interface {
	// Command sets those parts of the robot's command that the player controls, for the step that starts at the
	// snapshot. It returns true while the player goes on. Once the player has ended, it returns false and changes
	// nothing.
	Command(now *physics.Snapshot, c *physics.Command) bool
	// Exchange saves or restores the player's memory.
	Exchange(c *keyframe.Codec)
}

// Planner is a Player that can report where it is going.
type Planner interface {
	// Plan appends to dst the places that the robot will go to, in order, in W, in m. The plan is the one that the
	// player made in the step that ended with the given snapshot. If the robot did not drive in that step, Plan appends
	// nothing.
	Plan(now *physics.Snapshot, dst []mgl64.Vec2) []mgl64.Vec2
}

// World is the world that Validate checks behaviours against.
type World interface {
	// FindRobot returns the robot with a name. It fails if there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindPart fails unless the world has a part: a ball, or goals and a ball.
	FindPart(name string) error
}

// Choice names one behaviour by its key.
type Choice struct {
	Rest        *Rest        `toml:"rest" doc:"no player: the robot stands still and waits for its own program"`
	Hold        *Hold        `toml:"hold" doc:"stays at a pose, and returns to it when pushed"`
	Patrol      *Patrol      `toml:"patrol" doc:"drives from way point to way point, without end"`
	ChaseBall   *ChaseBall   `toml:"chase_ball" needs:"ball" doc:"goes for the ball, and takes it to a place or shoots"`
	Keeper      *Keeper      `toml:"keeper" needs:"goals" doc:"stays between the ball and its own goal"`
	PassBetween *PassBetween `toml:"pass_between" needs:"ball" doc:"passes the ball around among several robots"`
	Mark        *Mark        `toml:"mark" needs:"ball" doc:"stays between a robot and the ball, or its own goal"`
	Flee        *Flee        `toml:"flee" doc:"keeps away from the robots of the other team"`
	Herd        *Herd        `toml:"herd" doc:"drives fleeing robots of the other team to a place"`
}

// Behaviour returns the behaviour and its key. It fails if none or more than one is named.
func (c *Choice) Behaviour() (key string, b Behaviour, err error) {
	key, value, err := rules.One(c, "a player needs one behaviour of", "a player needs one behaviour")
	if err != nil {
		return "", nil, err
	}
	return key, value.(Behaviour), nil
}

// Validate reports a behaviour that is not valid for a robot, as [Behaviour.Validate] does.
func (c *Choice) Validate(robot string, w World) error {
	key, b, err := c.Behaviour()
	if err != nil {
		return violation("", nil, err.Error())
	}
	if err := w.FindPart(rules.Needs(c, key)); err != nil {
		return violation(key, nil, err.Error())
	}
	err = b.Validate(robot, w)
	if v, ok := errors.AsType[*schema.Violation](err); ok {
		v.Path = key
	}
	return err
}

// violation returns the violation of a rule by the field with the given key.
func violation(key string, value any, rule string) error {
	return &schema.Violation{Key: key, Value: value, Rule: rule}
}

// Point is a point on the floor.
type Point struct {
	X float64 `toml:"x_m" range:"[-50, 50]" doc:"position, towards the goal that cyan attacks"`
	Y float64 `toml:"y_m" range:"[-50, 50]" doc:"position, to the left of that direction"`
}

func (p Point) vec() mgl64.Vec2 { return mgl64.Vec2{p.X, p.Y} }

// Pose is a pose on the floor.
type Pose struct {
	X       float64 `toml:"x_m" range:"[-50, 50]" doc:"position, towards the goal that cyan attacks"`
	Y       float64 `toml:"y_m" range:"[-50, 50]" doc:"position, to the left of that direction"`
	Heading float64 `toml:"heading_deg" range:"[-360, 360]" doc:"heading, anticlockwise from x"`
}

// Spatial returns the pose in the world.
func (p Pose) Spatial() spatial.Pose { return spatial.Planar(p.X, p.Y, p.Heading) }

// Rest is the behaviour without a player: the robot stands still and waits for its own program. In a world file, Rest
// removes the player that an included world or a model gives.
type Rest struct{}

func (*Rest) Validate(string, World) error { return nil }

// Start returns nil, because the behaviour has no player.
func (*Rest) Start(*physics.Model, int) Player { return nil }
