package omnipitch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// ErrClosed is returned by methods of a Sim after Close.
var ErrClosed = pipeline.ErrClosed

// Options configure a Sim apart from its world. The zero value is a complete configuration.
type Options struct {
	// Renderer names the renderer of the cameras' images: one of backend.Names. Empty means backend.Auto.
	Renderer string
	// Tracing configures the renderer backend.Reference. Other renderers ignore it.
	Tracing render.Tracing
	// NewRenderer, if not nil, makes the renderers, and Renderer is ignored. It is called for each renderer that the
	// Sim or Sensors.NewRenderer opens. The Sim opens its first renderer when a camera needs it.
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
	// take effect. The Input is valid only during the call. Its Action and World may be kept, since they do not change.
	// The Sim must not be used during the call. Inputs from listeners are reported when the next step begins, even if
	// sensors were still observing the present state.
	OnInput func(*Input)
	// OnRecord, if not nil, carries out action.Record: it switches the optional part of the run's recording on or off.
	// The action fails with the error that OnRecord returns. Any goroutine may do the action, and it calls OnRecord.
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
// Any goroutine may call Do (see there), Ask, Restart, Listen, After, Every, Lockstep, Clock, Sensors, Match and World.
// The comments of the types Clock, Sensors and Match say which of their methods any goroutine may call.
type Sim struct {
	opts      Options
	world     *worlds.World // only the goroutine that steps uses world, model and scenery
	model     *physics.Model
	published atomic.Pointer[published] // copies of world, model and scenery for other goroutines
	engine    physics.Engine
	settle    func() bool // physics.Settler.Settle of the engine; nil if the engine is no Settler
	inputs    inputs
	skip      skipping
	scenery   *scenery.Scenery
	light     *render.FadingLight
	pipeline  *pipeline.Pipeline
	sensors   Sensors
	commands  commands
	events    events
	happened  []int // indices of the events that have happened in the present step
	judge     *expectation.Judge
	radios    radios
	people    people
	coach     coach.Coach
	unlisten  []func()             // functions that remove the listeners and subscriptions of conditions
	eachStep  []func()             // functions that conditions call for each new state
	kept      []keyframe.Exchanger // memory of conditions
	truth     physics.Snapshot
	officials officials
	begun     bool // time 0 has been announced
	onStep    []func(*physics.Snapshot)
	onStepEnd []func()
	onEvent   []func(*worlds.Event)
	onVerdict []func(expectation.Verdict)
	clock     Clock
	again     atomic.Pointer[worlds.World] // the world that starts before the next step; nil: no restart is pending
}

// published is the running world, for goroutines other than the one that steps.
type published struct {
	world   *worlds.World
	model   *physics.Model
	scenery *scenery.Scenery
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
	s := &Sim{opts: opts, inputs: inputs{source: opts.Replay, told: opts.OnInput}}
	s.setEngine(engine)
	s.setWorld(world, model, opts.Cache.scenery.New(world, model))
	s.clock.init(opts.Wall, &world.Time, &s.truth)
	s.commands.init(model, s.clock.wall, s.clock.gate.Command)
	engine.Snapshot(&s.truth)
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

// setWorld makes a world the running world, with its model and its scenery, the argument looks.
func (s *Sim) setWorld(world *worlds.World, model *physics.Model, looks *scenery.Scenery) {
	s.world, s.model, s.scenery, s.light = world, model, looks, render.NewFadingLight(world.Light)
	s.people = newPeople(world)
	s.published.Store(&published{world, model, looks})
}

// enter runs what happens at time 0, for a new Sim and after a restart.
func (s *Sim) enter() error {
	s.begun = false
	if s.opts.Farm != nil {
		s.opts.Farm.Begin(s, s.world)
	}
	s.officials.begin(s.world, s.model, s.truth.Ball.PosW)
	s.radios.begin(s.world)
	s.coach = coach.Coach{}
	if s.mayRender() {
		s.opts.notify("starting the renderer")
		if err := s.pipeline.Open(); err != nil {
			return err
		}
	}
	if err := s.bindConditions(); err != nil {
		return err
	}
	if err := s.commands.startPlayers(s.world.Robots); err != nil {
		return err
	}
	return s.happen()
}

// setEngine makes an engine the one that moves the bodies.
func (s *Sim) setEngine(engine physics.Engine) {
	s.engine, s.settle = engine, nil
	if e, ok := engine.(physics.Settler); ok {
		s.settle = e.Settle
	}
}

// World returns the running world. The caller must not change it. After Restart, World may return another world. Any
// goroutine may call World.
func (s *Sim) World() *worlds.World { return s.published.Load().world }

// Truth returns the present state: the ground truth of all bodies. The Snapshot is valid until the next step.
func (s *Sim) Truth() *physics.Snapshot { return &s.truth }

// OnStep registers f, which is called with the new state in every step, before sensors observe it. The first step, and
// the first step after a restart, also call f with the state at time 0, before anything moves. The state is valid only
// during the call of f. OnStep must be called before the first step.
func (s *Sim) OnStep(f func(*physics.Snapshot)) { s.onStep = append(s.onStep, f) }

// Step advances the world by one step: it takes the robots' commands, moves all bodies, carries out events, judges
// expectations, captures the sensors that are due, and delivers the observations that are due. The first step, and the
// first step after Restart, begins with the state at time 0, which listeners and sensors receive before anything moves.
// Step returns ErrClosed after Close. After any error the Sim can only be closed.
func (s *Sim) Step() error {
	if err := s.prepare(); err != nil {
		return err
	}
	return s.advance()
}

// advance takes one step of the present world. Unlike Step it does not restart the world.
func (s *Sim) advance() error {
	if s.commands.isClosed() {
		return ErrClosed
	}
	s.clock.work = timesync.Work{}
	if err := s.announceStart(); err != nil {
		return err
	}
	if err := s.takeInputs(AsStepped); err != nil {
		return err
	}
	s.officials.roster.ClearCommands(s.commands.taken)
	if err := s.walkOn(); err != nil {
		return err
	}
	begun := s.clock.spent(0, nil)
	if err := s.engine.Step(s.commands.taken); err != nil {
		return fmt.Errorf("at %v: %w", s.truth.Time, err)
	}
	s.engine.Snapshot(&s.truth)
	s.clock.spent(begun, &s.clock.cost.Physics)
	if !s.hidden() {
		s.clock.Tick()
	}
	s.pipeline.TurnHeads(s.world.Time.Step)
	if s.light.Advance(s.world.Time.Step) {
		s.relight()
	}
	if err := s.withoutInputs(BeforeEvents, s.happen); err != nil {
		return err
	}
	s.clock.publish(s.hidden())
	s.commands.answer(&s.truth)
	s.deliverRadio()
	if !s.hidden() {
		s.clock.timers.Fire(s.truth.Time)
	}
	if err := s.announce(); err != nil || s.hidden() {
		return err
	}
	for _, f := range s.onStepEnd {
		f()
	}
	return nil
}

// announceStart announces the state at time 0, or does nothing if this has been done. Robots may answer this
// announcement before the first step.
func (s *Sim) announceStart() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.clock.publish(s.hidden())
	return s.announce()
}

// announce passes the present state to listeners and sensors. It first takes the inputs of the moment AfterEvents.
// After these inputs nothing changes the state until the next step.
func (s *Sim) announce() error {
	if err := s.takeInputs(AfterEvents); err != nil {
		return err
	}
	if s.settle != nil && s.settle() {
		s.engine.Snapshot(&s.truth)
		s.pipeline.Moved()
	}
	s.judge.Step()
	if !s.hidden() {
		s.tellEvents()
		s.officials.announce()
		for _, f := range s.onStep {
			f(&s.truth)
		}
	}
	s.skipFrames()
	begun := s.clock.spent(0, nil)
	work, err := s.pipeline.Step(s.clock.jobDone())
	s.clock.spent(begun, &s.clock.cost.Sensors)
	s.clock.addWork(work)
	return err
}

// Listen adds a listener to a sensor and returns a function that removes it. It fails if there is no such sensor. Any
// goroutine may call Listen and the returned function. The goroutine that steps calls the listener.
func (s *Sim) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	return s.sensors.Listen(robot, sensor, l)
}

