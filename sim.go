package omnipitch

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// ErrClosed is returned by methods of a Sim after Close.
var ErrClosed = pipeline.ErrClosed

// Options configure a Sim apart from its world. The zero value is a complete configuration.
type Options struct {
	// Renderer names the renderer of the cameras' images: one of backend.Names. Empty means backend.Auto, which
	// backend.ChooseFor explains.
	Renderer string
	// RenderEarly makes New create the renderers if a camera may need them. If false, the first image that a listener
	// wants creates them, unless that may fail.
	RenderEarly bool
	// Tracing configures the renderer backend.Reference. Other renderers ignore it.
	Tracing render.Tracing
	// NewRenderer, if not nil, makes the renderers, and Renderer is ignored. It is called for each renderer that the
	// Sim or Sensors.NewRenderer opens. It implies RenderEarly.
	NewRenderer func(*render.Scene) (render.Renderer, error)
	// Farm, if not nil, decides for each frame which process renders its images: this process, or another process with
	// a Sim of the same world (Sensors.DrawOrder). If nil, this Sim renders all images.
	Farm Farm
	// Wall is the wall clock that paces runs; nil means the machine's clock.
	Wall timesync.Wall
	// NoWorker starts no worker goroutine for the perception of cameras without images: the goroutine that steps
	// computes it. Many concurrent Sims use the processor's cores better without these goroutines. The results are the
	// same.
	NoWorker bool
	// Cache, if not nil, keeps the results of expensive computations for other Sims of similar worlds.
	Cache *Cache
	// Notify, if not nil, is called by New before each operation that may take long. Its argument is a message for
	// users.
	Notify func(text string)
	// OnVerdict, if not nil, is called by the goroutine that steps for each expectation of the world, in the step that
	// decides it. When the world restarts, it is called for each undecided expectation, with the verdict that the end
	// of the run would give.
	OnVerdict func(expectation.Verdict)
	// NewEngine, if not nil, replaces engine.New: it makes the physics engine of each world. It is called by New, and
	// again when the world restarts.
	NewEngine func(*physics.Model) (physics.Engine, error)
	// OnInput, if not nil, is called by the goroutine that steps for each external input, in the order in which inputs
	// take effect. The Input is valid only during the call, but its Action and World may be kept, since they do not
	// change. OnInput must not use the Sim. An input from a listener of a sensor is reported when the next step begins,
	// although the listener gave it while the present state was being observed.
	OnInput func(*Input)
	// OnRecord, if not nil, carries out action.Record. It switches the optional part of the run's recording on or off.
	// If it returns an error, the action fails with this error. It is called by the goroutine that carries out the
	// action, which may be any goroutine.
	OnRecord func(on bool) error
	// Replay, if not nil, replays a recorded run. It is the only source of inputs until its Over returns true. Until
	// then Do, Ask, Restart and Match.Send return ErrReplaying for everything that would change the run, and conditions
	// receive no messages from Topics.
	Replay ReplaySource
	// Topics, if not nil, delivers messages to the world's conditions on topics. If nil, such conditions never hold.
	Topics condition.Topics
}

// Cache holds immutable data that Sims of similar worlds share: the robots' appearance, the parts of a robot that hide
// the view of its own cameras, and a field's lines. The zero value is ready to use. Any goroutine may call New with it.
// The worlds of these Sims must not be changed afterwards.
type Cache struct {
	scenery scenery.Cache
	sensors sensors.Cache
}

func (o *Options) notify(format string, args ...any) {
	if o.Notify != nil {
		o.Notify(fmt.Sprintf(format, args...))
	}
}

// Sim is one running world. Its methods belong to the goroutine that calls Step or Run, which also calls all listeners
// and timers.
//
// Any goroutine may call Ask, Post, Restart, Listen, Clock, Sensors, Match and World, and may call Do within the limits
// that its comment states. The comments of the types Clock, Sensors and Match say which of their methods any goroutine
// may call.
type Sim struct {
	opts Options
	*running
	published atomic.Pointer[running] // the running world, for goroutines other than the one that steps
	engine    physics.Engine
	truth     physics.Snapshot
	clock     Clock
	inputs    inputs
	commands  *command.Queue
	match     *match.Director
	pipeline  *pipeline.Pipeline
	sensors   Sensors
	listeners listeners
	skip      skipping
	begun     bool // time 0 has been announced
}

// running holds the running world and what is made from it. A restart replaces it.
type running struct {
	world   *worlds.World
	model   *physics.Model
	scenery *scenery.Scenery
	light   *render.FadingLight // present light; belongs to the goroutine that steps
}

// listeners are functions that the goroutine that steps calls.
type listeners struct {
	step    []func(*physics.Snapshot) // with each new state
	stepEnd []func()                  // at the end of each step
}

