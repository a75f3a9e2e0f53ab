package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Config configures a Recorder.
type Config struct {
	// Program is the name of the recording program with its version, such as "omnipitch v1.2.0".
	Program string
	// Renderer is the requested renderer. Instructions names the processor instructions that the tile renderer uses.
	Renderer, Instructions string
	// Exact makes the Recorder record the exact state of every step, and key frames. Then a replay can show the run
	// from any moment without running it again.
	Exact bool
	// If Off is true, the recording is switched off at first: see Switch.
	Off bool
	// Late must be true if the recording begins during the run. Then a replay cannot run the world again from the
	// beginning of the run. Tap sets Late.
	Late bool
	// ROS2 makes the Recorder write messages of ROS 2, with the profile ros2 of MCAP. Then Recorder.Topics must record
	// topics of ROS 2.
	ROS2 bool
	// TruthRate is the rate of the recorded ground truth in Hz; 0 means 50 Hz.
	TruthRate float64
	recording.Options
}

// Recorder records one simulation.
type Recorder struct {
	cfg    Config
	writer *recording.Writer
	inputs inputs
	truth  truth
	states states

	episodes output[msg.Episode]
	switches output[msg.Recording]

	stop context.CancelFunc // stops the goroutine that flushes blocks of states

	wanted atomic.Bool // argument of the last call of Switch
	mu     sync.Mutex  // guards topics; Switch holds it only briefly
	topics []*recording.Topics

	clock *timesync.Clock
	shift atomic.Int64 // copy of the field began for other goroutines; set when the clock shows time 0 of the episode

	arriving sync.Mutex
	latest   time.Duration // maximum log time of the received messages

	// model of the current world; only the goroutine that steps the simulation uses this field and the fields below
	model   *physics.Model
	began   time.Duration // total duration of the episodes before the current one
	now     time.Duration // sim time of the newest state
	episode uint32        // index of the next episode
	on      bool          // whether the recording is switched on
}

