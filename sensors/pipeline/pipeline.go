package pipeline

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("the simulation has ended")

// Config holds the parts and settings of a Pipeline. Hooks may be nil. The goroutine that steps calls them.
type Config struct {
	State   *physics.Snapshot // the present state; it must not change during Step
	Gravity float64           // m/s²
	Seed    uint64
	Robots  []string         // names, in the order of the physics model
	Targets *sensors.Targets // the objects that cameras detect
	Scene   *render.Scene    // the scene that cameras see
	Field   *render.Body     // the scene's body that is the field
	// Shading returns the light and the colours of the present state in the form of render.Batch.
	Shading func() *render.Shading
	// Poses returns the pose of every body of the scene in a state. It reuses the memory of into.
	Poses       func(state *physics.Snapshot, into []spatial.Pose) []spatial.Pose
	NewRenderer func() (render.Renderer, error)
	Wall        timesync.Wall
	Farm        Farm // decides which process draws images; nil: this process draws them all
	NoWorker    bool // perceive in the goroutine that steps, without a worker

	// Due is called when a frame is delivered to a robot's listeners, and when a frame is skipped because no listener
	// wants it. stamp is the frame's time of capture.
	Due func(robot, sensor string, stamp time.Duration)
	// Delivered is called for each observation that a robot's listeners receive, with the wall time.
	Delivered func(robot int, wall time.Duration)
}

// Pipeline runs the sensors of one simulation.
type Pipeline struct {
	cfg       Config
	instances []*instance // in the order of Add
	drawers   drawers
	perceiver perceiver
	inFlight  []*delivery // captured but not yet delivered, sorted by time of delivery
	closed    atomic.Bool
	onLevel   []func(LevelChange)
	onFault   []func(robot, sensor string, fault sensors.Fault)
	touched   atomic.Bool // a level or fault was set since the last TakeSettings
	stepped   bool
	unseen    time.Duration  // observations up to this sim time are not delivered, see Skip; seen: all are
	meter     *sensors.Meter // nil until a camera needs it
	measured  atomic.Bool    // measure the cost of frames
	plan      plan
	saved     underWay             // memory of underWay
	order     Order                // memory of offer
	ordered   underWay             // memory of Order.Append
	signature keyframe.Fingerprint // of the world; an order is valid only for a world with the same one
	work      timesync.Work        // done in the present step
	now       time.Duration        // wall time cached by wallNow; 0: not read yet
}

// New returns a pipeline without sensors.
func New(cfg Config) *Pipeline {
	p := &Pipeline{cfg: cfg, unseen: seen}
	p.drawers.busy.wall, p.drawers.newRenderer = cfg.Wall, cfg.NewRenderer
	p.perceiver.init(&cfg)
	p.perceiver.now = p.costly
	return p
}

// Add adds a sensor of a robot.
func (p *Pipeline) Add(robot int, robotName string, sensor sensors.Sensor) {
	p.add(newInstance(robot, robotName, sensor, p.cfg.Seed))
}

func (p *Pipeline) add(in *instance) {
	in.number = len(p.instances)
	p.instances = append(p.instances, in)
}

// Ready prepares what renderers draw first, from the present state. It must be called once all sensors are added.
func (p *Pipeline) Ready() {
	p.drawers.warmUp = p.newWarmUp()
	p.sign()
}

// Open creates the renderers unless they exist. It fails with render.ErrNoContext when the machine lacks the driver.
func (p *Pipeline) Open() error { return p.drawers.open() }

// TurnHeads advances the heads of cameras by dt.
func (p *Pipeline) TurnHeads(dt time.Duration) {
	for _, in := range p.instances {
		if in.camera != nil && in.camera.Head() != nil {
			in.camera.Head().Turn(dt)
		}
	}
}

// Moved must be called when bodies were moved other than by a step, so that sensors see them at their new poses.
func (p *Pipeline) Moved() { p.cfg.Targets.Invalidate() }

// SetLight sets the light in which levels without images see the present state.
func (p *Pipeline) SetLight(light render.Brightness) { p.cfg.Targets.SetLight(light) }

// Step captures the frames that are due in the present state and delivers the observations whose time has come. It
// waits for those that are not complete. It returns the work of the step and passes the timing of completed drawing
// jobs to drawn, which may be nil.
func (p *Pipeline) Step(drawn func(timesync.Job)) (timesync.Work, error) {
	p.work, p.now, p.stepped = timesync.Work{}, 0, true
	p.capture()
	err := p.deliver()
	p.plan.forgetDrawn(drawn)
	p.work.Beside = p.drawers.busy.total()
	return p.work, err
}

// find returns a sensor, or nil if there is none of that name.
func (p *Pipeline) find(robot, sensor string) *instance {
	for _, in := range p.instances {
		if in.robotName == robot && in.name == sensor {
			return in
		}
	}
	return nil
}

func (p *Pipeline) instance(robot, sensor string) (*instance, error) {
	if in := p.find(robot, sensor); in != nil {
		return in, nil
	}
	return nil, fmt.Errorf("sensor = %q: there is no such sensor", robot+"."+sensor)
}

// Head returns the head of a camera and the level of its next frame. It belongs to the goroutine that steps.
func (p *Pipeline) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	in, err := p.instance(robot, sensor)
	if err == nil && (in.camera == nil || in.camera.Head() == nil) {
		err = fmt.Errorf("sensor = %q: has no head to turn", robot+"."+sensor)
	}
	if err != nil {
		return nil, "", err
	}
	return in.camera.Head(), in.taken.level, nil
}

// Renders reports whether a sensor is a camera and the level has images.
func (p *Pipeline) Renders(robot, sensor string, level abstraction.Level) bool {
	in := p.find(robot, sensor)
	return in != nil && in.hasCamera && level.Rendered()
}

// wallNow returns the wall time. It reads the clock once for all that a step captures and delivers without waiting.
func (p *Pipeline) wallNow() time.Duration {
	if p.now == 0 {
		p.now = p.cfg.Wall.Now()
	}
	return p.now
}

// Close stops the renderers and the worker. From then on calls from other goroutines return ErrClosed.
func (p *Pipeline) Close() {
	p.closed.Store(true)
	p.perceiver.close()
	p.drawers.close()
}
