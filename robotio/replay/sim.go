package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/worlds"
)

// Config configures a replay.
type Config struct {
	// World, if not nil, replaces the recorded world with one of as many robots and obstacles: with other cameras,
	// light or lenses. Of the recorded inputs, only restarts are repeated then.
	World *worlds.World
	// Engine runs the engine again even if there are exact states.
	Engine bool
	// Continue ends the replay at From: from then on the Sim takes external inputs instead of recorded ones. It runs
	// the engine again from the beginning, because no engine continues to the last bit from a given state.
	Continue bool
	// From is the time of the first state that is shown, since the recorded run began. Step or Run moves there as Seek
	// does. With Continue, the Sim is at From at once.
	From time.Duration
	// Until is the time of the last state; 0 is the end of the recording. Step and Run end there, unless Continue is
	// set. If only a part of the run has exact states and they end before Until, the engine runs again.
	Until time.Duration
	// Loop continues at From after Until, instead of ending.
	Loop bool
	// Hold pauses the clock at Until, instead of ending. When it is resumed, the replay continues at From.
	Hold bool
	// Check compares the state of each step with the recorded one. It runs the engine again.
	Check bool
}

// Replay is a Sim that repeats a recorded run.
type Replay struct {
	*omnipitch.Sim
	recording *Recording
	cfg       Config
	ctx       context.Context
	opts      omnipitch.Options
	seeks     *seeks
	inputs    *source
	plays     bool      // play exact states instead of running an engine
	span      Span      // part of the run that it can show
	begin     *keyFrame // begin of span; nil: the beginning of the run
	held      bool      // paused at Until
	restoring bool      // the next episode begins at a key frame
	origin    *origin   // of an episode that began at a key frame
	// the recorded run, for a replay with another world; nil if that plays exact states, or without another world
	beside   *beside
	playback *track.Playback // of the current episode; nil if the engine runs
	checker  *track.Checker  // of the current episode
	checked  int64           // steps compared in earlier episodes
	parting  *track.Parting  // the first difference
	episode  int             // current episode
	parted   int             // episode of parting
}

