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

// ErrClosed is returned by requests to what has been closed.
var ErrClosed = errors.New("the simulation has ended")

// Config is what a pipeline is made of. Hooks may be nil; they are called by the goroutine that steps.
type Config struct {
	State   *physics.Snapshot // the present state, which changes between calls of Step alone
	Gravity float64           // m/s²
	Seed    uint64
	Robots  []string         // names, in the order of the model
	Targets *sensors.Targets // what cameras detect
	Scene   *render.Scene    // what they see
	Field   *render.Body     // of the scene
	// Shading returns the light and the colours of the present state, as render.Batch has them.
	Shading func() *render.Shading
	// Poses returns the pose of every body of the scene in a state, in the memory of into.
	Poses       func(state *physics.Snapshot, into []spatial.Pose) []spatial.Pose
	NewRenderer func() (render.Renderer, error)
	Wall        timesync.Wall
	Farm        Farm // decides who draws the images of frames that are due; nil: this process does
	NoWorker    bool // what cameras without images perceive is computed by the goroutine that steps alone

	// Due is told of each frame that is due to a robot: when it is delivered, and when it is dropped because nobody
	// wants it.
	Due func(robot, sensor string, stamp time.Duration)
	// Delivered is told of each observation that a listener of a robot gets, with the wall time.
	Delivered func(robot int, wall time.Duration)
}

// Pipeline runs sensors.
type Pipeline struct {
	cfg       Config
	instances []*instance // in the order in which they were added
	drawers   drawers
	perceiver perceiver
	inFlight  []*delivery // captured and not yet delivered, by time of delivery
	closed    atomic.Bool
	onLevel   []func(LevelChange)
	onFault   []func(robot, sensor string, fault sensors.Fault)
	touched   atomic.Bool // levels or faults have been set since TakeSettings
	stepped   bool
	unseen    time.Duration  // sim time up to which nobody gets anything; −1: none
	meter     *sensors.Meter // nil until a camera needs it
	measured  atomic.Bool    // the cost of frames is to be
	plan      plan
	saved     underWay             // memory
	order     Order                // memory
	ordered   underWay             // memory
	signature keyframe.Fingerprint // of the world, for orders
	work      timesync.Work        // of the present step
	now       time.Duration        // wall time, for wallNow; 0 is unknown
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

// Ready takes the world as it is for what renderers draw first. It must be called once all sensors are added.
func (p *Pipeline) Ready() {
	p.drawers.warmUp = p.newWarmUp()
	p.sign()
}

// Open makes the renderers unless they are there. It fails with render.ErrNoContext when the machine lacks the driver.
func (p *Pipeline) Open() error { return p.drawers.open() }

// TurnHeads moves the heads of cameras by a time.
func (p *Pipeline) TurnHeads(dt time.Duration) {
	for _, in := range p.instances {
		if in.camera != nil && in.camera.Head() != nil {
			in.camera.Head().Turn(dt)
		}
	}
}

// Moved has sensors see bodies where they have been put since the state was stepped.
func (p *Pipeline) Moved() { p.cfg.Targets.Invalidate() }

// SetLight sets the light that levels without images see the present state in.
func (p *Pipeline) SetLight(light render.Brightness) { p.cfg.Targets.SetLight(light) }

// Step has sensors that are due observe the present state, and delivers the observations whose time has come. It
// returns what was done, and passes the images that have been drawn to drawn.
func (p *Pipeline) Step(drawn func(timesync.Job)) (timesync.Work, error) {
	p.work, p.now, p.stepped = timesync.Work{}, 0, true
	p.capture()
	err := p.deliver()
	p.plan.forgetDrawn(drawn)
	p.work.Beside = p.drawers.busy.total()
	return p.work, err
}

// find returns a sensor, or nil.
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

// Head returns the head of a camera, and the level that frames get now. It belongs to the goroutine that steps.
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

// Renders tells whether a sensor is a camera at a level with images.
func (p *Pipeline) Renders(robot, sensor string, level abstraction.Level) bool {
	in := p.find(robot, sensor)
	return in != nil && in.hasCamera && level.Rendered()
}

// wallNow returns the wall time, looked up once for all that a step captures and delivers without waiting.
func (p *Pipeline) wallNow() time.Duration {
	if p.now == 0 {
		p.now = p.cfg.Wall.Now()
	}
	return p.now
}

// Close ends the drawing and perceiving. Requests from other goroutines return ErrClosed from then on.
func (p *Pipeline) Close() {
	p.closed.Store(true)
	p.perceiver.close()
	p.drawers.close()
}
