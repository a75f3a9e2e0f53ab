package omnipitch

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/ode"
	"github.com/omnipitch/omnipitch/physics/planar"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Options are choices that belong to no world.
type Options struct {
	// NewRenderer makes the renderer when the first camera needs one; nil is OpenGL.
	NewRenderer func(*render.Scene) (render.Renderer, error)
	// Wall is the clock that runs are paced by; nil is the machine's.
	Wall timesync.Wall
	// Tell, if not nil, is told by New what it begins that may take long, for those who show users what goes on.
	Tell func(text string)
}

func (o *Options) tell(format string, args ...any) {
	if o.Tell != nil {
		o.Tell(fmt.Sprintf(format, args...))
	}
}

// Sim is one running world.
type Sim struct {
	world   *worlds.World
	scene   *physics.Model
	engine  physics.Engine
	scenery *scenery.Scenery
	around  *sensors.Targets
	frames  *frameQueue
	looking looking
	post    mailbox
	alarms  alarms

	wall     timesync.Wall
	clock    *timesync.Clock
	meter    *timesync.Meter
	gate     *lockstep.Gate
	pacer    *timesync.Pacer // while Run runs
	speed    atomic.Pointer[timesync.Speed]
	lockstep bool
	gathered bool             // at speed lockstep: all robots that are waited for have been connected since it began
	ticks    timesync.Cadence // of the clock
	did      uint64           // the kind of the present step, as plan tells it
	idle     time.Duration    // that the present step waited
	drawing  []*frameJob      // in the order in which they were given
	waiting  []span           // of plan
	numbers  []int            // of plan
	looked   time.Duration    // wall time, for now
	tight    float64          // wall time that its pictures took over the sim time that they may take

	truth     physics.Snapshot
	commands  []physics.Command
	events    []worlds.Event // still to come, by time
	instances []*instance    // of all robots' sensors, in the world's order
	heads     []*sensors.Head
	toSee     []*look     // of the present instant
	inFlight  []*delivery // captured and not yet delivered, by time of delivery
	onStep    []func(*physics.Snapshot)
	onClock   []func(time.Duration)
	clocked   time.Duration // what onClock was told last; −1 before
	onLevel   []func(LevelChange)
	started   bool
}

