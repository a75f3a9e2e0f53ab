package sensors

import (
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Observation is what a sensor delivers for one frame. Which parts are there depends on the device and on the level;
// the others are nil.
type Observation struct {
	Robot, Sensor string
	Level         abstraction.Level
	Frame         uint64        // number of the frame since the start
	Stamp         time.Duration // sim time of capture

	PoseBC spatial.Pose // of a camera: its optical frame on the robot at the stamp

	Color    *render.Image            // omni, camera, kinect at raw and ideal
	Depth    *render.Depth            // kinect at raw and ideal: Z in metres; 0 nearer and +Inf farther than measured
	Truth    *render.Truth            // of the picture, where the configuration asks for it
	Features *abstraction.FeatureList // cameras at features, in pixels
	Objects  *abstraction.ObjectList  // cameras at objects and truth, in the robot's frame
	Odometry *OdometryReading
	IMU      *IMUReading
	Scan     *Scan // laser
	Heading  *HeadingReading
	Arms     *ArmsReading
	Bumper   *BumperReading
	Battery  *BatteryReading
	Own      any // what an Own returned

	refs    atomic.Int32 // beyond the first
	release func()
	parts   parts
}

// parts is the memory of what an observation holds beside images.
type parts struct {
	features abstraction.FeatureList
	objects  abstraction.ObjectList
	odometry OdometryReading
	imu      IMUReading
	scan     Scan
	heading  HeadingReading
	arms     ArmsReading
	bumper   BumperReading
	battery  BatteryReading
}

// Reset empties an observation that nobody holds any more, for another frame in the same memory.
func (o *Observation) Reset() {
	o.Color, o.Depth, o.Truth = nil, nil, nil
	o.Features, o.Own = nil, nil
	o.Objects, o.Odometry, o.IMU, o.Scan, o.Heading, o.Arms, o.Bumper, o.Battery = nil, nil, nil, nil, nil, nil, nil, nil
	if o.refs.Load() != 0 { // hardly ever: storing costs as much as all the rest
		o.refs.Store(0)
	}
}

// OnRelease sets what happens to the memory when nobody holds the observation any more.
func (o *Observation) OnRelease(f func()) { o.release = f }

// Retain keeps the observation beyond the listener's call; each Retain needs one Release.
func (o *Observation) Retain() { o.refs.Add(1) }

// Release gives it back. Nothing of it must not be used afterwards.
func (o *Observation) Release() {
	if o.refs.Load() != 0 && o.refs.Add(-1) >= 0 { // at 0 nobody else can hold it
		return
	}
	if o.release != nil {
		o.release()
	}
}

// OdometryReading is where the robot believes to be, from its wheels.
type OdometryReading struct {
	PoseOB spatial.Pose        // in the odometry frame O, which at the start is the robot's own; at truth, the world
	TwistB physics.PlanarTwist // over the floor, in the robot's axes
	Stuck  bool                // the wheels are driven and the robot does not move
}

// IMUReading is in the unit's own frame S.
type IMUReading struct {
	AccelS mgl64.Vec3 // specific force, m/s²: at rest +g upwards
	GyroS  mgl64.Vec3 // rate of turn, rad/s
	// RotWS is the orientation, and RotKnown whether the unit tells it: it does at truth.
	RotWS    mgl64.Quat
	RotKnown bool
}

// HeadingReading is a compass's.
type HeadingReading struct {
	Heading float64 // of the unit's x axis, anticlockwise from the world's, in (−π, π]
}

// ArmsReading is how far the ball has pressed in the left and the right dribbling arm, metres.
type ArmsReading struct{ Pressed [2]float64 }

// BumperReading is which switches are pressed: the first ahead, then anticlockwise.
type BumperReading struct {
	Pressed []bool
	Touched bool // any
}

// BatteryReading is what is left at the motors and what they draw together.
type BatteryReading struct{ Voltage, Current float64 }

// Instant is one snapshot, as all sensors of one robot see it.
type Instant struct {
	Snapshot    *physics.Snapshot
	Robot       int // index into Snapshot.Robots
	Gravity     float64
	Environment *abstraction.Environment // for kinds that NeedsEnvironment tells
}

// State returns the robot that senses.
func (at *Instant) State() *physics.RobotState { return &at.Snapshot.Robots[at.Robot] }
