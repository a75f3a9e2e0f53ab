package omnipitch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
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
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
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
	// Between, if not nil, is called by the goroutine that steps before each step, and while a run is paused whenever
	// Clock is poked: a replay skips to another moment then. Step returns its error; Run ends without one when it is
	// ErrEnd, and takes no step when it is ErrHold. It is not called while it runs.
	Between func() error
	// Inputs, if not nil, are what comes from outside, until they are over: until then, Do, Ask and Restart return
	// ErrReplaying for whatever would change the run, and nothing comes on Topics.
	Inputs InputSource
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

// Sim is one running world.
type Sim struct {
	opts      Options
	world     *worlds.World // this, model and scenery belong to the goroutine that steps
	model     *physics.Model
	shared    atomic.Pointer[stage] // the same for others
	engine    physics.Engine
	settle    func() bool // of the engine, if it settles
	inputs    inputs
	skip      skipping
	scenery   *scenery.Scenery
	light     *render.FadingLight
	drawing   drawing
	sensors   *pipeline.Pipeline
	commands  commands
	timers    timers
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
	clockOut  clockOutput
	timing    timing
	again     atomic.Pointer[worlds.World] // that Restart was called with
}

// stage is the world that goes on.
type stage struct {
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
	s := &Sim{opts: opts, inputs: inputs{source: opts.Inputs, told: opts.OnInput}}
	s.setEngine(engine)
	s.setWorld(world, model, opts.Cache.scenery.New(world, model))
	s.timing.init(opts.Wall, &world.Time)
	s.clockOut.init(world.Time.ClockRate)
	s.commands.init(model, s.timing.wall, s.timing.gate.Command)
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
	s.shared.Store(&stage{world, model, looks})
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
		if err := s.sensors.Open(); err != nil {
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

// addSensors makes the sensors of all robots.
func (s *Sim) addSensors() error {
	s.sensors = pipeline.New(s.sensing())
	made, err := s.newSensors()
	if err != nil {
		return err
	}
	for r := range s.world.Robots {
		robot := &s.world.Robots[r]
		for range robot.Sensors {
			s.sensors.Add(r, robot.Name, made[0])
			made = made[1:]
		}
	}
	s.sensors.Ready()
	return nil
}

// sensing is what the pipeline runs the sensors in.
func (s *Sim) sensing() pipeline.Config {
	scene := s.scenery.Scene
	bodies := s.scenery.Bodies(s.world.Light.Brightness())
	bodies.Cache = &s.opts.Cache.sensors
	return pipeline.Config{
		State: &s.truth, Gravity: s.world.Physics.Gravity, Seed: s.world.Seed, Wall: s.timing.wall,
		NoWorker: s.opts.NoWorker, Farm: s.opts.Farm,
		Targets: sensors.NewTargets(s.model, bodies),
		Scene:   scene, Field: &scene.Bodies[s.scenery.Field()], Poses: s.scenery.Poses, Shading: s.scenery.Shading,
		NewRenderer: func() (render.Renderer, error) { return s.newRenderer(scene) },
		Due:         s.owe, Delivered: s.commands.observed,
	}
}

// newSensors makes the sensors of all robots, in their order.
func (s *Sim) newSensors() (made []sensors.Sensor, err error) {
	for r := range s.world.Robots {
		robot := &s.world.Robots[r]
		for i := range robot.Sensors {
			cfg := robot.Sensors[i]
			site := s.scenery.Site(r, robot.Sensors, i)
			site.Seed, site.Cache = s.world.Seed, &s.opts.Cache.sensors
			sensor, err := sensors.New(&cfg, site)
			if err != nil {
				return nil, fmt.Errorf("robot %s: %w", robot.Name, err)
			}
			made = append(made, sensor)
		}
	}
	return made, nil
}

// mayRender tells whether the world itself asks for rendered cameras, now or by an event.
func (s *Sim) mayRender() bool {
	for i := range s.world.Robots {
		for _, c := range s.world.Robots[i].Sensors {
			if s.sensors.Renders(s.world.Robots[i].Name, c.Name, c.Level) {
				return true
			}
		}
	}
	for i := range s.world.Events {
		if l := s.world.Events[i].SetLevel; l != nil && s.sensors.Renders(l.Robot, l.Sensor, l.Level) {
			return true
		}
	}
	return false
}

// World returns the world that runs; it must not be changed. Restart may set another.
func (s *Sim) World() *worlds.World { return s.shared.Load().world }

// Scenery returns what there is to be seen. Its Scene does not change; Poses and Shading belong to the goroutine that
// steps.
func (s *Sim) Scenery() *scenery.Scenery { return s.shared.Load().scenery }

// Time returns the sim time of the present state. It belongs to the goroutine that steps; others ask the Clock.
func (s *Sim) Time() time.Duration { return s.truth.Time }

// Truth returns the present state. It is valid until the next Step, for the goroutine that steps.
func (s *Sim) Truth() *physics.Snapshot { return &s.truth }

// Game returns the present state of the game. It belongs to the goroutine that steps.
func (s *Sim) Game() game.State { return s.officials.game.State() }

// Brightness returns that of the hall's light and its lamps now. It belongs to the goroutine that steps.
func (s *Sim) Brightness() render.Brightness { return s.light.Brightness() }

// Standings returns whether each robot is on the field, in the model's order. They belong to the goroutine that steps,
// and are valid until the next step.
func (s *Sim) Standings() []game.Standing { return s.officials.roster.Standings() }

// Coach returns what a team's robots are told, and false while nobody has commanded the game or told a team anything.
// It belongs to the goroutine that steps.
func (s *Sim) Coach(team physics.Team) (coach.Info, bool) {
	return s.coach.Info(team), s.coach.Speaks()
}

// OnStep calls f with the state at time 0, when the first step begins, and after every step with the new one, which is
// valid during the call.
func (s *Sim) OnStep(f func(*physics.Snapshot)) { s.onStep = append(s.onStep, f) }

// OnDecision calls f with each decision of the world's automatic referee, in the step that it rests on, when its orders
// have been carried out and before the functions of OnStep. What it is given may be kept.
func (s *Sim) OnDecision(f func(*referee.Decision)) {
	s.officials.onDecision = append(s.officials.onDecision, f)
}

// OnStepEnd calls f at the end of every step, when the observations that are due have been delivered: between two
// steps.
func (s *Sim) OnStepEnd(f func()) { s.onStepEnd = append(s.onStepEnd, f) }

// Step advances the world by one step, has the events done that happen then, judges what is expected, and delivers what
// is due. The first one begins with the same for time 0, whose events New has had done, and so does the first one after
// Restart. After an error the Sim can only be closed.
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
	s.timing.work = timesync.Work{}
	if err := s.begin(); err != nil {
		return err
	}
	if err := s.takeInputs(AsStepped); err != nil {
		return err
	}
	s.officials.roster.Cut(s.commands.taken)
	if err := s.walkOn(); err != nil {
		return err
	}
	begun := s.timing.spent(0, nil)
	if err := s.engine.Step(s.commands.taken); err != nil {
		return fmt.Errorf("at %v: %w", s.truth.Time, err)
	}
	s.engine.Snapshot(&s.truth)
	s.timing.spent(begun, &s.timing.cost.Physics)
	if !s.unseen() {
		s.timing.clock.Tick()
	}
	s.sensors.TurnHeads(s.world.Time.Step)
	if s.light.Advance(s.world.Time.Step) {
		s.relight()
	}
	if err := s.withoutInputs(BeforeEvents, s.happen); err != nil {
		return err
	}
	s.publishClock()
	s.commands.answer(&s.truth)
	s.deliverRadio()
	if !s.unseen() {
		s.timers.fire(s.truth.Time)
	}
	if err := s.announce(); err != nil || s.unseen() {
		return err
	}
	for _, f := range s.onStepEnd {
		f()
	}
	return nil
}

// begin announces time 0, once: what follows may be answered before the first step.
func (s *Sim) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.publishClock()
	return s.announce()
}