// New builds a world, whose sensors are complete (sensors.Config.Complete). It fails when the world is invalid, with every rule that it
// breaks (worlds.World.Validate), when it shows more than scenery.CheckCost lets it, or when a camera is to be rendered and the machine lacks the
// driver (render.ErrNoContext).
func New(world *worlds.World, opts Options) (*Sim, error) {
	if err := world.Validate(); err != nil {
		return nil, err
	}
	opts.tell("building the scene of %d robots", len(world.Robots))
	if err := scenery.CheckCost(world); err != nil {
		return nil, err
	}
	scene := world.Model()
	engine, err := newEngine(scene)
	if err != nil {
		return nil, err
	}
	s := &Sim{
		world: world, scene: scene, engine: engine, scenery: scenery.New(world, scene),
		commands: make([]physics.Command, len(scene.Robots)),
		events:   sortedEvents(world.Events),
	}
	s.around = sensors.NewTargets(scene, s.looks())
	s.looking.labelers.init(s)
	if s.wall = opts.Wall; s.wall == nil {
		s.wall = timesync.SystemWall()
	}
	s.clock = timesync.NewClock(s.wall, world.Time.Step)
	s.meter = timesync.NewMeter(time.Second)
	s.gate = lockstep.NewGate(s.wall, world.Time.WaitFor)
	s.ticks, s.clocked = timesync.NewCadence(world.Time.ClockRate), -1
	s.speed.Store(&timesync.Speed{})
	s.post.init(scene.Robots, s.wall, s.gate.Command)
	newRenderer := opts.NewRenderer
	if newRenderer == nil {
		newRenderer = backend.OpenGL
	}
	s.frames = &frameQueue{busy: occupancy{wall: s.wall}, newRenderer: func() (render.Renderer, error) { return newRenderer(s.scenery.Scene) }}
	engine.Snapshot(&s.truth)
	err = s.addSensors()
	if err == nil && s.mayRender() {
		opts.tell("starting the renderer")
		err = s.frames.open()
	}
	if err == nil {
		err = s.happen()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.connect()
	return s, nil
}

func (s *Sim) addSensors() error {
	var cache sensors.Cache
	for r := range s.world.Robots {
		robot := &s.world.Robots[r]
		cameras := 0 // as looks counts them
		for i := range robot.Sensors {
			cfg := robot.Sensors[i]
			site := sensors.Site{
				Robot: &s.scene.Robots[r], Model: s.scene, Seed: s.world.Seed, Scene: s.scenery.Scene, Body: &s.scenery.Scene.Bodies[s.scenery.Robot(r)],
				Cache: &cache,
			}
			switch cfg.Kind {
			case sensors.OmniKind:
				site.Hidden = s.scenery.HiddenFrom(r, cfg.Mount.Pose().Pos, scenery.Mirror)
			case sensors.CameraKind, sensors.KinectKind:
				own := scenery.CameraPart(cameras)
				cameras++
				if cfg.Head == nil {
					site.Hidden = s.scenery.HiddenFrom(r, cfg.Mount.Pose().Pos, own)
				} else { // what it sees of its robot depends on where it looks from
					site.Hidden = []render.Hidden{{Body: s.scenery.Robot(r), Part: own}}
				}
			}
			sensor, err := sensors.New(&cfg, site)
			if err != nil {
				return fmt.Errorf("robot %s: %w", robot.Name, err)
			}
			in := newInstance(r, robot.Name, sensor, s.world.Seed)
			s.instances = append(s.instances, in)
			if in.camera != nil && in.camera.Head() != nil {
				s.heads = append(s.heads, in.camera.Head())
			}
		}
	}
	s.frames.warm = s.everyPicture()
	return nil
}

// looks returns what the eye sees of the bodies, and by how much light.
func (s *Sim) looks() sensors.Bodies {
	l := sensors.Bodies{Scene: s.scenery.Scene, Ball: &s.scenery.Scene.Bodies[s.scenery.Ball()], Plates: map[int][2]*render.Body{}, Light: s.world.Light.Brightness()}
	for i := range s.scene.Robots {
		l.Robots = append(l.Robots, &s.scenery.Scene.Bodies[s.scenery.Robot(i)])
		if side, top, ok := s.scenery.Plates(i); ok {
			l.Plates[i] = [2]*render.Body{&s.scenery.Scene.Bodies[side], &s.scenery.Scene.Bodies[top]}
		}
	}
	for i := range s.scene.Obstacles {
		l.Obstacles = append(l.Obstacles, &s.scenery.Scene.Bodies[s.scenery.Obstacle(i)])
	}
	return l
}

// mostWarm is how many cameras a renderer is warmed up with, and one of each kind besides, and how many bodies they see: what more of the
// same need is little.
const mostWarm = 32

// everyPicture returns what makes a frame that nobody looks at of every kind of camera, as the world is now: in any goroutine, at any time.
func (s *Sim) everyPicture() func() *render.Batch {
	posesWB := s.scenery.Poses(&s.truth, nil)
	for i := mostWarm; i < len(posesWB); i++ {
		if !s.scenery.Scene.Bodies[i].Static { // whose shadows are drawn once
			posesWB[i].Pos[2] -= 1000 // out of sight
		}
	}
	var cameras []*sensors.Camera
	var views []render.View
	for _, in := range s.instances {
		if in.camera == nil {
			continue
		}
		view := in.camera.View(abstraction.Raw, s.instant(in))
		if len(views) < mostWarm || !slices.ContainsFunc(views, func(v render.View) bool { return reflect.DeepEqual(v.Model, view.Model) }) {
			cameras, views = append(cameras, in.camera), append(views, view)
		}
	}
	return func() *render.Batch {
		f := &render.Batch{PosesWB: posesWB, Views: slices.Clone(views)}
		for i, camera := range cameras {
			b := newBuffers(camera)
			f.Views[i].Color, f.Views[i].Depth, f.Views[i].Truth = b.color, b.depth, b.truth
		}
		return f
	}
}

// mayRender tells whether the world itself asks for rendered cameras, now or by an event.
func (s *Sim) mayRender() bool {
	for _, in := range s.instances {
		if in.camera != nil && in.setup.Load().level.Rendered() {
			return true
		}
	}
	for i := range s.events {
		if l := s.events[i].SetLevel; l != nil {
			if in := s.find(l.Robot, l.Sensor); in != nil && in.camera != nil && l.Level.Rendered() {
				return true
			}
		}
	}
	return false
}

// World returns the world that runs; it must not be changed.
func (s *Sim) World() *worlds.World { return s.world }

// Time returns the sim time of the present state. It belongs to the goroutine that steps; others ask the Clock.
func (s *Sim) Time() time.Duration { return s.truth.Time }

// Truth returns the present state. It is valid until the next Step, for the goroutine that steps.
func (s *Sim) Truth() *physics.Snapshot { return &s.truth }

// BodyName returns the name of a body of Truth's touches and events: a robot's, an obstacle's, "ball", or "hall" for all that
// stands still.
func (s *Sim) BodyName(id physics.BodyID) string { return s.scene.BodyName(id) }

// OnStep calls f with the state at time 0, when the first step begins, and after every step with the new one, which is valid during the
// call.
func (s *Sim) OnStep(f func(*physics.Snapshot)) { s.onStep = append(s.onStep, f) }

// Step advances the world by one step, carries out the events of the time that it ends at, and delivers what is due then. The first one
// begins with the same for time 0, whose events New has carried out. After an error the Sim can only be closed.
func (s *Sim) Step() error {
	if s.post.isClosed() {
		return ErrClosed
	}
	s.did, s.tight = 0, 0
	if err := s.begin(); err != nil {
		return err
	}
	s.post.collect(s.commands)
	if err := s.engine.Step(s.commands); err != nil {
		return fmt.Errorf("at %v: %w", s.truth.Time, err)
	}
	s.engine.Snapshot(&s.truth)
	s.clock.Tick()
	for _, head := range s.heads {
		head.Turn(s.world.Time.Step)
	}
	if err := s.happen(); err != nil {
		return err
	}
	s.tellClock()
	s.post.answer(&s.truth)
	s.alarms.fire(s.truth.Time)
	return s.announce()
}

// begin tells of time 0, once: what follows may be answered before the first step.
func (s *Sim) begin() error {
	if s.started {
		return nil
	}
	s.started = true
	s.tellClock()
	return s.announce()
}

// announce shows the present state to listeners and sensors: nothing changes it from here to the next step.
func (s *Sim) announce() error {
	for _, f := range s.onStep {
		f(&s.truth)
	}
	return s.sense()
}

// OnClock calls f with sim time as often as the world's clock_hz says: at the start of the first step, or at speed lockstep once all robots
// are there that are waited for, and then after steps. It calls f at once with what others were told last, if they were.
func (s *Sim) OnClock(f func(now time.Duration)) {
	if s.onClock = append(s.onClock, f); s.clocked >= 0 {
		f(s.clocked)
	}
}

func (s *Sim) tellClock() {
	now := s.truth.Time
	if !s.ticks.Due(now) {
		return
	}
	s.clocked = now
	if s.lockstep {
		s.gate.Tick(now)
	}
	for _, f := range s.onClock {
		f(now)
	}
}

// sense lets sensors that are due observe the present state and delivers observations whose time has come.
func (s *Sim) sense() error {
	s.looked = 0
	s.observe()
	err := s.deliver()
	s.tellDrawn()
	return err
}

// newEngine starts the engine that a scene names.
func newEngine(scene *physics.Model) (physics.Engine, error) {
	if scene.Config.Engine == "planar" {
		return planar.New(scene)
	}
	return ode.New(scene)
}

// Close ends everything the Sim started, and whatever other goroutines ask of it from then on returns ErrClosed. It belongs to the
// goroutine that steps, and may be called more than once.
func (s *Sim) Close() {
	s.post.close()
	s.looking.close()
	s.frames.close()
	s.engine.Close()
}
