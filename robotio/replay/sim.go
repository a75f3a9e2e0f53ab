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

// Config says how a recording is replayed.
type Config struct {
	// World, if not nil, is what is seen in place of the recorded world, of as many robots and obstacles: with other
	// cameras, light or lenses. Of what came from outside only restarts are repeated then.
	World *worlds.World
	// Engine has the engine run again even where there are exact states.
	Engine bool
	// Continue lets the run go on by itself at From: what comes from outside is taken then, in place of what was
	// recorded. It has the engine run again, from the beginning: no engine continues to the last bit from a state that
	// it is given.
	Continue bool
	// From is the time, since the recorded run began, of the first state that is shown: Step, or Run, goes there as
	// Seek does. With Continue it is the one that the Sim is at.
	From time.Duration
	// Until is the time of the last state, 0 for that of the recording: Step and Run end with it, unless Continue is
	// set. Where there are exact states of a part of the run alone, they must reach so far, or else the engine runs
	// again.
	Until time.Duration
	// Loop goes back to From at Until, in place of ending.
	Loop bool
	// Hold stays at Until, with the clock paused, in place of ending; whoever resumes it then begins again at From.
	Hold bool
	// Check compares each step's state with the recorded one. It has the engine run again.
	Check bool
}

// Replay is a Sim that does what a recorded one did.
type Replay struct {
	*omnipitch.Sim
	recording *Recording
	cfg       Config
	ctx       context.Context
	opts      omnipitch.Options
	seeks     *seeks
	inputs    *source
	plays     bool      // exact states, in place of an engine
	span      Span      // of which it can show any moment
	begin     *keyFrame // where that begins; nil: with the run
	held      bool      // at Until
	restoring bool      // an episode begins at a key frame
	origin    *origin   // of an episode that began at a key frame
	// the recorded run, of which another world is seen; nil if that plays exact states, or there is none
	beside   *beside
	playback *track.Playback // of the present episode; nil if the engine runs
	checker  *track.Checker  // of the present episode
	checked  int64           // steps of those before
	parting  *track.Parting  // of the first that parts
	episode  int             // the present one
	parted   int             // the one of parting
}

// NewSim makes a Sim of the recorded world. opts are as for omnipitch.New, without NewEngine, Inputs and Between. ctx
// ends it, and later what takes long to go elsewhere.
func (r *Recording) NewSim(ctx context.Context, opts omnipitch.Options, cfg Config) (*Replay, error) {
	x := &Replay{recording: r, cfg: cfg, ctx: ctx, opts: opts, seeks: newSeeks(), episode: -1}
	if cfg.World != nil && (cfg.Engine || cfg.Check || cfg.Continue) {
		return nil, errors.New("another world is seen of the run as it was recorded: it is not run again")
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
	opts.Inputs, opts.NewEngine, opts.Between = x.inputs, x.newEngine, x.between
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

// runBeside has the recorded run made again beside the Sim, from its beginning.
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

// Close closes the Sim, and ends what waits for Seek; see omnipitch.Sim.Close.
func (x *Replay) Close() {
	x.seeks.close()
	if x.Sim != nil {
		x.Sim.Close()
	}
	if x.beside != nil {
		x.beside.run.Close()
	}
}

// plan decides between exact states and the engine, and where to begin.
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
			return fmt.Errorf("%s: began while its run went on, and ended before its first key frame: there is "+
				"nothing to replay", r.Path())
		case cfg.Engine || cfg.Check || cfg.Continue || cfg.World != nil:
			return fmt.Errorf("%s: began while its run went on, at %v: shows what was recorded, but cannot run the "+
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
		return fmt.Errorf("%s: lacks exact states of what lies between %v and %v, and cannot run the world again",
			r.Path(), cfg.From, cfg.Until)
	}
	return nil
}

// between goes elsewhere if that was asked for, or if the replay has come to its end.
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

// Recording is what is replayed. It may be called from any goroutine.
func (x *Replay) Recording() *Recording { return x.recording }

// Plays tells whether exact states are played: Seek goes anywhere at once. It may be called from any goroutine.
func (x *Replay) Plays() bool { return x.plays }

// Span is what Seek can go to. It may be called from any goroutine.
func (x *Replay) Span() Span { return x.span }

// worldOf returns the world that a key frame is of.
func (r *Recording) worldOf(f *keyFrame) (*worlds.World, error) {
	w := r.World
	for i := range r.inputs {
		if in := &r.inputs[i]; in.number <= f.inputs && in.World != nil {
			w = in.World
		}
	}
	if seed := r.Episodes[f.episode].Seed; w.Seed != seed { // by an event
		return w.WithSeed(seed)
	}
	return w, nil
}

// Now is the time since the recorded run began. It belongs to the goroutine that steps.
func (x *Replay) Now() time.Duration {
	if x.episode >= len(x.recording.Episodes) { // what is not recorded any more
		return x.recording.Length()
	}
	return x.recording.Episodes[x.episode].Began + x.Time()
}

// restarts returns the restarts among inputs, of another world.
func restarts(inputs []numbered, world *worlds.World) (all []numbered) {
	for _, in := range inputs {
		if in.World != nil {
			in.World = world
			all = append(all, in)
		}
	}
	return all
}

// newEngine returns the engine of the episode that begins.
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

// origin is a playback whose Sim is to go to a key frame. Until then it has begun, whatever the time of the first
// state.
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

// judge notes what has become of the episode that ends.
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

// Verdict returns how many steps' states were those of the recording, and where the run parts from it, in which
// episode; nil if it does not. It ends the comparison.
func (x *Replay) Verdict() (steps int64, episode int, parting *track.Parting) {
	x.judge()
	return x.checked, x.parted, x.parting
}
