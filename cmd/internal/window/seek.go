package window

import (
	"context"
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/action"
)

// speeds are what keys choose from: those of the dashboard.
var speeds = []string{"0.1", "0.25", "0.5", "realtime", "2", "5", "10", "steady", "max"}

// changeSpeed takes the run to a speed that is so many further on.
func (s *screen) changeSpeed(by int) {
	if by == 0 {
		return
	}
	i := slices.Index(speeds, s.sim.Factor().Speed.String())
	if i < 0 {
		s.say("speed %v stays: it is none of those that keys choose from", s.sim.Factor().Speed)
		return
	}
	to := speeds[max(0, min(len(speeds)-1, i+by))]
	if err := s.sim.Do(&action.SetSpeed{Speed: to}); err != nil {
		s.fail(err)
		return
	}
	s.say("speed %s", to)
}

var errNoReplay = errors.New("this run is no replay: it goes to no other time")

// seek goes elsewhere in a replay. What is asked for while it does is left out.
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
