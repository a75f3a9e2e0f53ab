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

// ErrClosed is returned by requests to a Sim that has been closed.
var ErrClosed = pipeline.ErrClosed

// Options are choices that belong to no world.
type Options struct {
	// Renderer is what draws the cameras' images: one of backend.Names; empty is backend.Auto.
	Renderer string
	// Tracing is how backend.Reference draws.
	Tracing render.Tracing
	// NewRenderer, if not nil, makes the renderers in its place, when the first camera needs one.
	NewRenderer func(*render.Scene) (render.Renderer, error)
	// Farm, if not nil, decides who draws the images of frames that are due: this Sim, or others of the same world
	// (DrawOrder).
	Farm Farm
	// Wall is the clock that runs are paced by; nil is the machine's.
	Wall timesync.Wall
	// NoWorker has the goroutine that steps compute what cameras without images perceive, without a worker beside it:
	// many Sims that run at once use the cores better so. The results are the same.
	NoWorker bool
	// Cache, if not nil, keeps what takes long to make, for the next Sim of a world that is alike in some of it.
	Cache *Cache
	// Notify, if not nil, is called by New before what may take long, with a text for users.
	Notify func(text string)
	// OnVerdict, if not nil, is called by the goroutine that steps for each expectation of the world in the step that
	// decides it; for those that none has decided when the world begins again, then: with the verdicts that the end of
	// the run would bring.
	OnVerdict func(expectation.Verdict)
	// NewEngine, if not nil, makes the engines of its worlds, in place of engine.New.
	NewEngine func(*physics.Model) (physics.Engine, error)
	// OnInput, if not nil, is told by the goroutine that steps of all that comes from outside of the world, in the
	// order in which it takes effect. An Input is valid during the call, in which the Sim must not be used; its Action
	// and World do not change. What listeners do with a state while sensors still observe it is told as if it had been
	// done after that.
	OnInput func(*Input)
	// OnRecord, if not nil, is called by action.Record, from any goroutine: it switches what the run's recording shows
	// on or off, or fails.
	OnRecord func(on bool) error
	// Replay, if not nil, replays a recorded run, which is the source of all inputs until it is over. Until then Do,
	// Ask and Restart return ErrReplaying for everything that would change the run, and nothing arrives on Topics.
	Replay ReplaySource
	// Topics, if not nil, bring messages to conditions on topics; else those never hold.
	Topics condition.Topics
}

// Cache is what Sims of like worlds share: how robots look, what cameras on them can see of them, a field's lines. None
// of it changes. The zero value is ready, and Sims may be made with it in any goroutine, of worlds that are not changed
// afterwards.
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
// and timers. Do, Ask, Restart, Listen, After, Every, Clock, Sensors, Match and World may be called from any goroutine.
// The types that Clock, Sensors and Match return say which of their own methods may.
type Sim struct {
	opts      Options
	world     *worlds.World // this, model and scenery belong to the goroutine that steps
	model     *physics.Model
	published atomic.Pointer[published] // the same for others
	engine    physics.Engine
	settle    func() bool // of the engine, if it settles
	inputs    inputs
	skip      skipping
	scenery   *scenery.Scenery
	light     *render.FadingLight
	pipeline  *pipeline.Pipeline
	sensors   Sensors
	commands  commands
	events    events
	happened  []int // events, by their indices, in the present step
	judge     *expectation.Judge
	radios    radios
	people    people
	coach     coach.Coach
	unlisten  []func()             // of conditions
	eachStep  []func()             // of conditions
	kept      []keyframe.Exchanger // of conditions
	truth     physics.Snapshot
	officials officials
	begun     bool // time 0 has been announced
	onStep    []func(*physics.Snapshot)
	onStepEnd []func()
	onEvent   []func(*worlds.Event)
	onVerdict []func(expectation.Verdict)
	clock     Clock
	again     atomic.Pointer[worlds.World] // that Restart was called with
}

