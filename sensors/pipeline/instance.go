package pipeline

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Listener receives a sensor's observations.
type Listener struct {
	// Observe is called with each observation at its time of delivery, by the goroutine that steps. A listener that
	// keeps the observation after Observe returns must call the observation's Retain, and later its Release.
	Observe func(*sensors.Observation)
	// Wants reports whether the listener wants the next frame, given the level of that frame. A camera frame that no
	// listener wants is not computed. If Wants is nil, the listener wants every frame.
	Wants func(abstraction.Level) bool
	// Overlay returns the parts of the next frame's Overlay that the listener wants. If Overlay is nil, the listener
	// wants none. Overlays of images are computed concurrently with the physics.
	Overlay func() sensors.OverlayParts
}

// LevelChange describes the first frame that a sensor captures at a new level.
type LevelChange struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64
	Stamp         time.Duration // time of capture of the frame
}

// instance is one sensor of one robot with its schedule and its listeners.
type instance struct {
	number    int // index in Pipeline.instances
	robot     int
	robotName string
	name      string
	kind      sensors.Kind
	kindTag   uint64
	levels    abstraction.Levels                // the levels to which the sensor can be switched
	whole     sensors.Own                       // user code that replaces the whole sensor; nil for a built-in sensor
	plugged   map[abstraction.Level]sensors.Own // user code of plugged-in levels
	needsEnv  bool
	model     optics.Model // model of a camera, which no restart changes; nil for a sensor without images

	sensor sensors.Sensor  // this and the fields below belong to the goroutine that steps, unless they say otherwise
	camera *sensors.Camera // nil for a sensor without images
	eye    eye             // the camera for contours; belongs to the goroutine that runs the sensor's task
	cfg    *sensors.Config
	own    map[abstraction.Level]sensors.Sensor // sensors that observe at plugged-in levels

	setting sync.Mutex // held to replace setup; readers need no lock
	setup   atomic.Pointer[setup]
	taken   setting // settings of the frames that are captured now, as of the last TakeSettings

	next     uint64
	due      time.Duration     // sim time at which the next frame is captured
	level    abstraction.Level // level of the preceding frame
	last     time.Duration     // time of delivery of the preceding frame
	frozen   *delivery         // the frame that a frozen sensor repeats; nil: none
	frozenBy uint64            // value of taken.faults when the frame in frozen was captured
	// poses at the preceding scheduled frame, for optical flow; nil unless the camera records ground truth
	before    *render.Before
	delivered uint64
	late      uint64
	latency   mean     // wall time from capture to delivery
	spent     recently // wall time of computing a frame, ns
	took      recently // sim time from capture to delivery, ns
	jitter    random.Source

	env        abstraction.Environment // memory that Observe reads
	at         sensors.Instant
	images     pool[images]
	deliveries pool[delivery]
	exposures  pool[exposure]

	perceiving bool // a task of this sensor is in progress; guarded by perceiver.mu
}

// setup is the part of a sensor that any goroutine may change during a run. A change replaces the whole setup. A setup
// is immutable once stored.
type setup struct {
	setting
	listeners []*Listener
}

// setting is the level at which a sensor delivers, and its fault.
type setting struct {
	level  abstraction.Level
	fault  sensors.Fault
	faults uint64 // number of faults set so far
}

func newInstance(robot int, name string, sensor sensors.Sensor, seed uint64) *instance {
	cfg := sensor.Config()
	in := &instance{
		robot: robot, robotName: name, name: cfg.Name, kind: cfg.Kind, sensor: sensor, cfg: cfg,
		kindTag: kindTag(string(cfg.Kind)), levels: cfg.Kind.Levels(),
		needsEnv: cfg.Kind.NeedsEnvironment(),
		jitter:   random.New(seed, name, cfg.Name+".latency", 0),
	}
	if in.camera, _ = sensor.(*sensors.Camera); in.camera != nil {
		in.model = in.camera.Model()
	}
	in.taken.level = cfg.Level
	in.setup.Store(&setup{setting: in.taken})
	in.skip(0)
	return in
}

// change replaces the setup with a copy that f has modified.
func (in *instance) change(f func(*setup)) {
	in.setting.Lock()
	defer in.setting.Unlock()
	next := *in.setup.Load()
	f(&next)
	in.setup.Store(&next)
}

// skip makes the frame of the given index the next frame to capture.
func (in *instance) skip(frame uint64) { in.next, in.due = frame, in.cfg.Due(frame) }

// wanted reports whether a listener wants the next frame at a level.
func (x *setup) wanted(level abstraction.Level) bool {
	for _, l := range x.listeners {
		if l.Wants == nil || l.Wants(level) {
			return true
		}
	}
	return false
}

// Listened reports whether at least one listener wants the next frame of a sensor. It returns false if there is no such
// sensor. It may be called from any goroutine.
func (p *Pipeline) Listened(robot, sensor string) bool {
	in := p.find(robot, sensor)
	if in == nil {
		return false
	}
	x := in.setup.Load()
	return x.wanted(x.level)
}

// SetLevel switches a sensor to a level. Frames that are captured after the next TakeSettings have the level. SetLevel
// may be called from any goroutine. On an error the level stays as it was. The error is render.ErrNoContext if the
// machine cannot render images and the level has them, and ErrClosed after Close. There is also an error if the sensor
// does not have the level. The first call with a level that has images creates the renderers. Only the caller waits for
// them. Other goroutines, such as the goroutine that steps, continue.
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

// TakeSettings applies the levels and faults that were set since its last call to the frames that are captured from now
// on. For each changed setting it calls the function changed, which may be nil, with a pointer to either the new level
// or the new fault. The other pointer is nil. TakeSettings belongs to the goroutine that steps.
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

// Set applies a level, a fault, or both at once, like SetLevel and SetFault followed by TakeSettings. A nil pointer
// leaves the setting unchanged. Set belongs to the goroutine that steps.
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

// check returns an error if a sensor cannot deliver at a level. If the level has images, check creates the renderers.
func (p *Pipeline) check(in *instance, level abstraction.Level) error {
	if err := in.check(level); err != nil {
		return err
	}
	if in.model != nil && level.Rendered() {
		if err := p.drawers.open(); err != nil {
			return fmt.Errorf("%s.%s: level = %q: %w", in.robotName, in.name, level, err)
		}
	}
	return nil
}

// check returns an error if a sensor does not have a level.
func (in *instance) check(level abstraction.Level) error {
	if level.In(in.levels) {
		return nil
	}
	return fmt.Errorf("%s.%s: level = %q: must be one of %v for kind %s", in.robotName, in.name, level, in.levels,
		in.kind)
}

// LevelOf returns a function that returns the level of a sensor's next frame. The function is cheap and belongs to the
// goroutine that steps.
func (p *Pipeline) LevelOf(robot, sensor string) (func() abstraction.Level, error) {
	in, err := p.instance(robot, sensor)
	if err != nil {
		return nil, err
	}
	return func() abstraction.Level { return in.taken.level }, nil
}
