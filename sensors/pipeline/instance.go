package pipeline

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Listener gets a sensor's observations.
type Listener struct {
	// Observe is called by the goroutine that steps, at the time of delivery. What it keeps after it returns, it must
	// Retain and Release.
	Observe func(*sensors.Observation)
	// Wants tells whether the listener wants the next frame at its level; for a camera that no listener wants nothing
	// is computed. nil is always.
	Wants func(abstraction.Level) bool
	// Overlay tells what of the next frame's Overlay the listener wants; nil is nothing. What an image is overlaid with
	// is computed beside the physics.
	Overlay func() sensors.OverlayParts
}

// LevelChange is a sensor's first frame at a level.
type LevelChange struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64
	Stamp         time.Duration // of its capture
}

// instance is one sensor of one robot with its schedule and its listeners.
type instance struct {
	number    int // among the pipeline's
	robot     int
	robotName string
	name      string
	kind      sensors.Kind
	kindTag   uint64
	levels    abstraction.Levels                // that it has
	whole     sensors.Own                       // of a sensor that was plugged in
	plugged   map[abstraction.Level]sensors.Own // levels that were
	needsEnv  bool
	hasCamera bool

	sensor sensors.Sensor  // this and what follows belongs to the goroutine that steps
	camera *sensors.Camera // nil for a sensor without images
	eye    eye             // of the camera, for contours; it belongs to whoever perceives
	cfg    *sensors.Config
	own    map[abstraction.Level]sensors.Sensor // at the levels that were plugged in

	setting sync.Mutex // held to change the setup, which is read without
	setup   atomic.Pointer[setup]
	taken   setting // that frames get, until TakeSettings

	next      uint64            // number of the next frame
	due       time.Duration     // its time
	level     abstraction.Level // of the frame before
	last      time.Duration     // delivery of the frame before
	frozen    *delivery         // that is repeated; nil: none
	frozenBy  uint64            // the setup's faults then
	before    *render.Before    // the frame before on the schedule, for the flow of a camera that annotates
	delivered uint64
	late      uint64
	latency   mean     // wall time from capture to delivery
	spent     recently // ns of wall time on a frame
	took      recently // ns of sim time from capture to delivery
	jitter    random.Source

	env        abstraction.Environment // memory
	at         sensors.Instant
	images     pool[images]
	deliveries pool[delivery]
	exposures  pool[exposure]

	perceiving bool // a task of it is under way; perceiver.mu
}

// setup is what any goroutine may change about a sensor while it runs. It is replaced and never changed.
type setup struct {
	setting
	listeners []*Listener
}

// setting is at what level a sensor delivers, and how it is broken.
type setting struct {
	level  abstraction.Level
	fault  sensors.Fault
	faults uint64 // set so far
}

func newInstance(robot int, name string, sensor sensors.Sensor, seed uint64) *instance {
	cfg := sensor.Config()
	in := &instance{
		robot: robot, robotName: name, name: cfg.Name, kind: cfg.Kind, sensor: sensor, cfg: cfg,
		kindTag: kindTag(string(cfg.Kind)), levels: cfg.Kind.Levels(),
		needsEnv: cfg.Kind.NeedsEnvironment(),
		jitter:   random.New(seed, name, cfg.Name+".latency", 0),
	}
	in.camera, in.hasCamera = sensor.(*sensors.Camera)
	in.taken.level = cfg.Level
	in.setup.Store(&setup{setting: in.taken})
	in.skip(0)
	return in
}

// change replaces the setup.
func (in *instance) change(f func(*setup)) {
	in.setting.Lock()
	defer in.setting.Unlock()
	next := *in.setup.Load()
	f(&next)
	in.setup.Store(&next)
}

// skip goes on to a frame.
func (in *instance) skip(frame uint64) { in.next, in.due = frame, in.cfg.Due(frame) }

// wanted tells whether a listener wants the next frame at a level.
func (x *setup) wanted(level abstraction.Level) bool {
	for _, l := range x.listeners {
		if l.Wants == nil || l.Wants(level) {
			return true
		}
	}
	return false
}

// Listened tells whether a listener wants the next frame of a sensor. It may be called from any goroutine.
func (p *Pipeline) Listened(robot, sensor string) bool {
	in := p.find(robot, sensor)
	if in == nil {
		return false
	}
	x := in.setup.Load()
	return x.wanted(x.level)
}

// SetLevel switches a sensor between two of its frames: those captured after the next TakeSettings have the new level.
// It may be called from any goroutine. It fails for a level that the sensor does not have, and when there is nothing to
// render it with (render.ErrNoContext), which changes nothing; after Close with ErrClosed. The first level with images
// takes until the renderers are there: the caller waits for them, and the simulation, unless it is the caller, goes on.
func (p *Pipeline) SetLevel(robot, sensor string, level abstraction.Level) error {
	in, err := p.instance(robot, sensor)
	if err == nil {
		err = p.check(in, level)
	}
	if err == nil {
		in.change(func(x *setup) { x.level = level })
		p.touched.Store(true)
	}
	return err
}

// TakeSettings has frames from now on get the levels and faults that have been set, and tells the setter of each that
// is another than before. It belongs to the goroutine that steps.
func (p *Pipeline) TakeSettings(changed func(robot, sensor string, level *abstraction.Level, fault *sensors.Fault)) {
	if !p.touched.Swap(false) {
		return
	}
	for _, in := range p.instances {
		was, now := in.taken, in.setup.Load().setting
		in.taken = now
		if now.faults != was.faults {
			p.tellFault(in)
		}
		if changed == nil || now == was {
			continue
		}
		if now.level != was.level {
			changed(in.robotName, in.name, &now.level, nil)
		}
		if now.faults != was.faults {
			changed(in.robotName, in.name, nil, &now.fault)
		}
	}
}

// Set is SetLevel, or SetFault, that frames get at once: the level or the fault that is not nil. It belongs to the
// goroutine that steps.
func (p *Pipeline) Set(robot, sensor string, level *abstraction.Level, fault *sensors.Fault) error {
	in, err := p.instance(robot, sensor)
	if err == nil && level != nil {
		err = p.SetLevel(robot, sensor, *level)
	}
	if err == nil && fault != nil {
		err = p.SetFault(robot, sensor, *fault)
	}
	if err != nil {
		return err
	}
	if level != nil {
		in.taken.level = *level
	}
	if fault != nil {
		in.taken.fault, in.taken.faults = *fault, in.setup.Load().faults
		p.tellFault(in)
	}
	return nil
}

// check makes sure that a sensor can deliver at a level, and that there is a renderer if it needs one.
func (p *Pipeline) check(in *instance, level abstraction.Level) error {
	name := in.robotName + "." + in.name
	if !level.In(in.levels) {
		return fmt.Errorf("%s: level = %q: must be one of %v for kind %s", name, level, in.levels, in.kind)
	}
	if in.hasCamera && level.Rendered() {
		if err := p.drawers.open(); err != nil {
			return fmt.Errorf("%s: level = %q: %w", name, level, err)
		}
	}
	return nil
}

// LevelOf returns what tells the level of a sensor's next frame to the goroutine that steps, at once.
func (p *Pipeline) LevelOf(robot, sensor string) (func() abstraction.Level, error) {
	in, err := p.instance(robot, sensor)
	if err != nil {
		return nil, err
	}
	return func() abstraction.Level { return in.taken.level }, nil
}
