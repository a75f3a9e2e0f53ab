package window

import (
	"context"
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/action"
)

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