// NewSim makes a Sim that replays the recording. opts are those of omnipitch.New; NewEngine, Inputs and Between must
// not be set. When ctx ends, NewSim and later long seeks stop.
func (r *Recording) NewSim(ctx context.Context, opts omnipitch.Options, cfg Config) (*Replay, error) {
	x := &Replay{recording: r, cfg: cfg, ctx: ctx, opts: opts, seeks: newSeeks(), episode: -1}
	if cfg.World != nil && (cfg.Engine || cfg.Check || cfg.Continue) {
		return nil, errors.New("another world shows recorded states: Engine, Continue and Check must not be set")
	}
	if err := x.plan(); err != nil {
		return nil, err
	}
	cfg.From = x.cfg.From
	world := r.World
	x.inputs = &source{inputs: r.inputs, until: math.MaxInt64}
	if cfg.World != nil {
		world, x.inputs.inputs = cfg.World, restarts(r.inputs, cfg.World)
	}
	if cfg.Continue {
		x.inputs.until = int64(cfg.From / world.Time.Step)
	}
	x.inputs.stepped(0)
	if x.begin != nil {
		var err error
		if world, err = r.worldOf(x.begin); err != nil {
			return nil, err
		}
		x.episode, x.restoring = x.begin.episode-1, true
	}
	if cfg.World != nil && !x.plays {
		if err := x.runBeside(); err != nil {
			return nil, err
		}
	}
	opts.Replay, opts.NewEngine, x.inputs.beforeStep = x.inputs, x.newEngine, x.between
	var err error
	x.Sim, err = omnipitch.New(world, opts)
	x.restoring = false
	switch {
	case err != nil:
	case cfg.Continue:
		err = x.stepTo(cfg.From)
	case cfg.From > 0:
		x.seeks.add(cfg.From)
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// runBeside makes a second Sim that runs the recorded run again from its beginning.
func (x *Replay) runBeside() error {
	run, err := x.recording.NewSim(x.ctx, omnipitch.Options{Renderer: x.opts.Renderer, Notify: x.opts.Notify},
		Config{Engine: true})
	if err != nil {
		return err
	}
	if x.beside != nil {
		x.beside.run.Close()
	}
	x.beside = newBeside(run)
	return nil
}

// Close closes the Sim. Waiting calls of Seek fail. See omnipitch.Sim.Close.
func (x *Replay) Close() {
	x.seeks.close()
	if x.Sim != nil {
		x.Sim.Close()
	}
	if x.beside != nil {
		x.beside.run.Close()
	}
}

// plan chooses exact states or the engine, and the beginning.
func (x *Replay) plan() error {
	r, cfg := x.recording, &x.cfg
	length := r.Length()
	if cfg.From > length {
		return fmt.Errorf("%v: the recording ends at %v", cfg.From, length)
	}
	if cfg.Until == 0 || cfg.Until > length {
		cfg.Until = length
	}
	if r.Late {
		switch begin, ok := r.Begin(); {
		case !ok:
			return fmt.Errorf("%s: began during its run, and ended before its first key frame: there is "+
				"nothing to replay", r.Path())
		case cfg.Engine || cfg.Check || cfg.Continue || cfg.World != nil:
			return fmt.Errorf("%s: began during its run, at %v: shows what was recorded, but cannot run the "+
				"world again", r.Path(), begin)
		default:
			cfg.From = max(cfg.From, begin)
		}
	}
	x.span = Span{0, cfg.Until}
	if cfg.Engine || cfg.Check || cfg.Continue {
		return nil
	}
	if cfg.Until < cfg.From {
		return fmt.Errorf("%v: the replay begins at %v", cfg.Until, cfg.From)
	}
	if x.begin, x.plays = r.playable(cfg.From, cfg.Until, cfg.World != nil); x.begin != nil {
		x.span.From = x.begin.at
	}
	if r.Late && !x.plays {
		return fmt.Errorf("%s: lacks exact states between %v and %v, and cannot run the world again",
			r.Path(), cfg.From, cfg.Until)
	}
	return nil
}

// between carries out a waiting Seek, and handles the end of the replay. It is called between two steps.
func (x *Replay) between() error {
	if x.Sim == nil || x.cfg.Continue {
		return nil
	}
	for s := x.seeks.take(); s != nil; s = x.seeks.take() {
		err := x.goTo(s.to)
		s.done <- err
		if err != nil {
			return err
		}
	}
	switch {
	case x.Now() < x.cfg.Until:
		return nil
	case x.cfg.Loop || x.held && !x.Clock().Paused():
		x.held = false
		return x.goTo(x.cfg.From)
	case x.cfg.Hold:
		x.held = true
		x.Clock().Pause()
		return omnipitch.ErrHold
	}
	return omnipitch.ErrEnd
}

// Recording returns the recording. Any goroutine may call it.
func (x *Replay) Recording() *Recording { return x.recording }

// Plays reports whether exact states are played, so that Seek is fast. Any goroutine may call it.
func (x *Replay) Plays() bool { return x.plays }

// Span returns the part of the run that Seek can show. Any goroutine may call it.
func (x *Replay) Span() Span { return x.span }

// worldOf returns the world of a key frame.
func (r *Recording) worldOf(f *keyFrame) (*worlds.World, error) {
	w := r.World
	for i := range r.inputs {
		if in := &r.inputs[i]; in.number <= f.inputs && in.World != nil {
			w = in.World
		}
	}
	if seed := r.Episodes[f.episode].Seed; w.Seed != seed { // changed by an event
		return w.WithSeed(seed)
	}
	return w, nil
}

// Now returns the time since the recorded run began. Only the goroutine that steps may call it.
func (x *Replay) Now() time.Duration {
	if x.episode >= len(x.recording.Episodes) { // after the recorded part
		return x.recording.Length()
	}
	return x.recording.Episodes[x.episode].Began + x.Truth().Time
}

// restarts returns the inputs that are restarts, changed to another world.
func restarts(inputs []numbered, world *worlds.World) (all []numbered) {
	for _, in := range inputs {
		if in.World != nil {
			in.World = world
			all = append(all, in)
		}
	}
	return all
}

// newEngine returns the engine of the next episode.
func (x *Replay) newEngine(model *physics.Model) (physics.Engine, error) {
	x.judge()
	x.episode++
	x.inputs.begin()
	recorded := x.episode < len(x.recording.Episodes)
	switch {
	case x.beside != nil:
		return x.beside, x.beside.begin(model)
	case x.plays && !recorded:
		return nil, fmt.Errorf("the recording has no episode %d", x.episode)
	case x.plays:
		var err error
		if x.playback, err = x.recording.playback(model, x.episode); err != nil {
			return nil, err
		}
		if x.restoring {
			x.origin = &origin{Playback: x.playback}
			return x.origin, nil
		}
		return x.playback, nil
	}
	engine, err := engine.New(model)
	if err != nil || !x.cfg.Check || !recorded {
		return engine, err
	}
	var playback *track.Playback
	if slices.ContainsFunc(x.recording.blocks, func(b block) bool { return b.episode == x.episode }) {
		if playback, err = x.recording.playback(model, x.episode); err != nil {
			engine.Close()
			return nil, err
		}
	}
	x.checker = track.NewChecker(engine, model, playback, x.recording.Episodes[x.episode].hash)
	return x.checker, nil
}

// origin is a playback in a Sim that will move to a key frame. Until then its states have step 0 and time 0.
type origin struct {
	*track.Playback
	left bool
}

func (o *origin) Snapshot(s *physics.Snapshot) {
	if o.Playback.Snapshot(s); !o.left {
		s.Step, s.Time = 0, 0
	}
}

// playback returns an engine with the states of an episode.
func (r *Recording) playback(model *physics.Model, episode int) (*track.Playback, error) {
	source, err := newBlocks(r)
	if err != nil {
		return nil, err
	}
	return track.NewPlayback(model, source, episode)
}

// judge adds the result of the ending episode.
func (x *Replay) judge() {
	if x.checker == nil {
		return
	}
	x.checked += x.checker.Steps()
	if x.parting == nil {
		x.parting, x.parted = x.checker.Parting(), x.episode
	}
	x.checker = nil
}

// Verdict ends the comparison. It returns the number of equal steps, and the first difference with its episode, or nil.
func (x *Replay) Verdict() (steps int64, episode int, parting *track.Parting) {
	x.judge()
	return x.checked, x.parted, x.parting
}
