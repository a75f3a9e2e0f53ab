package play

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
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
