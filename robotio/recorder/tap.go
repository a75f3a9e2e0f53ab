package recorder

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Tap is where recordings of a run begin and end while it goes on, one at a time. Each has exact states, and begins
// with a key frame: a replay shows what it holds to the last bit, but cannot run the world again from its beginning.
// While there is none, a step costs an atomic load more.
//
//	var tap recorder.Tap
//	tap.Hook(&opts)
//	sim, err := omnipitch.New(world, opts)
//	tap.Follow(sim) // before the first step
//	err = tap.Start(ctx, "part.mcap", recorder.Config{Program: "mine"})
//	err = tap.Stop(ctx)
//	err = tap.Close() // when the run has ended
type Tap struct {
	sim *omnipitch.Sim
	// nil: there is none. Set by the goroutine that steps, or when there is none any more
	current atomic.Pointer[Recorder]
	engine  *tapped // this belongs to the goroutine that steps
	model   *physics.Model

	mu sync.Mutex // held while a recording begins or ends
}

// Errors of Start and Stop.
var (
	ErrRecords = errors.New("the run is being recorded already")
	ErrNone    = errors.New("no recording goes on")
	errMoved   = errors.New("another world has begun meanwhile")
)

// tapped is an engine that another may be put around.
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

// Hook has a Sim with these options be one that can be recorded. What they call already is called as before.
func (t *Tap) Hook(opts *omnipitch.Options) {
	told, verdict, newEngine := opts.OnInput, opts.OnVerdict, opts.NewEngine
	if newEngine == nil {
		newEngine = engine.New
	}
	opts.OnInput = func(in *omnipitch.Input) {
		if r := t.current.Load(); r != nil {
			r.input(in)
		}
		if told != nil {
			told(in)
		}
	}
	opts.OnVerdict = func(v expectation.Verdict) {
		if r := t.current.Load(); r != nil {
			r.verdict(v)
		}
		if verdict != nil {
			verdict(v)
		}
	}
	opts.NewEngine = func(model *physics.Model) (physics.Engine, error) {
		r := t.current.Load()
		if r != nil {
			r.begin(model)
		}
		e, err := newEngine(model)
		if err != nil {
			return nil, err
		}
		t.model, t.engine = model, &tapped{e, e}
		if r != nil {
			t.engine.Engine = r.states.record(e, model, r.began)
		}
		return t.engine, nil
	}
}

// Follow prepares for recordings of the Sim that was made with the options. It must be called before its first step.
func (t *Tap) Follow(sim *omnipitch.Sim) {
	t.sim = sim
	sim.OnStep(func(s *physics.Snapshot) {
		if r := t.current.Load(); r != nil {
			r.state(sim, s)
		}
	})
	sim.OnStepEnd(func() {
		if r := t.current.Load(); r != nil {
			r.stepped(sim)
		}
	})
	sim.OnDecision(func(d *referee.Decision) {
		if r := t.current.Load(); r != nil {
			r.decision(d)
		}
	})
	sim.OnLevel(func(c omnipitch.LevelChange) {
		if r := t.current.Load(); r != nil {
			r.level(c)
		}
	})
}

// On tells whether a recording goes on. It may be called from any goroutine.
func (t *Tap) On() bool { return t.current.Load() != nil }

// Start begins a recording with the present step, or the next, also while the run is paused. Of cfg, Exact, Off and
// Late are not used. It fails when ctx ends before a step has come, and leaves nothing then. It may be called from any
// goroutine.
func (t *Tap) Start(ctx context.Context, path string, cfg Config) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.On() {
		return ErrRecords
	}
	world := t.sim.World()
	cfg.Exact, cfg.Off, cfg.Late = true, true, true
	r, err := New(path, world, cfg)
	if err != nil {
		return err
	}
	err = t.between(ctx, func() error {
		if t.sim.World() != world {
			return errMoved
		}
		t.begin(r)
		return nil
	})
	if err != nil {
		r.Discard()
	}
	return err
}

// begin has a recording take what happens from now on, at its sim time. It belongs to the goroutine that steps.
func (t *Tap) begin(r *Recorder) {
	r.clock = t.sim.Clock()
	r.begin(t.model) // which writes that it is off
	r.wanted.Store(true)
	r.on, r.states.on, r.now = true, true, t.sim.Truth().Time
	r.switched(r.now)
	t.engine.Engine = r.states.record(t.engine.inner, t.model, r.began)
	var now physics.Snapshot
	t.engine.Snapshot(&now) // the first exact state: the key frame comes at the end of the step
	for _, robot := range t.sim.World().Robots {
		for i := range robot.Sensors {
			name := robot.Sensors[i].Name
			if level, err := t.sim.Level(robot.Name, name); err == nil {
				r.level(omnipitch.LevelChange{Robot: robot.Name, Sensor: name, Level: level, Stamp: r.now})
			}
		}
	}
	t.current.Store(r)
}

// Stop ends the recording, and returns when the file is whole. It fails when ctx ends before a step has come, and the
// recording goes on then. It may be called from any goroutine.
func (t *Tap) Stop(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.current.Load()
	if r == nil {
		return ErrNone
	}
	err := t.between(ctx, func() error {
		t.end()
		return nil
	})
	if err != nil {
		return err
	}
	return r.Close()
}

// end has the recording take nothing more.
func (t *Tap) end() {
	t.engine.Engine = t.engine.inner
	t.current.Store(nil)
}

// Close ends the recording that goes on, if any. The run has ended.
func (t *Tap) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.current.Load()
	if r == nil {
		return nil
	}
	t.end()
	return r.Close()
}

// between has the goroutine that steps call f, while it takes a step or the run is paused.
func (t *Tap) between(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	var once sync.Once // whoever is first: f, or the caller who waits no longer
	stop := t.sim.After(0, func(time.Duration) {
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
