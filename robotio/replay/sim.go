package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	// what came from outside only restarts are repeated then. It needs exact states.
	World *worlds.World
	// Engine has the engine run again even where there are exact states.
	Engine bool
	// Continue lets the run go on by itself at From: what comes from outside is taken then, in place of what was recorded. It has the engine run
	// again, from the beginning: no engine continues to the last bit from a state that it is given.
	Continue bool
	// From is the time, since the recorded run began, that the Sim is at: with exact states it goes there at once, or else runs there as fast as it
	// can.
	From time.Duration
	// Check compares each step's state with the recorded one. It has the engine run again.
	Check bool
}

// Replay is a Sim that does what a recorded one did.
type Replay struct {
	*omnipitch.Sim
	recording *Recording
	cfg       Config
	inputs    *source
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
	if cfg.World != nil && (!r.Exact || x.runs()) {
		return nil, errors.New("another world needs a recording with exact states, which are not run again")
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
	begin, err := x.beginning()
	if err != nil {
		return nil, err
	}
	if begin != nil {
		if world, err = r.worldOf(begin); err != nil {
			return nil, err
		}
		x.episode = begin.episode - 1
	}
	opts.Inputs, opts.NewEngine = x.inputs, x.newEngine
	if x.Sim, err = omnipitch.New(world, opts); err != nil {
		return nil, err
	}
	if begin != nil {
		err = x.goTo(begin)
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

// beginning returns the key frame to begin at, or nil to begin with the run.
func (x *Replay) beginning() (*keyFrame, error) {
	r := x.recording
	if length := r.Length(); x.cfg.From > length {
		return nil, fmt.Errorf("%v: the recording ends at %v", x.cfg.From, length)
	}
	if x.runs() || x.cfg.World != nil {
		return nil, nil
	}
	i := sort.Search(len(r.frames), func(i int) bool { return r.frames[i].at > x.cfg.From }) - 1
	if i < 0 {
		return nil, nil
	}
	return &r.frames[i], nil
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

// runs tells whether the engine runs again.
func (x *Replay) runs() bool {
	return !x.recording.Exact || x.cfg.Engine || x.cfg.Check || x.cfg.Continue
}

// newEngine returns the engine of the episode that begins.
func (x *Replay) newEngine(model *physics.Model) (physics.Engine, error) {
	x.judge()
	x.episode++
	x.inputs.begin()
	recorded := x.episode < len(x.recording.Episodes)
	if !x.runs() {
		if !recorded {
			return nil, fmt.Errorf("the recording has no episode %d", x.episode)
		}
		var err error
		if x.playback, err = x.recording.playback(model, x.episode); err != nil {
			return nil, err
		}
		return x.playback, nil
	}
	engine, err := omnipitch.NewEngine(model)
	if err != nil || !x.cfg.Check || !recorded {
		return engine, err
	}
	if x.recording.Exact {
		playback, err := x.recording.playback(model, x.episode)
		if err != nil {
			engine.Close()
			return nil, err
		}
		x.checker = track.NewChecker(engine, model, playback)
	} else {
		hashes := x.recording.Episodes[x.episode].hashes
		x.checker = track.NewHashChecker(engine, func(step int64) (uint64, bool) {
			if step < 0 || step >= int64(len(hashes)) {
				return 0, false
			}
			return hashes[step], true
		})
	}
	return x.checker, nil
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
