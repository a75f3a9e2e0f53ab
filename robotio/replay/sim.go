package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/worlds"
)

// Config says how a recording is replayed.
type Config struct {
	// World, if not nil, is what is seen in place of the recorded world, of as many robots and obstacles: with other cameras, light or lenses. Of
	// what came from outside only restarts are repeated then.
	World *worlds.World
	// Engine has the engine run again even where there are exact states.
	Engine bool
	// Continue lets the run go on by itself at From: what comes from outside is taken then, in place of what was recorded. It has the engine run
	// again, from the beginning: no engine continues to the last bit from a state that it is given.
	Continue bool
	// From is the time, since the recorded run began, that the Sim is at: with exact states it goes there at once, or else runs there as fast as it
	// can.
	From time.Duration
	// Until is the time up to which the Sim will go, 0 for the end of the recording: where there are exact states of a part of the run alone, they
	// must reach so far, or else the engine runs again.
	Until time.Duration
	// Check compares each step's state with the recorded one. It has the engine run again.
	Check bool
}

// Replay is a Sim that does what a recorded one did.
type Replay struct {
	*omnipitch.Sim
	recording *Recording
	cfg       Config
	inputs    *source
	origin    *origin         // of a Sim that began at a key frame
	begin     *keyFrame       // to begin at; nil to begin with the run
	plays     bool            // exact states, in place of an engine
	beside    *beside         // the recorded run, of which another world is seen; nil if that plays exact states, or there is none
	playback  *track.Playback // of the present episode; nil if the engine runs
	checker   *track.Checker  // of the present episode
	checked   int64           // steps of those before
	parting   *track.Parting  // of the first that parts
	episode   int             // the present one
	parted    int             // the one of parting
}

// NewSim makes a Sim of the recorded world. opts are as for omnipitch.New, without NewEngine and Inputs. It ends with ctx.
func (r *Recording) NewSim(ctx context.Context, opts omnipitch.Options, cfg Config) (*Replay, error) {
	x := &Replay{recording: r, cfg: cfg, episode: -1}
	if cfg.World != nil && (cfg.Engine || cfg.Check || cfg.Continue) {
		return nil, errors.New("another world is seen of the run as it was recorded: it is not run again")
	}
	if err := x.plan(); err != nil {
		return nil, err
	}
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
		x.episode = x.begin.episode - 1
	}
	if cfg.World != nil && !x.plays {
		run, err := r.NewSim(ctx, omnipitch.Options{Renderer: opts.Renderer, Notify: opts.Notify}, Config{Engine: true})
		if err != nil {
			return nil, err
		}
		x.beside = newBeside(run)
	}
	opts.Inputs, opts.NewEngine = x.inputs, x.newEngine
	var err error
	if x.Sim, err = omnipitch.New(world, opts); err == nil && x.begin != nil {
		err = x.goTo(x.begin)
	}
	if err == nil {
		err = x.run(ctx)
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Close closes the Sim; see omnipitch.Sim.Close.
func (x *Replay) Close() {
	if x.Sim != nil {
		x.Sim.Close()
	}
	if x.beside != nil {
		x.beside.run.Close()
	}
}

// plan decides between exact states and the engine, and where to begin.
func (x *Replay) plan() error {
	r, until := x.recording, x.cfg.Until
	length := r.Length()
	if x.cfg.From > length {
		return fmt.Errorf("%v: the recording ends at %v", x.cfg.From, length)
	}
	if until == 0 || until > length {
		until = length
	}
	if !x.cfg.Engine && !x.cfg.Check && !x.cfg.Continue {
		x.begin, x.plays = r.playable(x.cfg.From, until, x.cfg.World != nil)
	}
	return nil
}

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

// goTo goes to a key frame.
func (x *Replay) goTo(f *keyFrame) error {
	data, err := x.recording.keyFrameData(f)
	if err != nil {
		return err
	}
	if err := x.playback.GoTo(f.step); err != nil {
		return err
	}
	x.origin.left = true
	var state physics.Snapshot
	x.playback.Snapshot(&state)
	if err := x.RestoreKeyFrame(data, &state); err != nil {
		return fmt.Errorf("the key frame of step %d: %w", f.step, err)
	}
	x.inputs.next = sort.Search(len(x.inputs.inputs), func(i int) bool { return x.inputs.inputs[i].number > f.inputs })
	x.inputs.stepped(f.step)
	return nil
}

// run takes the steps up to Config.From.
func (x *Replay) run(ctx context.Context) error {
	for x.Now()+x.recording.World.Time.Step <= x.cfg.From {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := x.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Now is the time since the recorded run began.
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
		if x.begin != nil && x.Sim == nil {
			x.origin = &origin{Playback: x.playback}
			return x.origin, nil
		}
		return x.playback, nil
	}
	engine, err := omnipitch.NewEngine(model)
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

// origin is a playback whose Sim is to go to a key frame. Until then it has begun, whatever the time of the first state.
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

// Verdict returns how many steps' states were those of the recording, and where the run parts from it, in which episode; nil if it does not. It
// ends the comparison.
func (x *Replay) Verdict() (steps int64, episode int, parting *track.Parting) {
	x.judge()
	return x.checked, x.parted, x.parting
}

// source gives a run its inputs back.
type source struct {
	inputs []numbered
	next   int
	before int64       // steps of the episodes before
	at     int64       // step of the present one that has been taken last
	until  int64       // steps of all episodes after which others are taken
	over   atomic.Bool // they are
}

// begin begins another episode.
func (s *source) begin() { s.before, s.at = s.before+s.at, 0 }

// stepped notes that a step has been taken.
func (s *source) stepped(step int64) {
	s.at = step
	s.over.Store(s.before+step >= s.until)
}

// Next implements omnipitch.InputSource.
func (s *source) Next(step int64, moment omnipitch.Moment) (*omnipitch.Input, error) {
	if moment < omnipitch.BeforeEvents {
		s.stepped(step - 1)
	} else {
		s.stepped(step)
	}
	if s.next == len(s.inputs) || s.inputs[s.next].Step != step || s.inputs[s.next].Moment != moment {
		return nil, nil
	}
	s.next++
	return &s.inputs[s.next-1].Input, nil
}

// Over implements omnipitch.InputSource.
func (s *source) Over() bool { return s.over.Load() }
