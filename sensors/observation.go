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

// Observation is a sensor's output for one frame. The kind of sensor and the level determine which fields are set. The
// other fields are nil.
type Observation struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64        // index of the frame since the start of the run
	Stamp         time.Duration // sim time of capture
	Fault         Fault         // fault of the sensor; "" for none

	PoseBC   spatial.Pose     // pose of the optical frame on the robot at the stamp, or of a lidar; only for these
	Settings imaging.Settings // settings of exposure and white balance for this frame; only for cameras

	// colour image of a camera, or of the left camera of a stereo pair; only at levels raw and ideal
	Color *render.Image
	Right *render.Image // colour image of the right camera of a stereo pair; only at levels raw and ideal
	// depth image of a kinect or a stereo pair at levels raw and ideal: Z in m; 0 below and +Inf above the measuring
	// range, and 0 where nothing was measured
	Depth    *render.Depth
	Truth    *render.Truth            // ground truth of the image, if configured
	Features *abstraction.FeatureList // features in pixels; only for cameras at level features
	Objects  *abstraction.ObjectList  // objects in the robot's frame; only for cameras at levels objects and truth
	Overlay  *Overlay                 // if a listener requests it
	// Reading is set for a device without images: it is a pointer to the reading type of the sensor's kind. At
	// plugged-in levels and for plugged-in sensors it is the value that Own.Sense returned.
	Reading any

	refs    atomic.Int32 // number of references beyond the first
	release func()
	// memory holds a reading that can be reused.
	memory any
	// chips of a camera that controls its Settings, or that takes images in flickering light
	chip, rightChip render.Chip
	features        abstraction.FeatureList
	objects         abstraction.ObjectList
}

// readingIn sets the observation's Reading to a value of type T and returns it. It may reuse the memory of an earlier
// reading, so the caller must set all fields.
func readingIn[T any](o *Observation) *T {
	r, ok := o.memory.(*T)
	if !ok {
		r = new(T)
		o.memory = r
	}
	o.Reading = r
	return r
}

// Reset clears a released observation for reuse.
func (o *Observation) Reset() {
	o.Color, o.Right, o.Depth, o.Truth, o.Features, o.Objects, o.Overlay, o.Reading = nil, nil, nil, nil, nil, nil, nil,
		nil
	if o.refs.Load() != 0 { // tested first, because a store costs as much as all the rest
		o.refs.Store(0)
	}
}

// Repeat copies the content of an earlier observation into o. The two observations share memory, so the earlier
// observation must be retained as long as o is in use.
func (o *Observation) Repeat(of *Observation) {
	o.PoseBC, o.Settings, o.Color, o.Right, o.Depth, o.Truth, o.Features, o.Objects, o.Reading = of.PoseBC, of.Settings,
		of.Color, of.Right, of.Depth, of.Truth, of.Features, of.Objects, of.Reading
}

// Exchange saves or restores the observation of a sensor of the given kind, at a level without images. It reuses memory
// when it restores.
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

// newReading sets the observation's Reading to a reading of the given kind of sensor. It reuses memory if possible.
func (o *Observation) newReading(kind Kind) {
	of := reflect.TypeOf(kind.Reading())
	if o.memory == nil || reflect.TypeOf(o.memory).Elem() != of {
		o.memory = reflect.New(of).Interface()
	}
	o.Reading = o.memory
}

// OnRelease sets the function that is called when the last reference is released.
func (o *Observation) OnRelease(f func()) { o.release = f }

// Retain keeps the observation beyond the listener's call. Each Retain needs one Release.
func (o *Observation) Retain() { o.refs.Add(1) }

// Release ends a use of the observation: either the use during the listener's call, or a use that Retain began. The
// caller must not use the observation afterwards.
func (o *Observation) Release() {
	if o.refs.Load() != 0 && o.refs.Add(-1) >= 0 { // at 0 there is no other reference
		return
	}
	if o.release != nil {
		o.release()
	}
}

// Instant is the state that a sensor observes: a snapshot of the world, and the index of the robot that carries the
// sensor.
type Instant struct {
	Snapshot    *physics.Snapshot
	Robot       int // index into Snapshot.Robots
	Gravity     float64
	Environment *abstraction.Environment // set if the kind's NeedsEnvironment is true
	Trail       *Trail                   // set if Config.ObservesTrail
	Sounds      []Sound                  // the latest sounds, earliest first, in a world with a microphone
	// Unread is true for a frame that is not delivered. A sensor that integrates must only update its own state.
	Unread bool
}

// State returns the state of the sensor's robot.
func (at *Instant) State() *physics.RobotState { return &at.Snapshot.Robots[at.Robot] }

// Heading is an angle about the vertical axis, rad.
type Heading float64

type poseJSON struct {
	Position mgl64.Vec3 `json:"position_m"`
	Heading  float64    `json:"heading_rad"`
}

func poseOf(p spatial.Pose) *poseJSON { return &poseJSON{p.Pos, p.Heading()} }
