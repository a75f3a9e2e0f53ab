package window

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Speeds of robots that keys drive. The values are guesses: as fast as people can follow.
const (
	slowSpeed, fastSpeed = 1.0, 2.5 // m/s
	slowTurn, fastTurn   = 90 * spatial.Degree, 200 * spatial.Degree
)

// steer commands the robot that the user drives, when the pressed keys have changed. While no key is pressed, only the
// robot's program or its player commands the robot.
func (s *screen) steer() {
	actions := steering(s.asked, s.viewer.Steering())
	s.asked = s.viewer.Steering()
	s.fail(s.sim.Do(actions...))
}

// steering returns the actions that follow from a change of the pressed keys.
func steering(before, now viewer.Steering) (actions []action.Action) {
	if before.Robot != now.Robot {
		actions = append(actions, leave(before)...)
		// Shift alone commands nothing
		before = viewer.Steering{Robot: now.Robot, Fast: now.Fast}
	}
	speed, turn := slowSpeed, slowTurn
	if now.Fast {
		speed, turn = fastSpeed, fastTurn
	}
	if now != before {
		actions = append(actions,
			&action.Drive{Robot: now.Robot, VX: speed * now.Forward, VY: speed * now.Left, Omega: turn * now.Turn},
			&action.Dribble{Robot: now.Robot, Enable: now.Dribble})
	}
	return actions
}

// leave stops a robot that the user has commanded and no longer drives.
func leave(last viewer.Steering) []action.Action {
	if last == (viewer.Steering{Robot: last.Robot, Fast: last.Fast}) {
		return nil // the robot stands still, or was never commanded
	}
	return []action.Action{&action.Drive{Robot: last.Robot, Stop: true}, &action.Dribble{Robot: last.Robot}}
}