// announce shows the present state to listeners and sensors: nothing changes it from here to the next step.
func (s *Sim) announce() error {
	if err := s.takeInputs(AfterEvents); err != nil {
		return err
	}
	if s.settle != nil && s.settle() {
		s.engine.Snapshot(&s.truth)
		s.sensors.Moved()
	}
	s.judge.Step()
	if !s.unseen() {
		s.tellEvents()
		s.officials.announce()
		for _, f := range s.onStep {
			f(&s.truth)
		}
	}
	s.skipSensors()
	begun := s.timing.spent(0, nil)
	work, err := s.sensors.Step(s.timing.drawn())
	s.timing.spent(begun, &s.timing.cost.Sensors)
	s.timing.add(work)
	return err
}

// Listen adds a listener to a sensor and returns how to remove it. Both may be called from any goroutine.
func (s *Sim) Listen(robot, sensor string, l Listener) (remove func(), err error) {
	return s.sensors.Listen(robot, sensor, l)
}

// Listener gets a sensor's observations.
type Listener = pipeline.Listener

// LevelChange is a sensor's first frame at a level.
type LevelChange = pipeline.LevelChange

// OnEvent calls f with each event of the world that happens, in the step in which it does, when its action has been
// done and before the functions of OnStep. The event must not be changed.
func (s *Sim) OnEvent(f func(*worlds.Event)) { s.onEvent = append(s.onEvent, f) }