// published is the running world for goroutines that do not step.
type published struct {
	world   *worlds.World
	model   *physics.Model
	scenery *scenery.Scenery
}

// New builds a world, whose sensors are complete (sensors.Config.Complete). It fails when the world is invalid, with
// every rule that it breaks (worlds.World.Validate), when it shows more than scenery.CheckCost lets it, or when a
// camera is to be rendered and the machine lacks the driver (render.ErrNoContext).
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

// setWorld sets which world goes on.
func (s *Sim) setWorld(world *worlds.World, model *physics.Model, looks *scenery.Scenery) {
	s.world, s.model, s.scenery, s.light = world, model, looks, render.NewFadingLight(world.Light)
	s.people = newPeople(world)
	s.published.Store(&published{world, model, looks})
}

// enter has done what time 0 begins with: of a new Sim, and of one that begins again.
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

// setEngine sets which engine moves bodies.
func (s *Sim) setEngine(engine physics.Engine) {
	s.engine, s.settle = engine, nil
	if e, ok := engine.(physics.Settler); ok {
		s.settle = e.Settle
	}
}

// World returns the running world, which must not be changed. Restart may replace it. Any goroutine may call it.
func (s *Sim) World() *worlds.World { return s.published.Load().world }

// Truth returns the present state, which is valid until the next step.
func (s *Sim) Truth() *physics.Snapshot { return &s.truth }

// OnStep calls f with the state at time 0, when the first step begins, and with the new state after every step. The
// state is valid during the call. OnStep must be called before the first step.
func (s *Sim) OnStep(f func(*physics.Snapshot)) { s.onStep = append(s.onStep, f) }

// Step advances the world by one step: it takes commands, moves bodies, carries out events, judges expectations,
// captures sensors that are due and delivers observations that are due. The first step, and the first one after
// Restart, begins by showing time 0 to listeners and sensors. After an error the Sim can only be closed.
func (s *Sim) Step() error {
	if err := s.prepare(); err != nil {
		return err
	}
	return s.advance()
}

// advance is Step in the world as it is.
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

// begin announces time 0, once: what follows may be answered before the first step.
func (s *Sim) announceStart() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.clock.publish(s.hidden())
	return s.announce()
}

// announce shows the present state to listeners and sensors: nothing changes it from here to the next step.
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

// Listen adds a listener to a sensor and returns a function that removes it. Both may be called from any goroutine.
func (s *Sim) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	return s.sensors.Listen(robot, sensor, l)
}

// Sensors returns the sensors of the robots, and what their cameras see.
func (s *Sim) Sensors() *Sensors { return &s.sensors }

// Clock returns the world's clock, which any goroutine may pause, resume and step while Run runs.
func (s *Sim) Clock() *Clock { return &s.clock }

// After calls f once, at the end of the first step by which d of sim time has passed, before that step's observations
// are delivered. f receives the time at which it was due, so that timers are exact at any speed. f should be short. If
// d is not positive and the run is paused, f is called at once. Any goroutine may call After and stop; the goroutine
// that steps calls f. Programs that follow a clock over a wire have timers in timesync.Client.
func (s *Sim) After(d time.Duration, f func(due time.Duration)) (stop func()) {
	stop = s.clock.timers.Add(s.clock.Clock, max(d, 0), 0, f)
	if d <= 0 {
		s.clock.Poke()
	}
	return stop
}

// Every calls f at the end of a step once for each period that has passed, like After. It panics unless the period is
// positive.
func (s *Sim) Every(period time.Duration, f func(due time.Duration)) (stop func()) {
	if period <= 0 {
		panic("omnipitch: period must be positive")
	}
	return s.clock.timers.Add(s.clock.Clock, period, period, f)
}

// Close ends everything that the Sim started. From then on requests of other goroutines return ErrClosed. It may be
// called more than once.
func (s *Sim) Close() {
	s.commands.close()
	if s.pipeline != nil {
		s.pipeline.Close()
	}
	s.engine.Close()
}
