package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
)

// seeks are requests to go elsewhere, in their order.
type seeks struct {
	mu      sync.Mutex
	waiting []*seek
	closed  chan struct{}
	once    sync.Once
}

type seek struct {
	to   time.Duration
	done chan error // of one place
}

func newSeeks() *seeks { return &seeks{closed: make(chan struct{})} }

func (a *seeks) add(to time.Duration) *seek {
	s := &seek{to, make(chan error, 1)}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, s)
	return s
}

// close ends what waits.
func (a *seeks) close() { a.once.Do(func() { close(a.closed) }) }

// take takes the first, or returns nil.
func (a *seeks) take() *seek {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.waiting) == 0 {
		return nil
	}
	s := a.waiting[0]
	a.waiting = slices.Delete(a.waiting, 0, 1)
	return s
}

// forget takes one back.
func (a *seeks) forget(s *seek) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = slices.DeleteFunc(a.waiting, func(other *seek) bool { return other == s })
}

// Seek has the replay go on from a time, since the recorded run began: the next state that is shown is the one of then,
// also while it is paused, and Seek returns when it has been. With exact states it goes there from the key frame
// before, at once; else the engine runs there as fast as it can, again from the beginning unless it goes forwards.
// Requests are carried out one after the other. It may be called from any goroutine but the one that steps, and fails
// when ctx ends before, for a time that was not recorded, after Close with omnipitch.ErrClosed, and where the recording
// is damaged, which ends the run too.
func (x *Replay) Seek(ctx context.Context, to time.Duration) error {
	if x.cfg.Continue || x.cfg.Check {
		return errors.New("the world runs again: it goes to no other time")
	}
	if to < x.span.From || to > x.span.To {
		return fmt.Errorf("time = %v: must lie in what is replayed, from %v to %v", to, x.span.From, x.span.To)
	}
	s := x.seeks.add(to)
	x.Clock().Poke()
	select {
	case err := <-s.done:
		return err
	case <-x.seeks.closed:
		return omnipitch.ErrClosed
	case <-ctx.Done():
		x.seeks.forget(s)
		return ctx.Err()
	}
}

// goTo goes to a time, and shows its state.
func (x *Replay) goTo(to time.Duration) error {
	last := to - x.recording.World.Time.Step // what is not shown
	err := x.Skip(func() time.Duration { return last - x.Now() }, func() error {
		if err := x.goBefore(last); err != nil {
			return err
		}
		return x.stepTo(last)
	})
	if err == nil && last >= 0 && x.Now() < to {
		err = x.Step()
	}
	return err
}

// stepTo takes the steps to a time.
func (x *Replay) stepTo(last time.Duration) error {
	for x.Now()+x.recording.World.Time.Step <= last {
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if err := x.Step(); err != nil {
			return err
		}
	}
	return nil
}

// goBefore goes to the nearest moment before a time from which it can be reached by steps.
func (x *Replay) goBefore(last time.Duration) error {
	f, now := x.keyFrameBefore(last), x.Now()
	switch {
	case now <= last && (f == nil || f.at <= now):
		return nil
	case f == nil:
		return x.beginAgain()
	}
	if x.episode != f.episode {
		world, err := x.recording.worldOf(f)
		if err != nil {
			return err
		}
		x.episode, x.restoring = f.episode-1, true
		err = x.Begin(world)
		if x.restoring = false; err != nil {
			return err
		}
	}
	return x.restore(f)
}

// beginAgain goes to the run's beginning.
func (x *Replay) beginAgain() error {
	world := x.recording.World
	if x.cfg.World != nil {
		world = x.cfg.World
	}
	if x.beside != nil {
		if err := x.runBeside(); err != nil {
			return err
		}
	}
	x.episode, x.inputs.next = -1, 0
	err := x.Begin(world)
	x.inputs.stepped(0)
	return err
}

// keyFrameBefore returns the last key frame from which all that is delivered after a time can be reached, or nil. Where
// exact states begin late it is the first, if there is no other.
func (x *Replay) keyFrameBefore(last time.Duration) *keyFrame {
	if !x.plays || x.cfg.World != nil {
		return nil
	}
	frames := x.recording.frames
	last -= longestLatency(x.recording.World) // those under way in a key frame that nobody wanted are not in it
	i := sort.Search(len(frames), func(i int) bool { return frames[i].at > last }) - 1
	if i < 0 || frames[i].at < x.span.From {
		return x.begin
	}
	return &frames[i]
}

// longestLatency returns how long observations of a world's sensors are under way at most.
func longestLatency(w *worlds.World) (longest time.Duration) {
	const deviations = 6 // one frame of a thousand million takes longer
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			c := &w.Robots[i].Sensors[k]
			for _, level := range c.Kind.Levels() {
				longest = max(longest, c.Delay(level)+deviations*c.Jitter)
			}
		}
	}
	return longest
}

// restore goes to a key frame of the present episode.
func (x *Replay) restore(f *keyFrame) error {
	data, err := x.recording.keyFrameData(f)
	if err != nil {
		return err
	}
	if err := x.playback.GoTo(f.step); err != nil {
		return err
	}
	if x.origin != nil {
		x.origin.left = true
	}
	var state physics.Snapshot
	x.playback.Snapshot(&state)
	if err := x.RestoreKeyFrame(data, &state); err != nil {
		return fmt.Errorf("the key frame of step %d: %w", f.step, err)
	}
	x.inputs.next = sort.Search(len(x.inputs.inputs), func(i int) bool { return x.inputs.inputs[i].number > f.inputs })
	x.inputs.stepped(f.step)
	return nil
}