// New makes a Sim of a world, at time 0. The world's sensors must be complete (sensors.Config.Complete), as those of
// loaded worlds are. The world must not be changed afterwards. The caller closes the Sim.
//
// New fails if the world is invalid, and reports all violations (worlds.World.Validate). It fails if the scene exceeds
// the limits of scenery.CheckCost, and if opts.Renderer is unknown. It fails with render.ErrNoContext if a camera needs
// rendered images but the machine lacks the driver.
func New(world *worlds.World, opts Options) (*Sim, error) {
	if err := errors.Join(world.Validate(), backend.Check(opts.Renderer)); err != nil {
		return nil, err
	}
	if opts.Cache == nil {
		opts.Cache = &Cache{}
	}
	opts.notify("building the scene of %d robots", len(world.Robots))
	if err := scenery.CheckCost(world); err != nil {
		return nil, err
	}
	if opts.NewEngine == nil {
		opts.NewEngine = engine.New
	}
	model := world.Model()
	engine, err := opts.NewEngine(model)
	if err != nil {
		return nil, err
	}
	s := &Sim{opts: opts, engine: engine, inputs: inputs{source: opts.Replay, told: opts.OnInput}}
	s.setWorld(world, model, opts.Cache.scenery.New(world, model))
	s.clock.init(opts.Wall, &world.Time, &s.truth)
	s.commands = command.New(model, s.clock.wall, s.clock.gate.Command)
	s.match = match.New(directed{s})
	if opts.OnVerdict != nil {
		s.Match().OnVerdict(opts.OnVerdict)
	}
	s.engine.Snapshot(&s.truth)
	if err = s.addSensors(); err == nil {
		err = s.enter()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.assumeConnections()
	return s, nil
}

// setWorld replaces the running world, its physics model and its scenery.
func (s *Sim) setWorld(world *worlds.World, model *physics.Model, looks *scenery.Scenery) {
	s.running = &running{world, model, looks, render.NewFadingLight(world.Light)}
	s.published.Store(s.running)
}

// enter runs what happens at time 0, for a new Sim and after a restart.
func (s *Sim) enter() error {
	s.begun = false
	if s.opts.Farm != nil {
		s.opts.Farm.Begin(s, s.world)
	}
	if s.mayRender() && s.rendersEarly() {
		s.opts.notify("starting the renderer")
		if err := s.sensors.Open(); err != nil {
			return err
		}
	}
	if err := s.match.Begin(s.world, s.model); err != nil {
		return err
	}
	if err := s.commands.StartPlayers(s.world.Robots); err != nil {
		return err
	}
	return s.match.Happen()
}

// Restart restarts the world at time 0, before the next step. The Sim then does exactly what a new Sim of the world
// would do. Listeners, timers and connections stay. Commands given before the call and observations that are not yet
// delivered are dropped.
//
// The argument is the world to start. If it is nil, the running world starts again. It may be another world, such as
// the same files with another seed (worlds.World.WithSeed). Restart fails, and changes nothing, if the world is
// invalid. It also fails if the world differs from the running world in a property that robots' programs rely on: the
// step, the rate of the clock, the robots that lockstep waits for, or the robots with their sensors, radio topics and
// ROS names. Levels of sensors may differ. Restart returns ErrClosed after Close, and ErrReplaying during a replay. Any
// goroutine may call it.
func (s *Sim) Restart(world *worlds.World) error {
	if err := s.accepts(); err != nil {
		return err
	}
	if world == nil {
		world = s.World()
	} else if err := s.canRestart(world); err != nil {
		return err
	}
	s.inputs.mu.Lock()
	s.restartNext(world)
	if s.inputs.told != nil {
		s.inputs.done = append(s.inputs.done, Input{World: world})
	}
	s.inputs.mu.Unlock()
	s.clock.Poke()
	return nil
}

// restartNext sets the world with which the next step restarts the Sim.
func (s *Sim) restartNext(world *worlds.World) {
	s.dropPending()
	s.inputs.world.Store(world)
}

// dropPending drops the commands, radio messages and restarts that no step has taken.
func (s *Sim) dropPending() {
	s.commands.Forget()
	s.match.DropMessages()
	s.inputs.world.Store(nil)
}

// canRestart returns an error if the running Sim cannot restart with the given world.
func (s *Sim) canRestart(world *worlds.World) error {
	if err := errors.Join(world.Validate(), scenery.CheckCost(world)); err != nil {
		return err
	}
	return world.Replaces(s.World())
}

// prepare runs between two steps, in the goroutine that steps. It applies the inputs that have arrived since the last
// step, as inputs of the next step. If Restart has been called, prepare restarts the world and announces the state at
// time 0, so that robots can answer this state before the first step.
func (s *Sim) prepare() error {
	if s.isClosed() {
		return nil
	}
	if err := s.beforeStep(); err != nil {
		return err
	}
	return s.takeBeforeStep()
}

// takeBeforeStep applies the inputs of the moment BeforeStep. If they restart the world, it announces the state at
// time 0.
func (s *Sim) takeBeforeStep() error {
	for {
		if err := s.takeInputs(BeforeStep); err != nil || s.inputs.world.Load() == nil { // as in nearly every step
			return err
		}
		if s.inputs.closed() && s.truth.Step == 0 && s.inputs.source.Steps() > 0 {
			return nil // the recorded run took the restart while it announced time 0, and a step before it restarted
		}
		if err := s.withoutInputs(BeforeStep, func() error { return s.restart(s.inputs.world.Swap(nil)) }); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
		if err := s.announceStart(); err != nil || !s.inputs.closed() {
			return err
		}
		// A recorded run that was paused after its restart may have further inputs before its first step.
	}
}

func (s *Sim) restart(world *worlds.World) error {
	if s.begun { // before that, there are no expectations to judge
		s.match.End() // must come before NewEngine, which starts a new part of a recording
	}
	model := world.Model()
	engine, err := s.opts.NewEngine(model)
	if err != nil {
		return err
	}
	s.engine.Close()
	s.engine = engine
	looks := s.scenery
	if s.world.SameAppearance(world) {
		looks.Reset()
	} else {
		looks = s.opts.Cache.scenery.New(world, model)
	}
	s.setWorld(world, model, looks)
	engine.Snapshot(&s.truth)
	s.jump()
	s.clock.ticks.init(world.Time.ClockRate)
	s.commands.Restart(model)
	if err := s.restartSensors(); err != nil {
		return err
	}
	return s.enter()
}

// World returns the running world. The caller must not change it. A restart may replace the running world by another
// one. Any goroutine may call World.
func (s *Sim) World() *worlds.World { return s.published.Load().world }

// Truth returns the present state: the ground truth of all bodies. The Snapshot is valid until the next step.
func (s *Sim) Truth() *physics.Snapshot { return &s.truth }

// OnStep registers f, which is called with the new state in every step, before sensors observe it. The first step, and
// the first step after a restart, also call f with the state at time 0, before anything moves. The state is valid only
// during the call of f. OnStep must be called before the first step.
func (s *Sim) OnStep(f func(*physics.Snapshot)) { s.listeners.step = append(s.listeners.step, f) }

// Listen adds a listener to a sensor and returns a function that removes it. It fails if there is no such sensor. Any
// goroutine may call Listen and the returned function. The goroutine that steps calls the listener.
func (s *Sim) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	return s.sensors.Listen(robot, sensor, l)
}

