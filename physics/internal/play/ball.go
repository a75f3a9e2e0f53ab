package play

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// blockedDepth is the largest overlap of a held ball with another body, in metres, at which the robot keeps the ball.
// 0.03 is a guess: a robot keeps the ball when it pushes firmly against a wall, but not when the ball is wedged between
// two robots.
const blockedDepth = 0.03

// moveBall moves the ball for a step: with the robot that holds it, or freely if no robot holds it.
func (e *Engine) moveBall() {
	holder := e.possession.Holder()
	for i := range e.robots {
		if i != holder {
			e.robots[i].arms = [2]arm{}
		}
	}
	if holder < 0 {
		e.ball.Step(e.dt, e.solids.near, nil)
	} else {
		e.hold(holder)
	}
	for _, s := range e.solids.near {
		e.deliver(s)
	}
	for i := range e.now.Robots {
		e.pressArms(i)
	}
	e.readBall()
}

// deliver passes the ball's impulse on a solid to the bodies, and reports the touch.
func (e *Engine) deliver(s *ball.Solid) {
	if s.Impulse == (mgl64.Vec3{}) {
		return
	}
	t := physics.Touch{A: s.ID, B: e.model.BallID(), PosW: s.At, Impulse: s.Impulse.Len(), Closing: s.Closing}
	if s.ID == physics.Static {
		t.A, t.B = t.B, t.A
	} else {
		e.bodies.Push(s.ID, s.Impulse, s.At)
	}
	e.now.Touches = append(e.now.Touches, t)
}

func (e *Engine) readBall() {
	b := &e.now.Ball
	b.PosW, b.RotW, b.TwistInW, b.HeldBy = e.ball.Pos, e.ball.Rot, e.ball.Twist, e.possession.Holder()
}

// hold holds the ball in front of a robot for a step, with the robot's method.
func (e *Engine) hold(i int) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	lost := !physics.Upright(&state.PoseWB)
	switch robot.Dribbler.Method {
	case physics.DribbleSecant, physics.DribbleTangential:
		e.chase(i)
	case physics.DribbleWheels:
		e.turnWheels(i)
	default:
		before := *e.ball
		if e.carry(i) > blockedDepth {
			// The ball is squeezed out, and stays where it was before the step.
			e.ball.Pos, e.ball.Rot = before.Pos, before.Rot
			lost = true
		}
		if lost {
			e.possession.Lose(e.now.Step)
		}
		return
	}
	if lost || !robot.Within(e.robots[i].reach, state.PoseWB, e.ball.Pos, e.model.Ball.Radius) {
		e.possession.Lose(e.now.Step)
	}
}

// Snapshot copies the current state into s, reusing its slices.
func (e *Engine) Snapshot(s *physics.Snapshot) { e.now.CopyTo(s) }

// PlaceRobot sets a robot's pose and velocity, and its wheels' rates to match the velocity. If the robot holds the
// ball, the ball stays where it is.
func (e *Engine) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error {
	if err := e.placeable(e.model.Robots[robot].Name, poseWB, twistWBInW); err != nil || e.err != nil {
		return err
	}
	r := &e.now.Robots[robot]
	r.PoseWB, r.TwistWBInW, r.AccelWBInW, r.AngAccelWBInW = poseWB, twistWBInW, mgl64.Vec3{}, mgl64.Vec3{}
	r.WheelRadS = e.wheels[robot].Speeds(r.TwistWBInB())
	e.robots[robot].stuck = physics.StuckTimer{}
	e.setpoints[robot] = Setpoint{TwistB: r.TwistWBInB(), Rates: r.WheelRadS}
	e.bodies.PlaceRobot(robot, poseWB, twistWBInW)
	if e.possession.Holder() == robot {
		e.drop()
	}
	return nil
}

// PlaceObstacle sets an obstacle's pose and velocity.
func (e *Engine) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error {
	if err := e.placeable(e.model.Obstacles[obstacle].Name, poseWO, twistWOInW); err != nil || e.err != nil {
		return err
	}
	e.now.Obstacles[obstacle] = physics.ObstacleState{PoseWO: poseWO, TwistWOInW: twistWOInW}
	e.bodies.PlaceObstacle(obstacle, poseWO, twistWOInW)
	return nil
}

// PlaceBall sets the ball's position and velocity; a robot that holds the ball loses it.
func (e *Engine) PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error {
	if err := e.placeable("ball", spatial.Translation(posW), twistInW); err != nil || e.err != nil {
		return err
	}
	e.drop()
	e.ball.Put(posW, twistInW)
	e.readBall()
	return nil
}

func (e *Engine) drop() {
	e.possession.Drop()
	e.now.Ball.HeldBy = -1
}

// maxPlace is the largest magnitude of the coordinates and velocities of placed bodies, in m, m/s and rad/s. It is far
// above any value in a hall.
const maxPlace = 1e4

// placeable returns an error if a pose or a velocity is not finite or not plausible.
func (e *Engine) placeable(name string, pose spatial.Pose, twist spatial.Twist) error {
	for _, v := range [...]struct {
		what string
		vec  mgl64.Vec3
	}{{"position", pose.Pos}, {"velocity", twist.Lin}, {"rate of rotation", twist.Ang}} {
		for _, x := range v.vec {
			if !(math.Abs(x) <= maxPlace) { // so that NaN fails
				return fmt.Errorf("%s: %s = %v: must lie in [-%g, %g]", name, v.what, v.vec, maxPlace, maxPlace)
			}
		}
	}
	if norm := pose.Rot.Norm(); !(math.Abs(norm-1) < 1e-6) {
		return fmt.Errorf("%s: orientation = %v: must be a unit quaternion", name, pose.Rot)
	}
	return nil
}
