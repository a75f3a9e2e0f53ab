package window

import (
	"context"
	"errors"
	"slices"

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

// speeds are the speeds that keys select. They are the same as on the dashboard.
var speeds = []string{"0.1", "0.25", "0.5", "realtime", "2", "5", "10", "steady", "max"}

// changeSpeed changes the run's speed to another entry of speeds. Its argument is the number of entries to go forward,
// negative to go backward.
func (s *screen) changeSpeed(by int) {
	if by == 0 {
		return
	}
	i := slices.Index(speeds, s.sim.Clock().Factor().Speed.String())
	if i < 0 {
		s.say("speed %v stays: keys cannot change a speed outside their list", s.sim.Clock().Factor().Speed)
		return
	}
	to := speeds[max(0, min(len(speeds)-1, i+by))]
	if err := s.sim.Do(&action.SetSpeed{Speed: to}); err != nil {
		s.fail(err)
		return
	}
	s.say("speed %s", to)
}

var errNoReplay = errors.New("this run is not a replay: cannot go to another time")

// seek moves a replay to another time. Requests during a seek are ignored.
func (s *screen) seek(ctx context.Context) {
	by, beginning := s.viewer.TakeSeek()
	if by == 0 && !beginning {
		return
	}
	if s.replay == nil {
		s.fail(errNoReplay)
		return
	}
	to := max(s.replay.From, min(s.replay.To, s.shown.replayed+by))
	if beginning {
		to = s.replay.From
	}
	s.mu.Lock()
	busy := s.seeks
	s.seeks = true
	s.mu.Unlock()
	if busy {
		return
	}
	s.say("going to %.2f s", to.Seconds())
	s.seeking.Go(func() {
		err := s.replay.Seek(ctx, to)
		s.mu.Lock()
		s.seeks = false
		s.mu.Unlock()
		if err == nil {
			s.say("at %.2f s", to.Seconds())
		} else if ctx.Err() == nil {
			s.fail(err)
		}
	})
}
