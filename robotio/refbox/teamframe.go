package refbox

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// TeamFrame says in a team's frame, as WorldState has it, what is known in W: the truth, as if teams saw all and did
// not err. Of what a team says of itself alone there is nothing: robots want to be where they are, and their batteries
// are full.
type TeamFrame struct{ side float64 } // of the goal that the team attacks: 1 at +x of W, −1 at −x

// NewTeamFrame returns the frame of a team, which attacks one of the field's goals.
func NewTeamFrame(team physics.Team, field *physics.Field) TeamFrame {
	return TeamFrame{team.Attacks(field).Side}
}

// vector turns a position or a velocity: y is towards the opponents' goal, x to the right.
func (f TeamFrame) vector(vW mgl64.Vec3) (x, y float64) { return -f.side * vW[1], f.side * vW[0] }

// heading turns a heading, 0 being towards the opponents' goal; in [0, 2π).
func (f TeamFrame) heading(headingW float64) float64 {
	if f.side < 0 {
		headingW += math.Pi
	}
	if headingW = spatial.WrapAngle(headingW); headingW < 0 {
		headingW += 2 * math.Pi
	}
	return headingW
}

// Robot returns a robot of the team; held tells whether it has the ball.
func (f TeamFrame) Robot(number int, poseWB spatial.Pose, twistInW spatial.Twist, held bool) RobotState {
	x, y := f.vector(poseWB.Pos)
	vx, vy := f.vector(twistInW.Lin)
	pose := Vec3{x, y, f.heading(poseWB.Heading())}
	r := RobotState{ID: number, Pose: pose, TargetPose: pose, Velocity: Vec3{vx, vy, twistInW.Ang[2]},
		BatteryLevel: 100}
	if held {
		r.BallEngaged = 1
	}
	return r
}

// Obstacle returns what is no robot of the team.
func (f TeamFrame) Obstacle(radius float64, posW, velW mgl64.Vec3) ObstacleState {
	x, y := f.vector(posW)
	vx, vy := f.vector(velW)
	return ObstacleState{Position: Vec2{x, y}, Velocity: Vec2{vx, vy}, Radius: Decimal(radius), Confidence: 1}
}

// Ball returns the ball.
func (f TeamFrame) Ball(posW, velW mgl64.Vec3) BallState {
	x, y := f.vector(posW)
	vx, vy := f.vector(velW)
	return BallState{Position: Vec3{x, y, posW[2]}, Velocity: Vec3{vx, vy, velW[2]}, Confidence: 1}
}

// Radius returns the radius of an obstacle as teams see it: of a circle around it.
func Radius(o *physics.Obstacle) float64 { return math.Hypot(o.SizeX, o.SizeY) / 2 }

// fill fills a team's world state from a snapshot of a model.
func (w *WorldState) fill(team physics.Team, model *physics.Model, truth *physics.Snapshot) {
	f := NewTeamFrame(team, &model.Field)
	w.TeamName = string(team)
	for i := range truth.Robots {
		r, at := &model.Robots[i], &truth.Robots[i]
		if r.Team == team {
			w.Robots = append(w.Robots, f.Robot(r.Number, at.PoseWB, at.TwistWBInW, truth.Ball.HeldBy == i))
		} else {
			w.Obstacles = append(w.Obstacles, f.Obstacle(r.Body.Radius, at.PoseWB.Pos, at.TwistWBInW.Lin))
		}
	}
	for i := range truth.Obstacles {
		o := &truth.Obstacles[i]
		w.Obstacles = append(w.Obstacles, f.Obstacle(Radius(&model.Obstacles[i]), o.PoseWO.Pos, o.TwistWOInW.Lin))
	}
	w.Balls = append(w.Balls, f.Ball(truth.Ball.PosW, truth.Ball.TwistInW.Lin))
}
