package recorder

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
)

// Tap starts and stops recordings during a run, one at a time. Each recording has exact states and begins with a key
// frame. A replay shows these states to the last bit, but cannot run the world again from the beginning of the run.
// While there is no recording, a Tap costs one atomic load per step.
//
//	var tap recorder.Tap
//	tap.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	tap.Follow(sim) // before the first step
//	err = tap.Start(ctx, "part.mcap", recorder.Config{Program: "mine"})
//	err = tap.Stop()
//	err = tap.Close() // when the run has ended
type Tap struct {
	sim *omnipitch.Sim
	// current is nil while there is no recording. The goroutine that steps sets it when a recording starts.
	current atomic.Pointer[Recorder]
	engine  *tapped // only the goroutine that steps uses engine and model
	model   *physics.Model

	mu sync.Mutex // locked while a recording starts or stops
}

// Errors of Start and Stop.
var (
	ErrRecords = errors.New("the run is already being recorded")
	ErrNone    = errors.New("the run is not being recorded")
	errMoved   = errors.New("the world restarts")
)

// tapped is an engine that wraps another engine. It can start and stop recording the states of the wrapped engine
// during the run.
type tapped struct {
	physics.Engine
	inner physics.Engine
}

// Settle implements physics.Settler.
func (t *tapped) Settle() bool {
	s, ok := t.Engine.(physics.Settler)
	return ok && s.Settle()
}

var _ physics.Settler = (*tapped)(nil)

// Hook changes the options of a Sim so that the Sim can be recorded. If an option is a function already, this function
// is still called.
func (t *Tap) Hook(opts *omnipitch.Options) {
	hook(opts, t.current.Load, func(e physics.Engine, model *physics.Model) physics.Engine {
		t.model, t.engine = model, &tapped{e, e}
		if r := t.current.Load(); r != nil {
			t.engine.Engine = r.states.record(e, model, r.began)
		}
		return t.engine
	})
}

// Follow prepares recordings of the Sim that was made with the options that Hook changed. It must be called before the
// first step.
func (t *Tap) Follow(sim *omnipitch.Sim) {
	t.sim = sim
	follow(sim, t.current.Load)
	sim.Replay().OnStepEnd(t.disconnect)
}

// On reports whether the run is being recorded. Any goroutine may call it.
func (t *Tap) On() bool { return t.current.Load() != nil }

// Start starts a recording. The recording begins with the current or the next step. It begins also while the run is
// paused. Start ignores Exact, Off and Late of cfg. If ctx ends before the recording begins, Start returns an error and
// leaves no file. Any goroutine may call it.
func (t *Tap) Start(ctx context.Context, path string, cfg Config) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.On() {
		return ErrRecords
	}
	cfg.Exact, cfg.Off, cfg.Late = true, true, true
	for {
		world := t.sim.World()
		r, err := New(path, world, cfg)
		if err != nil {
			return err
		}
		err = t.between(ctx, func() error {
			// The recording would lack the input of a restart that is pending.
			if t.sim.World() != world || t.sim.Replay().Restarting() {
				return errMoved
			}
			t.begin(r)
			return nil
		})
		if err == nil {
			return nil
		}
		if r.Discard(); err != errMoved {
			return err
		}
	}
}

// begin connects a recording to the run at the current sim time. Only the goroutine that steps may call it.
func (t *Tap) begin(r *Recorder) {
	r.clock = t.sim.Clock().Clock
	r.begin(t.model) // this also records that the recording is switched off
	r.wanted.Store(true)
	r.on, r.states.on, r.now = true, true, t.sim.Truth().Time
	r.switched(r.now)
	t.engine.Engine = r.states.record(t.engine.inner, t.model, r.began)
	var now physics.Snapshot
	t.engine.Snapshot(&now) // the first exact state; the key frame follows at the end of the step
	for _, robot := range t.sim.World().Robots {
		for i := range robot.Sensors {
			name := robot.Sensors[i].Name
			if level, err := t.sim.Sensors().Level(robot.Name, name); err == nil {
				r.level(omnipitch.LevelChange{Robot: robot.Name, Sensor: name, Level: level, Stamp: r.now})
			}
		}
	}
	t.current.Store(r)
}

// Stop stops the recording and waits until its file is complete. It does not wait for a step: the recording ends with
// the newest state, and a step in progress may lack its events. Any goroutine may call it.
func (t *Tap) Stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.current.Swap(nil)
	if r == nil {
		return ErrNone
	}
	return r.Close() // what the goroutine that steps still writes is dropped
}

// disconnect makes the engine stop passing states to a recording that has ended. Only the goroutine that steps calls
// it.
func (t *Tap) disconnect() {
	if t.current.Load() == nil {
		t.engine.Engine = t.engine.inner
	}
}

// Close stops the recording, if there is one. It is for the end of the run.
func (t *Tap) Close() error {
	if err := t.Stop(); err != ErrNone {
		return err
	}
	return nil
}

// between runs the function f in the goroutine that steps the simulation. It does so between two steps, or while the
// run is paused. It returns the error of f. If ctx ends before f runs, between returns an error and f never runs.
func (t *Tap) between(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	var once sync.Once // f and the caller that gives up compete: only the first of them has an effect
	stop := t.sim.Clock().After(0, func(time.Duration) {
		once.Do(func() { done <- f() })
	})
	defer stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		once.Do(func() { done <- ctx.Err() })
		return <-done
	}
}
