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
	// World, if not nil, replaces the recorded world. It must have as many robots and obstacles as the recorded world,
	// but may have other cameras, light or lenses. With World, no recorded inputs except for restarts are repeated.
	World *worlds.World
	// If Engine is true, the physics engine runs again even if the recording has exact states.
	Engine bool
	// Continue ends the replay at From. After that, the Sim takes external inputs instead of recorded inputs. With
	// Continue, the physics engine runs again from the beginning, because no engine can continue from a given state
	// with results that are equal to the last bit.
	Continue bool
	// From is the time of the first state that is shown, counted from the beginning of the recorded run. The first Step
	// or Run moves to this time, like Seek. With Continue, NewSim already moves to From.
	From time.Duration
	// Until is the time of the last state that is shown; 0 means the end of the recording. Step and Run end at this
	// time, unless Continue is set. If the exact states end before Until, the physics engine runs again.
	Until time.Duration
	// If Loop is true, the replay does not end at Until but continues at From.
	Loop bool
	// If Hold is true, the replay does not end at Until but pauses its clock. When the clock is resumed, the replay
	// continues at From.
	Hold bool
	// If Check is true, the physics engine runs again, and the state of each step is compared with the recorded state.
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
	plays     bool      // whether exact states are shown instead of running the physics engine
	span      Span      // part of the run that the replay can show
	begin     *keyFrame // key frame at the beginning of span; nil if span begins at the beginning of the run
	held      bool      // whether the clock is paused at Until
	restoring bool      // whether the next episode begins at a key frame
	origin    *origin   // engine until the Sim has moved to the key frame, if the episode began at one
	// Sim that repeats the recorded run, for a replay with another world. It is nil if the replay shows exact states,
	// or if the world is not replaced.
	beside   *beside
	playback *track.Playback // engine with the exact states of the current episode; nil if the physics engine runs
	checker  *track.Checker  // comparison of states in the current episode
	checked  int64           // number of steps compared in earlier episodes
	parting  *track.Parting  // the first difference from the recorded states; nil if there is none
	episode  int             // index of the current episode
	parted   int             // index of the episode in which parting occurred
}

// NewSim returns a Sim that replays the recording. opts are the options that omnipitch.New takes; NewEngine, Inputs and
// Between must not be set. When ctx ends, NewSim stops, and so do long seeks.
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

// runBeside makes a second Sim, which runs the recorded run again from its beginning.
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

// Close closes the Sim, see omnipitch.Sim.Close. Calls of Seek that are waiting return an error.
func (x *Replay) Close() {
	x.seeks.close()
	if x.Sim != nil {
		x.Sim.Close()
	}
	if x.beside != nil {
		x.beside.run.Close()
	}
}

// plan decides whether to show exact states or to run the engine, and where to begin.
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

// between carries out a waiting Seek, and does what Config asks for at the end of the replay. It is called between two
// steps.
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

// Plays reports whether exact states are shown. Then Seek is fast. Any goroutine may call Plays.
func (x *Replay) Plays() bool { return x.plays }

// Span returns the part of the run that Seek can show. Any goroutine may call it.
func (x *Replay) Span() Span { return x.span }

// worldOf returns the world in which a key frame was recorded.
func (r *Recording) worldOf(f *keyFrame) (*worlds.World, error) {
	w := r.World
	for i := range r.inputs {
		if in := &r.inputs[i]; in.number <= f.inputs && in.World != nil {
			w = in.World
		}
	}
	if seed := r.Episodes[f.episode].Seed; w.Seed != seed { // the episode began with another seed than the world
		return w.WithSeed(seed)
	}
	return w, nil
}

// Now returns the time since the beginning of the recorded run. Only the goroutine that steps may call it.
func (x *Replay) Now() time.Duration {
	if x.episode >= len(x.recording.Episodes) { // after the recorded part
		return x.recording.Length()
	}
	return x.recording.Episodes[x.episode].Began + x.Truth().Time
}

// inputsBefore returns the number of inputs before an episode. It may be unknown.
func (r *Recording) inputsBefore(episode int) uint64 {
	if episode >= len(r.Episodes) {
		return unknown
	}
	return r.Episodes[episode].inputs
}

// restarts returns the inputs that are restarts, changed so that they restart with the given world.
func restarts(inputs []numbered, world *worlds.World) (all []numbered) {
	for _, in := range inputs {
		if in.World != nil {
			in.World = world
			all = append(all, in)
		}
	}
	return all
}

// newEngine returns the physics engine of the next episode.
func (x *Replay) newEngine(model *physics.Model) (physics.Engine, error) {
	if x.Sim != nil && x.ctx.Err() != nil {
		return nil, omnipitch.ErrEnd
	}
	x.judge()
	x.episode++
	recorded := x.episode < len(x.recording.Episodes)
	steps := int64(math.MaxInt64)
	if recorded {
		steps = x.recording.Episodes[x.episode].Steps
	}
	x.inputs.begin(steps, x.recording.inputsBefore(x.episode), x.recording.inputsBefore(x.episode+1))
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

// origin is the engine of a Sim that will move to a key frame. Until the Sim has moved, its states have step 0 and time
// 0.
type origin struct {
	*track.Playback
	left bool
}

func (o *origin) Snapshot(s *physics.Snapshot) {
	if o.Playback.Snapshot(s); !o.left {
		s.Step, s.Time = 0, 0
	}
}

// playback returns an engine that shows the exact states of an episode.
func (r *Recording) playback(model *physics.Model, episode int) (*track.Playback, error) {
	source, err := newBlocks(r)
	if err != nil {
		return nil, err
	}
	return track.NewPlayback(model, source, episode)
}

// judge adds the result of the comparison of the episode that ends.
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

// Verdict ends the comparison with the recorded states. It returns the number of equal steps. If a state differs,
// Verdict also returns the first difference and its episode, else parting is nil.
func (x *Replay) Verdict() (steps int64, episode int, parting *track.Parting) {
	x.judge()
	return x.checked, x.parted, x.parting
}