// Match is the part of a Sim's API for teams and the game: the game and its referee, the coach, the world's events and
// expectations, the radio between teammates, and the connections of the robots' programs. The comment of the embedded
// type says which of its methods any goroutine may call. Any goroutine may call Wired. PlayerWaypoints belongs to the
// goroutine that steps.
type Match struct {
	match.Match
	sim *Sim
}

// Match returns the part of the API for teams and the game.
func (s *Sim) Match() Match { return Match{s.match.Match(), s} }

// Wired reports whether a robot is connected to its programs. Actions CutWires and RestoreWires disconnect and connect
// a robot. Wires accept no commands for a disconnected robot, and deliver none of its observations.
func (m Match) Wired(robot string) bool { return m.sim.commands.Wired(robot) }

// PlayerWaypoints appends the next waypoints of a robot's scripted player to a slice, and returns the longer slice. The
// waypoints are in driving order: x and y in W, in m. It appends nothing for a robot without a scripted player. The
// robot is given by its index in the model.
func (m Match) PlayerWaypoints(robot int, into []mgl64.Vec2) []mgl64.Vec2 {
	return m.sim.commands.Waypoints(robot, &m.sim.truth, into)
}

// Sensors returns the part of the API for the robots' sensors and the rendered scene.
func (s *Sim) Sensors() *Sensors { return &s.sensors }

// Clock returns the clock of sim time. Any goroutine may pause, resume and single-step it while Run runs.
func (s *Sim) Clock() *Clock { return &s.clock }

// Close stops all goroutines of the Sim, and releases its renderers and engine. Afterwards, requests by other
// goroutines return ErrClosed. Close may be called more than once.
func (s *Sim) Close() {
	s.commands.Close()
	if s.pipeline != nil {
		s.pipeline.Close()
	}
	s.engine.Close()
}

func (s *Sim) isClosed() bool {
	select {
	case <-s.commands.Closed():
		return true
	default:
		return false
	}
}