// Sensors returns the part of the API for the robots' sensors and the rendered scene.
func (s *Sim) Sensors() *Sensors { return &s.sensors }

// Clock returns the clock of sim time. Any goroutine may pause, resume and single-step it while Run runs.
func (s *Sim) Clock() *Clock { return &s.clock }

// After starts a timer: it calls f once when the sim time d has passed. The call is made in the first step that reaches
// this time, before the observations of the step are delivered. The argument of f is the exact sim time at which the
// call was due, so that timers do not drift with the length of a step. The step waits for f to return, so f should be
// short. If d is not positive while Run is paused, f is called without waiting for a step.
//
// The returned function stops the timer. Any goroutine may call After and the returned function; the goroutine that
// steps calls f. Programs that receive their clock over a wire use the timers of timesync.Client instead.
func (s *Sim) After(d time.Duration, f func(due time.Duration)) (stop func()) {
	stop = s.clock.timers.Add(s.clock.Clock, max(d, 0), 0, f)
	if d <= 0 {
		s.clock.Poke()
	}
	return stop
}

// Every starts a timer that calls f once for each period of sim time that has passed, in the same way as After. It
// panics if the period is not positive.
func (s *Sim) Every(period time.Duration, f func(due time.Duration)) (stop func()) {
	if period <= 0 {
		panic("omnipitch: period must be positive")
	}
	return s.clock.timers.Add(s.clock.Clock, period, period, f)
}

// Close stops all goroutines of the Sim, and releases its renderers and engine. Afterwards, requests by other
// goroutines return ErrClosed. Close may be called more than once.
func (s *Sim) Close() {
	s.commands.close()
	if s.pipeline != nil {
		s.pipeline.Close()
	}
	s.engine.Close()
}
