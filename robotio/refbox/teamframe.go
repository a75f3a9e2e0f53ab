package refbox

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// TeamFrame converts the truth in W to the parts of a WorldState, in the team's frame, as if the team saw everything
// without errors. Values that only a team itself knows have defaults: target poses are the current poses, and batteries
// are full.
type TeamFrame struct{ side float64 } // of the goal that the team attacks: 1 at +x of W, −1 at −x

// NewTeamFrame returns the frame of a team.
func NewTeamFrame(team physics.Team, field *physics.Field) TeamFrame {
	return TeamFrame{team.Attacks(field).Side}
}

// vector converts a position or a velocity.
func (f TeamFrame) vector(vW mgl64.Vec3) (x, y float64) { return -f.side * vW[1], f.side * vW[0] }

// heading converts a heading; 0 points to the opponents' goal, and the result is in [0, 2π).
func (f TeamFrame) heading(headingW float64) float64 {
	if f.side < 0 {
		headingW += math.Pi
	}
	if headingW = spatial.WrapAngle(headingW); headingW < 0 {
		headingW += 2 * math.Pi
	}
	return headingW
}

// Robot returns a robot of the team; held says that it holds the ball.
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

// Obstacle returns an obstacle or a robot of the other team.
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

// Radius returns the radius of the circle around an obstacle.
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