// OnVerdict calls f for each expectation of the world, when Options.OnVerdict is called, and after it.
func (s *Sim) OnVerdict(f func(expectation.Verdict)) { s.onVerdict = append(s.onVerdict, f) }

// OnFault calls f with each sensor that is broken, or healed by an empty fault, whoever does it: frames have the fault
// from the present state on. A world that begins again heals all of its sensors, and says nothing of it.
func (s *Sim) OnFault(f func(robot, sensor string, fault sensors.Fault)) { s.sensors.OnFault(f) }

// Expectations returns how far those of the world have come, in their order. It belongs to the goroutine that steps.
func (s *Sim) Expectations() []expectation.Progress { return s.judge.Progress() }

// OnLevel calls f for every sensor's first frame, and for the first one at another level after each switch: who was at
// which level when. Frames that no listener wanted count too.
func (s *Sim) OnLevel(f func(LevelChange)) { s.sensors.OnLevel(f) }

// Level returns the level of a sensor's next frame. It may be called from any goroutine.
func (s *Sim) Level(robot, sensor string) (abstraction.Level, error) {
	return s.sensors.Level(robot, sensor)
}

// Camera returns a camera, to project into its images.
func (s *Sim) Camera(robot, sensor string) (*sensors.Camera, bool) {
	return s.sensors.Camera(robot, sensor)
}

// Sensors returns what each sensor has delivered since Run was called. It belongs to the goroutine that steps.
func (s *Sim) Sensors() []pipeline.Report { return s.sensors.Reports(s.truth.Time) }

// MeasureSensors has the cost of sensors' frames measured, or no longer. It may be called from any goroutine.
func (s *Sim) MeasureSensors(on bool) { s.sensors.Measure(on) }

// Capture returns what a camera would deliver of the present state at a level, at once and off its schedule, which it
// leaves as it was. The caller releases it. It belongs to the goroutine that steps.
func (s *Sim) Capture(robot, sensor string, level abstraction.Level) (*sensors.Observation, error) {
	return s.CaptureOverlaid(robot, sensor, level, 0)
}

// CaptureOverlaid is Capture, with so much of an Overlay.
func (s *Sim) CaptureOverlaid(robot, sensor string, level abstraction.Level,
	parts sensors.OverlayParts) (*sensors.Observation, error) {
	if s.commands.isClosed() {
		return nil, ErrClosed
	}
	return s.sensors.CaptureOverlaid(robot, sensor, level, parts)
}

// Plug puts a sensor of your own on a robot. Only the name, rate, phase, latency and jitter of cfg are used; its level
// is raw. It is listened to, switched and reported like all others, and changes none of them. It must be called before
// other goroutines use the Sim.
func (s *Sim) Plug(robot string, cfg sensors.Config, own sensors.Own) error {
	for r := range s.world.Robots {
		if s.world.Robots[r].Name == robot {
			return s.sensors.Plug(r, robot, cfg, own)
		}
	}
	return fmt.Errorf("robot = %q: there is no such robot", robot)
}

// PlugLevel adds a level of your own to a sensor, to be switched to like its others. What own returns is the
// observation's Reading. It must be called before other goroutines use the Sim.
func (s *Sim) PlugLevel(robot, sensor string, level abstraction.Level, own sensors.Own) error {
	return s.sensors.PlugLevel(robot, sensor, level, own)
}

// Close ends everything the Sim started, and requests of other goroutines return ErrClosed from then on. It belongs to
// the goroutine that steps, and may be called more than once.
func (s *Sim) Close() {
	s.commands.close()
	if s.sensors != nil {
		s.sensors.Close()
	}
	s.engine.Close()
}

// Look has a sensor of a replay deliver at another level than it had, from its next frame on, or until the recorded run
// switches it or RestoreKeyFrame is called: what is drawn anew changes no body whose exact states are played. It
// belongs to the goroutine that steps, and fails for a run.
func (s *Sim) Look(robot, sensor string, level abstraction.Level) error {
	if !s.inputs.closed() {
		return errors.New("a run has levels, which an action sets")
	}
	return s.sensors.Set(robot, sensor, &level, nil)
}