// New creates a recording of a run of a world. It attaches a copy of every file that the world needs.
func New(path string, world *worlds.World, cfg Config) (*Recorder, error) {
	bundle, err := mapping.Bundle(world)
	if err != nil {
		return nil, fmt.Errorf("recording %s: world %s: %w", path, world.Name, err)
	}
	var files []recording.Attachment
	for _, name := range slices.Sorted(maps.Keys(bundle)) {
		files = append(files, recording.Attachment{Name: name, Data: bundle[name]})
	}
	cfg.TruthRate = cmp.Or(cfg.TruthRate, 50)
	r := &Recorder{cfg: cfg, on: !cfg.Off}
	r.wanted.Store(r.on)
	r.states.on = r.on
	r.inputs.world = world
	metadata := map[string]string{Version: cfg.Program, Seed: strconv.FormatUint(world.Seed, 10), WorldName: world.Name,
		Machine: runtime.GOARCH + " " + runtime.GOOS, Renderer: cfg.Renderer, InstructionSet: cfg.Instructions}
	if world.Referee != worlds.RefereeOff {
		metadata[Referee] = world.Referee
	}
	if cfg.Late {
		metadata[Begun] = BegunLate
	}
	r.writer, err = recording.Create(path, recording.Header{Library: cfg.Program, Metadata: metadata,
		Attachments: files, ROS2: cfg.ROS2}, cfg.Options)
	if err != nil {
		return nil, err
	}
	if err := r.open(); err != nil {
		_ = r.writer.Close() // ignored, because the first error is reported
		return nil, fmt.Errorf("recording %s: %w", path, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go r.flush(ctx)
	return r, nil
}

// flushEvery is the wall time after which new states are written, even if the run is slow. The writer adds its own
// delay. Together they are below a second, so a killed process loses at most its last second.
const flushEvery = 300 * time.Millisecond

func (r *Recorder) flush(ctx context.Context) {
	wall := r.cfg.Wall
	if wall == nil {
		wall = timesync.CoarseWall()
	}
	for ctx.Err() == nil {
		wall.Wait(ctx, wall.Now()+flushEvery)
		r.states.flush()
	}
}

// open adds the topics that every recording has.
func (r *Recorder) open() error {
	w := r.writer
	for _, open := range []func() error{
		func() error { return r.episodes.open(w, Episodes, "omnipitch_msgs/Episode") },
		func() error { return r.switches.open(w, Switches, "omnipitch_msgs/Recording") },
		func() error { return r.inputs.commands.open(w, Commands, "omnipitch_msgs/Command") },
		func() error { return r.inputs.others.open(w, Inputs, "omnipitch_msgs/Input") },
		func() error { return r.truth.bodies.open(w, Truth, "omnipitch_msgs/Truth") },
		func() error { return r.truth.touches.open(w, Touches, "omnipitch_msgs/Touch") },
		func() error { return r.truth.levels.open(w, Levels, "omnipitch_msgs/Level") },
		func() error { return r.truth.game.open(w, Game, "omnipitch_msgs/Game") },
		func() error { return r.truth.verdicts.open(w, Verdicts, "omnipitch_msgs/Verdict") },
		func() error { return r.truth.decisions.open(w, Decisions, "omnipitch_msgs/Decision") },
		func() error { return r.states.open(w, r.cfg.Exact) },
	} {
		if err := open(); err != nil {
			return err
		}
	}
	return nil
}

// Hook changes the options of a Sim so that the Sim is recorded. If an option that Hook needs is a function already,
// this function is still called.
func (r *Recorder) Hook(opts *omnipitch.Options) {
	switched := opts.OnRecord
	opts.OnRecord = func(on bool) error {
		err := r.Switch(on)
		if switched != nil {
			err = errors.Join(err, switched(on))
		}
		return err
	}
	hook(opts, r.itself, func(e physics.Engine, model *physics.Model) physics.Engine {
		return r.states.record(e, model, r.began)
	})
}

func (r *Recorder) itself() *Recorder { return r }

// hook changes the options of a Sim. The function current returns the recorder of the Sim, or nil if the Sim has no
// recorder at the moment. The function wrap gets each new engine and returns the engine that the Sim uses in its place.
func hook(opts *omnipitch.Options, current func() *Recorder,
	wrap func(physics.Engine, *physics.Model) physics.Engine) {
	onInput, onVerdict, newEngine := opts.OnInput, opts.OnVerdict, opts.NewEngine
	if newEngine == nil {
		newEngine = engine.New
	}
	opts.OnInput = func(in *omnipitch.Input) {
		if r := current(); r != nil {
			r.input(in)
		}
		if onInput != nil {
			onInput(in)
		}
	}
	opts.OnVerdict = func(v expectation.Verdict) {
		if r := current(); r != nil {
			r.verdict(v)
		}
		if onVerdict != nil {
			onVerdict(v)
		}
	}
	opts.NewEngine = func(model *physics.Model) (physics.Engine, error) {
		if r := current(); r != nil {
			r.begin(model)
		}
		e, err := newEngine(model)
		if err != nil {
			return nil, err
		}
		return wrap(e, model), nil
	}
}

// begin starts an episode: the part of a run up to the next restart. model is the model of the episode's world.
func (r *Recorder) begin(model *physics.Model) {
	if r.model != nil {
		r.began += r.now
	}
	r.model, r.now = model, 0
	r.episodes.message = msg.Episode{Episode: r.episode, Seed: model.Seed, Inputs: r.inputs.number}
	r.episodes.write(r.began, 0)
	if r.episode == 0 && !r.on {
		r.switched(0)
	}
	r.episode++
}

// Follow records the Sim that was made with the options that Hook changed. It must be called before the first step.
func (r *Recorder) Follow(sim *omnipitch.Sim) {
	r.clock = sim.Clock().Clock
	follow(sim, r.itself)
}

// follow records the states and events of a Sim with the recorder that the function current returns, unless current
// returns nil.
func follow(sim *omnipitch.Sim, current func() *Recorder) {
	sim.OnStep(func(s *physics.Snapshot) {
		if r := current(); r != nil {
			r.state(sim, s)
		}
	})
	sim.Replay().OnStepEnd(func() {
		if r := current(); r != nil {
			r.stepped(sim)
		}
	})
	sim.Match().OnDecision(func(d *referee.Decision) {
		if r := current(); r != nil {
			r.truth.decision(d, r.began+d.Time)
		}
	})
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		if r := current(); r != nil {
			r.level(c)
		}
	})
}

// state records a new state.
func (r *Recorder) state(sim *omnipitch.Sim, s *physics.Snapshot) {
	if r.now = s.Time; s.Step == 0 {
		r.truth.due = 0
		r.shift.Store(int64(r.began))
	}
	period := time.Duration(float64(time.Second) / r.cfg.TruthRate)
	r.truth.state(s, r.model, sim.Match().Game(), r.began+s.Time, period, r.on)
}

