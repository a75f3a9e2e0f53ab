package window

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// How robots are driven by keys. Guesses: as fast as people can follow, and shots that a robot can stop.
const (
	slowSpeed, fastSpeed = 1.0, 2.5 // m/s
	slowTurn, fastTurn   = 90 * spatial.Degree, 200 * spatial.Degree
	softKick, hardKick   = 4.0, 8.0 // m/s
	kickReach            = 0.5      // m: it need not hold the ball
	kickAngle            = 30 * spatial.Degree
)

// steer commands the robot that the keys drive, when what they ask for has changed: as long as nobody presses a key, its program or its player
// commands it alone.
func (s *screen) steer() error {
	now, before := s.viewer.Steering(), s.asked
	s.asked = now
	var actions []action.Action
	if before.Robot != now.Robot {
		actions = append(actions, leave(before)...)
		before = viewer.Steering{Robot: now.Robot}
	}
	if speed, turn := slowSpeed, slowTurn; now != before {
		if now.Fast {
			speed, turn = fastSpeed, fastTurn
		}
		actions = append(actions,
			&action.Drive{Robot: now.Robot, VX: speed * now.Forward, VY: speed * now.Left, Omega: turn * now.Turn},
			&action.Dribble{Robot: now.Robot, Enable: now.Dribble})
	}
	if s.viewer.TakeKick() {
		kick := &action.Kick{Robot: now.Robot, Way: "flat", Speed: softKick, Limit: math.Inf(1), Now: true, Reach: kickReach, ReachAngle: kickAngle}
		if now.Fast {
			kick.Speed = hardKick
		}
		actions = append(actions, kick)
	}
	return s.sim.Do(actions...)
}

// leave stops a robot that the keys have commanded and drive no longer.
func leave(last viewer.Steering) []action.Action {
	if last == (viewer.Steering{Robot: last.Robot}) {
		return nil // it stands still, or has been left alone
	}
	return []action.Action{&action.Drive{Robot: last.Robot, Stop: true}, &action.Dribble{Robot: last.Robot}}
}
