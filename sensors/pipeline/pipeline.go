package pipeline

import (
	"errors"
	"fmt"
	"slices"
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

// ErrClosed is the error of calls that are made after Close.
var ErrClosed = errors.New("the simulation has ended")

// Config holds the parts and settings of a Pipeline. Hooks may be nil. The goroutine that steps calls them.
type Config struct {
	State   *physics.Snapshot // the present state; it must not change during Step
	Gravity float64           // m/s²
	Seed    uint64
	Robots  []string         // names of the robots, in the order of the physics model
	Targets *sensors.Targets // the objects that cameras detect
	Scene   *render.Scene    // the scene that cameras see
	Field   *render.Body     // the scene's body that is the field
	// Shading returns the light and the colours of the present state, or nil if they are those of the Scene.
	Shading func() *render.Shading
	// Poses returns the pose of every body of the scene in the given state. It reuses the memory of its last argument.
	Poses func(state *physics.Snapshot, into []spatial.Pose) []spatial.Pose
	// NewRenderer makes a renderer. The argument returns images for a comparison of renderers, see SampleImages.
	NewRenderer func(samples func() *render.Batch) (render.Renderer, error)
	Match       render.Matcher // computes the depth of stereo pairs; it may be nil if there are none
	Wall        timesync.Wall
	Farm        Farm // decides which process draws images; if nil, this process draws them all
	NoWorker    bool // run perception in the goroutine that steps, without a worker

	// Due is called when a frame is delivered to a robot's listeners, and when a frame is skipped because no listener
	// wants it. The argument stamp is the sim time at which the frame was captured.
	Due func(robot, sensor string, stamp time.Duration)
	// Delivered is called for each observation that a robot's listeners receive. The argument wall is the wall time of
	// the delivery.
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
	// observations up to this sim time are not delivered, see Skip; if it equals the constant seen, all are delivered
	unseen   time.Duration
	meter    *sensors.Meter // nil until a camera needs it
	measured atomic.Bool    // whether the cost of frames is measured
	plan     plan
	saved    underWay // memory that the method underWay reuses
	order    Order    // memory that the method offer reuses
	ordered  underWay // memory that Order.Append reuses
	// fingerprint of the world; an order is valid only for worlds with the same fingerprint
	signature keyframe.Fingerprint
	trail     sensors.Trail   // kept if trails
	trails    bool            // a sensor observes the trail
	sweep     time.Duration   // the longest Config.Sweep of all sensors
	sounds    []sensors.Sound // the latest sounds, if a sensor is a microphone
	sounded   uint64          // number of sounds so far
	hears     bool            // whether a sensor is a microphone
	work      timesync.Work   // done in the present step
	now       time.Duration   // wall time cached by wallNow; 0 if not read yet
}

// New returns a pipeline without sensors.
func New(cfg Config) *Pipeline {
	p := &Pipeline{cfg: cfg, unseen: seen}
	p.drawers.busy.wall, p.drawers.newRenderer, p.drawers.match = cfg.Wall, cfg.NewRenderer, cfg.Match
	p.perceiver.init(&cfg)
	p.perceiver.now = p.costly
	return p
}

// Add adds a sensor of a robot.
func (p *Pipeline) Add(robot int, robotName string, sensor sensors.Sensor) {
	p.add(newInstance(robot, robotName, sensor, p.cfg.Seed))
}

func (p *Pipeline) add(in *instance) {
	in.number, p.sweep = len(p.instances), max(p.sweep, in.cfg.Sweep())
	p.trails = p.trails || in.cfg.ObservesTrail()
	p.hears = p.hears || in.cfg.Microphone != nil
	p.instances = append(p.instances, in)
}

// Ready prepares the images that each new renderer renders first, from the present state. It must be called after all
// sensors have been added.
func (p *Pipeline) Ready() {
	p.drawers.warmUp = p.newWarmUp()
	p.sign()
}

// SampleImages returns a function that allocates images of a scene, for a comparison of renderers. They show all bodies
// as they are at the start, at level raw. Of the cameras there are the first 32, and of the others one of each further
// model. It returns nil if the Pipeline has another scene. Any goroutine may call it.
func (p *Pipeline) SampleImages(scene *render.Scene) func() *render.Batch {
	p.drawers.mu.Lock()
	defer p.drawers.mu.Unlock()
	if w := p.drawers.warmUp; w.scene == scene {
		return w.samples
	}
	return nil
}

// Created returns how often the renderers have been created. Any goroutine may call it.
func (p *Pipeline) Created() int64 { return p.drawers.created.Load() }

// TurnHeads moves the heads of all cameras by a step of the length dt. Joints that turn cameras get their goals from
// the engine.
func (p *Pipeline) TurnHeads(dt time.Duration, engine physics.Engine) error {
	for _, in := range p.instances {
		if in.camera == nil || in.camera.Head() == nil {
			continue
		}
		in.camera.Head().Turn(dt)
		if joints, to := in.camera.Head().Goals(); joints != nil {
			if err := engine.MoveJoints(in.robot, joints, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReleaseHeads ends the commands to the heads of a robot's cameras that a joint turns, because somebody else commands
// the joint.
func (p *Pipeline) ReleaseHeads(robot, joint int) {
	for _, in := range p.instances {
		if in.robot == robot && in.camera != nil && in.camera.Head().Moves(joint) {
			in.camera.Head().Release()
		}
	}
}

// mostSounds is the largest number of sounds that microphones hear at the same time, with their echoes.
const mostSounds = 64

// Sound makes a sound that microphones hear, and sets its Number. If too many sound at the same time, the earliest of
// them ends, with its echo. Without a microphone, nothing happens.
func (p *Pipeline) Sound(s sensors.Sound) {
	if !p.hears {
		return
	}
	s.Number = p.sounded
	p.sounded++
	p.sounds = slices.DeleteFunc(p.sounds, func(old sensors.Sound) bool {
		return old.Start+old.Length+sensors.SoundLimit < s.Start
	})
	if len(p.sounds) == mostSounds {
		p.sounds = slices.Delete(p.sounds, 0, 1)
	}
	p.sounds = append(p.sounds, s)
}

// Moved must be called after bodies were moved by anything other than a step. Then sensors observe the bodies at their
// new poses.
func (p *Pipeline) Moved() { p.cfg.Targets.Invalidate() }

// SetLight sets the brightness of the light that vision uses at the levels without images.
func (p *Pipeline) SetLight(light render.Brightness) { p.cfg.Targets.SetLight(light) }

// Step captures the frames that are due in the present state, and delivers the observations whose time of delivery has
// come. It waits for such an observation if it is not complete. Step calls the function drawn, which may be nil, with
// the timing of each completed drawing job. It returns the work of the step, and an error if a frame could not be
// computed.
func (p *Pipeline) Step(drawn func(timesync.Job)) (timesync.Work, error) {
	p.work, p.now, p.stepped = timesync.Work{}, 0, true
	if p.trails {
		posesWB := p.trail.Next(p.cfg.State.Time, p.sweep)
		*posesWB = p.cfg.Poses(p.cfg.State, *posesWB)
	}
	for _, in := range p.instances {
		if in.sensor.Carried() {
			in.sensor.Carry(p.instant(in))
		}
	}
	p.capture()
	err := p.deliver()
	p.plan.forgetDrawn(drawn)
	p.work.Beside = p.drawers.busy.total()
	return p.work, err
}

// find returns a sensor of a robot, or nil if there is no such robot or sensor.
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

// ResetOdometry sets the poses that a robot's sensors estimated at their last frames to 0. It fails if the robot has no
// such sensor. It belongs to the goroutine that steps.
func (p *Pipeline) ResetOdometry(robot string) error {
	err := fmt.Errorf("robot = %q: has no odometry", robot)
	for _, in := range p.instances {
		if o, ok := in.sensor.(sensors.Odometer); ok && in.robotName == robot {
			o.ResetPose()
			err = nil
		}
	}
	return err
}

// Head returns the head of a camera and the level of the camera's next frame. It returns an error if there is no such
// sensor or the sensor has no head. It belongs to the goroutine that steps.
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

// Renders reports whether a sensor delivers images at a level: whether it is a camera and the level has images.
func (p *Pipeline) Renders(robot, sensor string, level abstraction.Level) bool {
	in := p.find(robot, sensor)
	return in != nil && in.model != nil && level.Rendered()
}

// wallNow returns the wall time. It reads the clock at its first call in a step and again after the step has waited for
// an image. Between these readings it returns the same value.
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
