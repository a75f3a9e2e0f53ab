package dashboard

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// shownLevels are levels at which sensors of a replay are shown in place of those that they had.
type shownLevels struct {
	any atomic.Bool // there are some

	mu  sync.Mutex
	all map[[2]string]abstraction.Level // by robot and sensor
}

// look shows a sensor of a replay at another level from now on, wherever the replay goes. What follows from exact
// states does not depend on it; a world that runs again might, so its levels are those of the recording.
func (s *stage) look(ctx context.Context, l *action.SetLevel) error {
	if !s.replay.Plays() {
		return omnipitch.ErrReplaying
	}
	if err := l.Validate(s.sim.World()); err != nil {
		return err
	}
	done := make(chan error, 1)
	s.sim.After(0, func(time.Duration) {
		err := s.sim.Replay().SetReplayLevel(l.Robot, l.Sensor, l.Level)
		if err == nil {
			s.shown.set(l)
			s.states.moved()
		}
		done <- err
	})
	select { // the first level with images takes until a renderer is there
	case err := <-done:
		return err
	case <-ctx.Done():
		return errWaits
	}
}

func (k *shownLevels) set(l *action.SetLevel) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[[2]string]abstraction.Level{}
	}
	k.all[[2]string{l.Robot, l.Sensor}] = l.Level
	k.any.Store(true)
}

// apply sets levels that the recording, or going elsewhere, has changed. The goroutine that steps calls it.
func (k *shownLevels) apply(sim *omnipitch.Sim) {
	if !k.any.Load() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, level := range k.all {
		if is, err := sim.Sensors().Level(name[0], name[1]); err == nil && is != level {
			_ = sim.Replay().SetReplayLevel(name[0], name[1], level) // it could be shown before
		}
	}
}
