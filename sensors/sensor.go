package sensors

import (
	"fmt"
	"math"
	"reflect"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Sensor is one instance of a device on a robot.
type Sensor interface {
	Config() *Config
	// Observe fills in the content of an observation for an instant. The caller has already set the names, the level,
	// the frame and the stamp of obs. Cameras at levels with images are not observed with this method. Their images are
	// rendered (see Camera).
	Observe(at *Instant, obs *Observation)
	// Exchange saves or restores the sensor's state. It must be called after all captured frames have been processed.
	Exchange(c *keyframe.Codec)
	// Break applies obs.Fault to the reading that Observe has filled in.
	Break(obs *Observation)
	// Carry moves the sensor with the joint of the robot that carries it. It is called for each state, before Observe.
	// Carried reports whether a joint carries the sensor.
	Carry(at *Instant)
	Carried() bool
}

// device is the common part of all sensors.
type device struct {
	cfg    *Config
	noise  random.Source
	poseBS spatial.Pose // present pose on the robot
	joint  *carrier     // nil: the sensor is on the robot's body
}

// carrier is the joint that carries a sensor.
type carrier struct {
	robot *physics.Robot
	index int          // of the joint
	first int          // index of the robot's first joint in snapshots
	mount spatial.Pose // pose of the sensor in the robot's frame while all joints are at their Zero
}

// states returns the states of the robot's joints.
func (c *carrier) states(at *physics.Snapshot) []physics.JointState {
	return at.Joints[c.first : c.first+len(c.robot.Joints)]
}

// twist returns the velocity, relative to the robot's body, of a point of the carried link, in the axes of B.
func (c *carrier) twist(at *physics.Snapshot, posB mgl64.Vec3) spatial.Twist {
	return c.robot.LinkTwist(c.index, c.states(at), posB)
}

func (d *device) Carried() bool { return d.joint != nil }

func (d *device) Carry(at *Instant) {
	if j := d.joint; j != nil {
		d.poseBS = j.robot.Moved(j.index, j.states(at.Snapshot)).Mul(j.mount)
	}
}

// mounted returns the joint that a mount names. It returns nil if the mount names none.
func mounted(m *Mount, site *Site) (*carrier, error) {
	if m.Joint == "" {
		return nil, nil
	}
	c := &carrier{robot: site.Robot, index: site.Robot.Joint(m.Joint), mount: m.Pose()}
	if c.index < 0 {
		return nil, fmt.Errorf("mount.joint = %q: the robot has no such joint", m.Joint)
	}
	for i := range site.Model.Robots {
		if &site.Model.Robots[i] == site.Robot {
			c.first = site.Model.FirstJoint(i)
		}
	}
	return c, nil
}

func (d *device) Config() *Config { return d.cfg }

// Exchange does nothing, because most devices have no state.
func (d *device) Exchange(*keyframe.Codec) {}

// quantised returns the multiple of step that is nearest to x. It returns x itself if step is 0.
func quantised(x, step float64) float64 {
	if step > 0 {
		return math.Round(x/step) * step
	}
	return x
}

// Site is the robot on which a sensor is mounted.
type Site struct {
	Robot *physics.Robot
	Seed  uint64 // of the world
	Model *physics.Model
	// Hidden lists the parts of the robot that the sensor does not see: the sensor's own case, the mirror into which it
	// looks, and parts that are always occluded.
	Hidden []render.Hidden
	// Scene is the scene that cameras see, and Body is the robot in that scene. If Scene is nil, the robot occludes
	// nothing for its own cameras.
	Scene *render.Scene
	Body  *render.Body
	Links []int // indices in Scene of the bodies that the joints of the robot move
	// Cache holds data that similar sensors share. If it is nil, nothing is shared.
	Cache *Cache
}

// bodyIndex returns the index of Body in Scene.
func (s *Site) bodyIndex() int {
	for i := range s.Scene.Bodies {
		if &s.Scene.Bodies[i] == s.Body {
			return i
		}
	}
	return -1
}

// New returns a sensor. The configuration must be complete and valid, and the sensor keeps a reference to it. New
// returns an error if the robot lacks what the kind of sensor needs, or if there is no such kind.
func New(cfg *Config, site Site) (Sensor, error) {
	if site.Cache == nil {
		site.Cache = &Cache{}
	}
	joint, err := mounted(&cfg.Mount, &site)
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", cfg.Name, err)
	}
	d := device{cfg, random.New(site.Seed, site.Robot.Name, cfg.Name, 0), cfg.Mount.Pose(), joint}
	if rule := cfg.Kind.Needs(site.Robot); rule != "" {
		return nil, fmt.Errorf("sensor %s: kind = %q: %s", cfg.Name, cfg.Kind, rule)
	}
	if cfg.Kind.TakesImages() {
		return newCamera(d, site)
	}
	var built Sensor
	err = fmt.Errorf("sensor %s: kind = %q: is no kind of sensor", cfg.Name, cfg.Kind)
	cfg.eachTable(func(_, key string, table reflect.Value) {
		if t, ok := table.Interface().(deviceKind); ok && Kind(key) == cfg.Kind {
			built, err = t.build(d, site)
		}
	})
	return built, err
}

// Own is a sensor, or a level of a sensor, that is implemented outside of this package.
type Own interface {
	// Sense returns the sensor's output for an instant. It must not keep the instant. The argument noise is a source of
	// random numbers for this frame, which returns the same numbers in every run with the same seed. The goroutine that
	// steps calls Sense: for a plugged-in sensor at every frame, and for a plugged-in level of a camera only at frames
	// that a listener wants.
	//
	// An Own that has state implements keyframe.Exchanger, so that key frames contain its state.
	Sense(at *Instant, level abstraction.Level, noise random.Source) any
}

// OwnKind is the kind of sensors implemented outside of this package.
const OwnKind Kind = "own"

// own adapts an Own to Sensor.
type own struct {
	device
	sense Own
}

// NewOwn returns a sensor of a robot whose output is computed by o. The argument seed is the seed of the world.
func NewOwn(cfg *Config, o Own, seed uint64, robot string) Sensor {
	return &own{device{cfg: cfg, noise: random.New(seed, robot, cfg.Name, 0), poseBS: cfg.Mount.Pose()}, o}
}

func (s *own) Observe(at *Instant, obs *Observation) {
	obs.Reading = s.sense.Sense(at, obs.Level, s.noise.Frame(obs.Frame))
}

func (s *own) Exchange(c *keyframe.Codec) {
	if x, ok := s.sense.(keyframe.Exchanger); ok {
		x.Exchange(c)
	}
}