// stepped is called at the end of each step.
func (r *Recorder) stepped(sim *omnipitch.Sim) {
	r.states.keyFrame(sim, &r.inputs.number)
	r.turn()
}

func (r *Recorder) verdict(v expectation.Verdict) { r.truth.verdict(v, r.began+v.At) }
func (r *Recorder) level(c omnipitch.LevelChange) { r.truth.level(c, r.began+c.Stamp) }

// input records an external input.
func (r *Recorder) input(in *omnipitch.Input) {
	now := time.Duration(in.Step) * r.model.Step
	if err := r.inputs.write(in, r.began+now, now); err != nil {
		r.writer.Fail(err)
	}
}

// Topics records topics of the graph of a node while the recording is switched on. It must be called after
// Follow. Topics uses only the fields Patterns and Images of c. The caller must close the result before it closes the
// Recorder.
func (r *Recorder) Topics(node wire.Node, c recording.TopicsConfig) (*recording.Topics, error) {
	c.Now = r.arrived
	c.Off = !r.wanted.Load()
	t, err := r.writer.Topics(node, c)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.topics = append(r.topics, t)
	t.Switch(r.wanted.Load()) // Switch may have been called since t was made
	return t, nil
}

// arrived returns the log time and the publish time of a message that is received at this moment. The log time never
// decreases, so messages are read in the order in which they arrived. The code ensures this during a restart, when the
// clock and the duration of earlier episodes do not change at the same instant.
func (r *Recorder) arrived() (logTime, publishTime time.Duration) {
	r.arriving.Lock()
	defer r.arriving.Unlock()
	now := r.clock.Time()
	r.latest = max(r.latest, time.Duration(r.shift.Load())+now)
	return r.latest, now
}

// Fail ends the recording with an error, but the run continues.
func (r *Recorder) Fail(err error) { r.writer.Fail(err) }

// Discard ends the recording of a run that has not begun, and deletes the file of the recording.
func (r *Recorder) Discard() {
	r.stop()
	r.writer.Discard()
	_ = r.states.close() // an error only means that the recording has ended
}

// Close completes the recording. The run may continue after that.
func (r *Recorder) Close() error {
	r.stop()
	err := r.states.close()
	if closeErr := r.writer.Close(); closeErr != nil {
		return closeErr
	}
	return err
}

// Switch turns the recording of ground truth, topics and (with Config.Exact) exact states on or off, from the next step
// on. External inputs, and the hashes of states that are not recorded exactly, are always recorded, because a replay
// needs them. Any goroutine may call Switch. It fails if the recording has ended.
func (r *Recorder) Switch(on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writer.Err(); err != nil {
		return err
	}
	r.wanted.Store(on)
	for _, t := range r.topics {
		t.Switch(on)
	}
	return nil
}

// turn carries out what the last call of Switch asked for. It is called between two steps.
func (r *Recorder) turn() {
	on := r.wanted.Load()
	if on == r.on {
		return
	}
	r.on, r.truth.due = on, 0
	r.states.turn(on)
	r.switched(r.now)
}

// switched records that the recording was switched on or off at a sim time.
func (r *Recorder) switched(now time.Duration) {
	r.switches.message = msg.Recording{Header: msg.Header{Stamp: msg.TimeFrom(now)}, Active: r.on, Exact: r.cfg.Exact}
	r.switches.write(r.began+now, now)
}

// On returns the spans of log time in which a recording was switched on. It returns nothing for a recording that was
// never switched. If the file is damaged, On returns an error together with the spans before the damage.
func On(r *recording.Reader) (on [][2]time.Duration, err error) {
	decoder, err := NewDecoder[msg.Recording]("omnipitch_msgs/Recording")
	if err != nil {
		return nil, err
	}
	began, end := r.Span()
	is, since, switched := true, began, false
	for m, readErr := range r.All(0, recording.Topic(Switches)) {
		var s msg.Recording
		if err = readErr; err == nil {
			err = decoder.Decode(m, &s)
		}
		if err != nil {
			break
		}
		if is && !s.Active && m.LogTime > since {
			on = append(on, [2]time.Duration{since, m.LogTime})
		}
		is, since, switched = s.Active, m.LogTime, true
	}
	if is && switched {
		on = append(on, [2]time.Duration{since, end})
	}
	return on, err
}
