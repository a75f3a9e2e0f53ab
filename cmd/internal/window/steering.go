package window

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// How robots are driven by keys and sticks. Guesses: as fast as people can follow, and shots that a robot can stop.
const (
	slowSpeed, fastSpeed = 1.0, 2.5 // m/s
	slowTurn, fastTurn   = 90 * spatial.Degree, 200 * spatial.Degree
	softKick, hardKick   = 4.0, 8.0 // m/s
	kickReach            = 0.5      // m: it need not hold the ball
	kickAngle            = 30 * spatial.Degree
)

// steer commands the robot that the user drives, when what is asked for has changed: as long as nobody touches keys or
// sticks, its program or its player commands it alone.
func (s *screen) steer() {
	actions := steering(s.asked, s.viewer.Steering(), s.viewer.TakeKick())
	s.asked = s.viewer.Steering()
	s.fail(s.sim.Do(actions...))
}

// steering returns what a robot is to do when a user asks for something else than before.
func steering(before, now viewer.Steering, kicks bool) (actions []action.Action) {
	if before.Robot != now.Robot {
		actions = append(actions, leave(before)...)
		// going fast is nothing that a robot is asked for by itself
		before = viewer.Steering{Robot: now.Robot, Fast: now.Fast}
	}
	speed, turn, kick := slowSpeed, slowTurn, softKick
	if now.Fast {
		speed, turn, kick = fastSpeed, fastTurn, hardKick
	}
	if now != before {
		actions = append(actions,
			&action.Drive{Robot: now.Robot, VX: speed * now.Forward, VY: speed * now.Left, Omega: turn * now.Turn},
			&action.Dribble{Robot: now.Robot, Enable: now.Dribble})
	}
	if kicks {
		actions = append(actions,
			&action.Kick{Robot: now.Robot, Way: "flat", Speed: kick, Limit: math.Inf(1), Now: true, Reach: kickReach,
				ReachAngle: kickAngle})
	}
	return actions
}

// leave stops a robot that the user has commanded and drives no longer.
func leave(last viewer.Steering) []action.Action {
	if last == (viewer.Steering{Robot: last.Robot, Fast: last.Fast}) {
		return nil // it stands still, or has been left alone
	}
	return []action.Action{&action.Drive{Robot: last.Robot, Stop: true}, &action.Dribble{Robot: last.Robot}}
}
