package sensors

import (
	"reflect"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// Observation is what a sensor delivers for one frame. Which parts are there depends on the device and on the level;
// the others are nil.
type Observation struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64        // number of the frame since the start
	Stamp         time.Duration // sim time of capture
	Fault         Fault         // by which the sensor is broken; empty: it is whole

	PoseBC   spatial.Pose     // of a camera: its optical frame on the robot at the stamp
	Settings imaging.Settings // of a camera: what it has set

	Color    *render.Image            // omni, camera, kinect at raw and ideal
	Depth    *render.Depth            // kinect at raw and ideal: Z in metres; 0 nearer and +Inf farther than measured
	Truth    *render.Truth            // of the image, where the configuration asks for it
	Features *abstraction.FeatureList // cameras at features, in pixels
	Objects  *abstraction.ObjectList  // cameras at objects and truth, in the robot's frame
	Overlay  *Overlay                 // where a listener asks for it, of an image and of the poses of a reading
	// Reading is what a device without images measures, a pointer to its kind's Reading, or what an Own returned.
	Reading any

	refs    atomic.Int32 // beyond the first
	release func()
	// memory is what readings are made in.
	memory   any
	chip     render.Chip // of a camera that controls its Settings, or in light that flickers
	features abstraction.FeatureList
	objects  abstraction.ObjectList
}

// readingIn makes a reading of type T in an observation, in the memory of an earlier one if it had one.
func readingIn[T any](o *Observation) *T {
	r, ok := o.memory.(*T)
	if !ok {
		r = new(T)
		o.memory = r
	}
	o.Reading = r
	return r
}

// Reset empties an observation that nobody holds any more, for another frame in the same memory.
func (o *Observation) Reset() {
	o.Color, o.Depth, o.Truth, o.Features, o.Objects, o.Overlay, o.Reading = nil, nil, nil, nil, nil, nil, nil
	if o.refs.Load() != 0 { // hardly ever: storing costs as much as all the rest
		o.refs.Store(0)
	}
}

// Repeat takes the content of another observation, which must be held as long as this one.
func (o *Observation) Repeat(of *Observation) {
	o.PoseBC, o.Settings, o.Color, o.Depth, o.Truth, o.Features, o.Objects, o.Reading = of.PoseBC, of.Settings,
		of.Color, of.Depth, of.Truth, of.Features, of.Objects, of.Reading
}

// Exchange passes what a sensor of a kind has observed at the observation's level, one without images, to a codec. What
// is restored is made in the memory of the one before.
func (o *Observation) Exchange(c *keyframe.Codec, kind Kind) {
	image := kind.TakesImages()
	if !o.Level.In(kind.Levels()) || image && o.Level.Rendered() {
		c.Check(false, "level = %q: has no readings of kind %s", o.Level, kind)
		return
	}
	if c.Restoring() {
		o.Reset()
	}
	switch {
	case image && o.Level == abstraction.Features:
		if c.Restoring() {
			o.Features = &o.features
		}
		c.Value(o.Features)
	case image:
		if c.Restoring() {
			o.Objects = &o.objects
		}
		c.Value(o.Objects)
	default:
		if c.Restoring() {
			o.newReading(kind)
		}
		c.Value(o.Reading)
	}
}

// newReading sets an observation's Reading to one of a kind, in the memory of an earlier one if it had one.
func (o *Observation) newReading(kind Kind) {
	of := reflect.TypeOf(kind.Reading())
	if o.memory == nil || reflect.TypeOf(o.memory).Elem() != of {
		o.memory = reflect.New(of).Interface()
	}
	o.Reading = o.memory
}

// OnRelease sets what happens to the memory when nobody holds the observation any more.
func (o *Observation) OnRelease(f func()) { o.release = f }

// Retain keeps the observation beyond the listener's call; each Retain needs one Release.
func (o *Observation) Retain() { o.refs.Add(1) }

// Release gives it back. Nothing of it may be used afterwards.
func (o *Observation) Release() {
	if o.refs.Load() != 0 && o.refs.Add(-1) >= 0 { // at 0 nobody else can hold it
		return
	}
	if o.release != nil {
		o.release()
	}
}

// Instant is one snapshot, as all sensors of one robot see it.
type Instant struct {
	Snapshot    *physics.Snapshot
	Robot       int // index into Snapshot.Robots
	Gravity     float64
	Environment *abstraction.Environment // where the kind NeedsEnvironment
}

// State returns the robot that senses.
func (at *Instant) State() *physics.RobotState { return &at.Snapshot.Robots[at.Robot] }

// Heading is an angle about the vertical axis, radians, which is an orientation too.
type Heading float64

type poseJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

func poseOf(p spatial.Pose) *poseJSON { return &poseJSON{p.Pos, p.Heading()} }
