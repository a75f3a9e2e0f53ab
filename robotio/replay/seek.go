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

// seeks is a queue of requests to seek.
type seeks struct {
	mu      sync.Mutex
	waiting []*seek
	closed  chan struct{}
	once    sync.Once
}

type seek struct {
	to   time.Duration
	done chan error // capacity 1
}

func newSeeks() *seeks { return &seeks{closed: make(chan struct{})} }

func (a *seeks) add(to time.Duration) *seek {
	s := &seek{to, make(chan error, 1)}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, s)
	return s
}

// close makes all waiting requests fail.
func (a *seeks) close() { a.once.Do(func() { close(a.closed) }) }

// take removes the first request from the queue and returns it. It returns nil if the queue is empty.
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

// forget removes a request from the queue.
func (a *seeks) forget(s *seek) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = slices.DeleteFunc(a.waiting, func(other *seek) bool { return other == s })
}

// Seek continues the replay at a time, counted from the beginning of the recorded run. It returns when the state of
// that time has been shown. It works also while the replay is paused. With exact states, the replay continues from the
// key frame before that time, which is fast. Without exact states, the engine runs to that time as fast as it can; if
// the time lies in the past, it runs from the beginning. Requests are queued. Any goroutine may call Seek, except for
// the goroutine that steps the simulation.
//
// It fails if ctx ends first, if the time was not recorded, after Close with omnipitch.ErrClosed, and if the recording
// is damaged, which also ends the run.
func (x *Replay) Seek(ctx context.Context, to time.Duration) error {
	if err := x.canSeek(to); err != nil {
		return err
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

// GoTo is Seek for the goroutine that steps, between two steps. When ctx ends, it fails. After an error the Replay can
// only be closed, except after an error that names the span.
func (x *Replay) GoTo(ctx context.Context, to time.Duration) error {
	if err := x.canSeek(to); err != nil {
		return err
	}
	for s := x.seeks.take(); s != nil; s = x.seeks.take() { // Config.From too, if no step has been taken
		s.done <- errors.New("another request came later")
	}
	defer func(before context.Context) { x.ctx = before }(x.ctx)
	x.ctx = ctx
	return x.goTo(to)
}

// canSeek returns an error if the replay cannot move to a time.
func (x *Replay) canSeek(to time.Duration) error {
	if x.cfg.Continue || x.cfg.Check {
		return errors.New("the engine runs the world on its own: it cannot seek")
	}
	if to < x.span.From || to > x.span.To {
		return fmt.Errorf("time = %v: must lie in what is replayed, from %v to %v", to, x.span.From, x.span.To)
	}
	return nil
}

// goTo moves the replay to a time, and shows the state of that time. The time is counted from the beginning of the
// recorded run.
func (x *Replay) goTo(to time.Duration) error {
	last := to - x.recording.World.Time.Step // time of the last step that is not shown
	err := x.Replay().Skip(func() time.Duration { return last - x.Now() }, func() error {
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

// notifyEvery is the number of steps after which stepTo reports its progress: some hundredths of a second.
const notifyEvery = 1000

// stepTo takes all steps up to the time last. It reports its progress to Options.Notify, and an empty text at the end.
func (x *Replay) stepTo(last time.Duration) error {
	notify := x.opts.Notify
	if notify == nil {
		notify = func(string) {}
	}
	defer notify("")
	for n := 0; x.Now()+x.recording.World.Time.Step <= last; n++ {
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if n%notifyEvery == 0 {
			notify(fmt.Sprintf("going to %.1f s, now at %.1f s", last.Seconds(), x.Now().Seconds()))
		}
		if err := x.Step(); err != nil {
			return err
		}
	}
	return nil
}

// goBefore moves the replay to the latest moment before the time last from which the replay can step to last.
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
		err = x.Replay().RestartNow(world)
		if x.restoring = false; err != nil {
			return err
		}
	}
	return x.restore(f)
}

// beginAgain restarts the run from its beginning.
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
	err := x.Replay().RestartNow(world)
	x.inputs.stepped(0)
	return err
}

// keyFrameBefore returns the key frame from which a replay must continue to reach the time last. Observations that are
// delivered after last must also be captured after the key frame, so it may be well before last. If there is no such
// key frame, keyFrameBefore returns the first key frame if the exact states begin late in the run, else nil.
func (x *Replay) keyFrameBefore(last time.Duration) *keyFrame {
	if !x.plays || x.cfg.World != nil {
		return nil
	}
	frames := x.recording.frames
	// a key frame does not contain the frames in transit of sensors without listeners
	last -= longestLatency(x.recording.World)
	i := sort.Search(len(frames), func(i int) bool { return frames[i].at > last }) - 1
	if i < 0 || frames[i].at < x.span.From {
		return x.begin
	}
	return &frames[i]
}

// longestLatency returns the maximum latency of all sensors of a world.
func longestLatency(w *worlds.World) (longest time.Duration) {
	const deviations = 6 // one frame in a thousand million is later than the mean by more than 6 standard deviations
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

// restore moves the replay to a key frame of the current episode.
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
	if err := x.Replay().RestoreKeyFrame(data, &state); err != nil {
		return fmt.Errorf("the key frame of step %d: %w", f.step, err)
	}
	x.inputs.next = x.inputs.behind(f.inputs)
	x.inputs.stepped(f.step)
	return nil
}
