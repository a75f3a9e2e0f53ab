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

// shownLevels are levels at which a replay shows sensors instead of the recorded ones.
type shownLevels struct {
	any atomic.Bool // reports whether the map all is not empty

	mu  sync.Mutex
	all map[[2]string]abstraction.Level // level by the names of robot and sensor
}

// setReplayLevel changes the level at which a replay shows a sensor, at all times. This does not change an exact replay.
// It could change a replay that simulates the world again, so for such a replay setReplayLevel fails, and the recorded
// levels remain.
func (s *simServer) setReplayLevel(ctx context.Context, l *action.SetLevel) error {
	if !s.replay.Plays() {
		return omnipitch.ErrReplaying
	}
	if err := l.Validate(s.sim.World()); err != nil {
		return err
	}
	const rendererTime = 10 * time.Minute // more than the first level with images needs to start the renderer: a guess
	return s.betweenSteps(ctx, rendererTime, func() error {
		err := s.sim.Replay().SetReplayLevel(l.Robot, l.Sensor, l.Level)
		if err == nil {
			s.shown.set(l)
			s.states.moved()
		}
		return err
	})
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

// apply restores levels that the recording, or a seek, has changed. The goroutine that steps calls it.
func (k *shownLevels) apply(sim *omnipitch.Sim) {
	if !k.any.Load() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, level := range k.all {
		if is, err := sim.Sensors().Level(name[0], name[1]); err == nil && is != level {
			_ = sim.Replay().SetReplayLevel(name[0], name[1], level) // it was possible before
		}
	}
}
