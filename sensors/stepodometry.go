package sensors

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// legReckoner estimates the pose of a robot's trunk from the measured angles of its joints. The sole that supports
// stays where it is, flat on the floor, so that the angles give the pose of the trunk. As soon as the other sole is
// lower, it supports.
type legReckoner struct {
	robot    *physics.Robot
	feet     [2]physics.Foot
	encoder  *Joints              // of each joint
	zero     []float64            // error of each joint's zero, ticks
	measured []physics.JointState // positions alone
	support  int                  // index of the sole that supports
	poseOS   spatial.Pose         // of the sole that supports
	lost     bool                 // it is not known which sole supports, and where it is
}

// measure reads the encoders.
func (l *legReckoner) measure(states []physics.JointState, noise random.Source) {
	perRad := l.encoder.Ticks / (2 * math.Pi)
	for i := range states {
		n, _ := noise.Normal(random.Index(streamJointNoise, uint64(i)))
		l.measured[i].Position = math.Round(states[i].Position*perRad+l.zero[i]+n*l.encoder.Noise) / perRad
	}
}

// poseBS returns the pose in B of a sole.
func (l *legReckoner) poseBS(side int) spatial.Pose {
	foot := &l.feet[side]
	moved := l.robot.Moved(foot.Joint, l.measured)
	return spatial.Pose{Pos: moved.Apply(foot.SoleB), Rot: moved.Rot}
}

// lyingTilt is the tilt from which a robot lies, rad. It is a guess.
const lyingTilt = 1.0

// lift is how much lower than the other a sole is that supports from then on, in m. It is a guess: more than the errors
// of the encoders.
const lift = 0.002

// reckon returns the pose of B in O by the last measurement. The argument last is the pose before it.
func (l *legReckoner) reckon(last planarPose) planarPose {
	poseBS := [2]spatial.Pose{l.poseBS(0), l.poseBS(1)}
	if l.lost {
		l.poseOS, l.lost = flat(spatial.Planar(last.x, last.y, last.heading).Mul(poseBS[l.support])), false
	}
	poseOB := l.poseOS.Mul(poseBS[l.support].Inverse())
	if other := poseOB.Mul(poseBS[1-l.support]); other.Pos[2] < -lift {
		l.support, l.poseOS = 1-l.support, flat(other)
	}
	return planarPose{poseOB.Pos[0], poseOB.Pos[1], poseOB.Heading()}
}

func (l *legReckoner) Exchange(c *keyframe.Codec) {
	c.Index(&l.support, 0, 2)
	c.Pose(&l.poseOS.Pos, &l.poseOS.Rot)
	c.Bool(&l.lost)
}

// StepErrors are the errors of the way that a robot on legs counts. At drive level walk they act on the robot's true
// motion. At level joints, the encoders and the soles make such errors themselves, and only the covariance uses the
// numbers.
type StepErrors struct {
	Forward   float64 `toml:"forward" range:"(0, 2]" doc:"counted way forwards, as a share of the true one"`
	Backward  float64 `toml:"backward" range:"(0, 2]" doc:"counted way backwards, as a share of the true one"`
	Sideways  float64 `toml:"sideways" range:"(0, 2]" doc:"counted way to a side, as a share of the true one"`
	Turn      float64 `toml:"turn" range:"(0, 2]" doc:"counted turn, as a share of the true one"`
	Scale     float64 `toml:"scale_error" range:"[0, 0.5]" doc:"standard deviation of each robot's unknown relative errors of ways and turns"`
	Drift     float64 `toml:"drift_deg_s" range:"[0, 60]" doc:"standard deviation of the unknown turn rate that each walking robot counts in addition"`
	Noise     float64 `toml:"noise_m" range:"[0, 0.1]" doc:"standard deviation of the error of a step, forwards and to a side"`
	TurnNoise float64 `toml:"noise_deg" range:"[0, 30]" doc:"standard deviation of the error of a step's turn"`
}

// SetDefaults sets a robot that counts well. The numbers are rounded ones of humanoid-kid and humanoid-adult.
func (s *StepErrors) SetDefaults() {
	*s = StepErrors{Forward: 0.99, Backward: 0.99, Sideways: 0.98, Turn: 0.99, Scale: 0.005,
		Drift: 0.2 * spatial.Degree, Noise: 0.001, TurnNoise: 0.06 * spatial.Degree}
}

// stepOdometry estimates the motion of a robot on legs: at drive level joints by the angles of its joints, and at level
// walk by its true motion with the errors of StepErrors. It counts nothing while the robot lies.
type stepOdometry struct {
	device
	model  *physics.Model
	legs   *legReckoner // nil at drive level walk
	scale  planarPose   // unknown relative errors
	drift  float64      // unknown turn rate, rad/s
	rate   float64      // steps per second
	pose   planarPose   // estimated pose of B in O
	grown  stepDrift
	motion lastMotion
	stamp  time.Duration
	begun  bool
}

// streamStep is the stream of random numbers of a frame, and streamStepScale of the sensor.
const (
	streamStepScale uint16 = iota + 10
	streamStep
)

func newStepOdometry(d device, site Site) (Sensor, error) {
	r, cfg := site.Robot, &d.cfg.Odometry.Steps
	s := &stepOdometry{device: d, model: site.Model}
	if r.Drive.Walk != nil {
		s.rate = 2 * r.Drive.Walk.Frequency
	}
	if r.Drive.Level == physics.WalkDrive {
		x, y := d.noise.Normal(random.Index(streamStepScale, 0))
		turn, drift := d.noise.Normal(random.Index(streamStepScale, 1))
		s.scale, s.drift = planarPose{x * cfg.Scale, y * cfg.Scale, turn * cfg.Scale}, drift*cfg.Drift
		return s, nil
	}
	feet, ok := r.Feet()
	if !ok {
		return nil, fmt.Errorf("sensor %s: kind = \"odometry\": needs a robot with two legs whose feet have shapes",
			d.cfg.Name)
	}
	s.legs = &legReckoner{robot: r, feet: feet, encoder: &Joints{}, lost: true, zero: make([]float64, len(r.Joints)),
		measured: make([]physics.JointState, len(r.Joints))}
	s.legs.encoder.SetDefaults()
	s.legs.encoder.Ticks = d.cfg.Odometry.Ticks
	for i := range s.legs.zero {
		n, _ := d.noise.Normal(random.Index(streamJointZero, uint64(i)))
		s.legs.zero[i] = n * s.legs.encoder.ZeroError
	}
	return s, nil
}

func (o *stepOdometry) Observe(at *Instant, obs *Observation) {
	r := at.State()
	dt := (obs.Stamp - o.stamp).Seconds()
	steps := 0.0
	if r.Motion == physics.Walking {
		steps = o.rate * dt
	}
	way := o.reckon(at, o.noise.Frame(obs.Frame), steps, dt)
	o.stamp, o.begun = obs.Stamp, true
	if at.Unread {
		return
	}
	reading := readingIn[OdometryReading](obs)
	if obs.Level == abstraction.Truth {
		*reading = OdometryReading{PoseOB: r.PoseWB, TwistB: r.TwistWBInB(), Stuck: r.Stuck}
		return
	}
	*reading = OdometryReading{PoseOB: spatial.Planar(o.pose.x, o.pose.y, o.pose.heading), Stuck: r.Stuck,
		PoseCov: o.grown.poseCovariance(&o.cfg.Odometry.Steps)}
	if dt > 0 {
		reading.TwistCov = o.cfg.Odometry.Steps.twistCovariance(way, steps, dt)
		reading.TwistB = physics.PlanarTwist{VX: way.x / dt, VY: way.y / dt, Omega: way.heading / dt}
	}
}

// reckon moves the estimated pose, and returns the way since the last frame in the robot's axes.
func (o *stepOdometry) reckon(at *Instant, noise random.Source, steps, dt float64) (way planarPose) {
	r, cfg := at.State(), &o.cfg.Odometry.Steps
	last, placed := o.motion.next(r, dt)
	if o.legs != nil {
		o.legs.measure(o.model.JointsOf(at.Robot, at.Snapshot), noise)
	}
	lies := r.Motion == physics.Falling || r.Motion == physics.Fallen || r.Motion == physics.GettingUp ||
		r.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] < math.Cos(lyingTilt) // it may have no motors, or get up by a program
	switch {
	case !o.begun || lies || !(dt > 0):
		if o.legs != nil {
			o.legs.lost = true
		}
		return way
	case o.legs != nil:
		next := o.legs.reckon(o.pose)
		way = planarOf(o.pose.spatial().Inverse().Mul(next.spatial()))
	case placed:
		return way
	default:
		way = planarOf(flat(last).Inverse().Mul(flat(r.PoseWB)))
		way = o.counted(way, noise, steps, dt)
	}
	o.grown.grow(cfg, way, o.pose.heading, steps, dt)
	o.pose = planarOf(o.pose.spatial().Mul(way.spatial()))
	return way
}

// counted returns the way that a robot counts for a true way.
func (o *stepOdometry) counted(way planarPose, noise random.Source, steps, dt float64) planarPose {
	cfg := &o.cfg.Odometry.Steps
	f := cfg.factors(way)
	way.x, way.y, way.heading = way.x*(f.x+o.scale.x), way.y*(f.y+o.scale.y), way.heading*(f.heading+o.scale.heading)
	if steps > 0 {
		share := math.Sqrt(steps)
		x, y := noise.Normal(random.Index(streamStep, 0))
		turn, _ := noise.Normal(random.Index(streamStep, 1))
		way.x, way.y = way.x+x*cfg.Noise*share, way.y+y*cfg.Noise*share
		way.heading += o.drift*dt + turn*cfg.TurnNoise*share
	}
	return way
}

// factors returns the counted shares of a way and of a turn in the robot's axes.
func (s *StepErrors) factors(way planarPose) planarPose {
	f := planarPose{s.Forward, s.Sideways, s.Turn}
	if way.x < 0 {
		f.x = s.Backward
	}
	return f
}

// ResetPose implements Odometer.
func (o *stepOdometry) ResetPose() {
	if o.legs != nil {
		o.legs.poseOS = o.pose.spatial().Inverse().Mul(o.legs.poseOS)
	}
	o.pose, o.grown = planarPose{}, stepDrift{}
}

func (o *stepOdometry) Exchange(c *keyframe.Codec) {
	if o.legs != nil {
		o.legs.Exchange(c)
	}
	o.pose.Exchange(c)
	o.grown.Exchange(c)
	o.motion.Exchange(c)
	c.Duration(&o.stamp)
	c.Bool(&o.begun)
}

// stepDrift is what the simulation knows about the errors of counted steps.
type stepDrift struct {
	bias  mgl64.Vec3    // mean error of x, y and heading in O
	scale [3]mgl64.Vec3 // derivatives of x, y and heading by the three unknown relative errors
	turn  mgl64.Vec3    // derivatives by the unknown turn rate
	steps mgl64.Mat3    // covariance of the errors of steps
}

func (d *stepDrift) Exchange(c *keyframe.Codec) {
	for _, v := range []*mgl64.Vec3{&d.bias, &d.scale[0], &d.scale[1], &d.scale[2], &d.turn} {
		c.Floats(v[:])
	}
	c.Floats(d.steps[:])
}

// grow updates the errors by a counted way, which begins at a heading.
func (d *stepDrift) grow(cfg *StepErrors, way planarPose, heading, steps, dt float64) {
	sin, cos := math.Sincos(heading)
	x, y := way.x*cos-way.y*sin, way.x*sin+way.y*cos
	moved := func(v *mgl64.Vec3, gx, gy, gTurn float64) {
		*v = mgl64.Vec3{v[0] - y*v[2] + gx*cos - gy*sin, v[1] + x*v[2] + gx*sin + gy*cos, v[2] + gTurn}
	}
	f := cfg.factors(way)
	moved(&d.bias, way.x-way.x/f.x, way.y-way.y/f.y, way.heading-way.heading/f.heading)
	moved(&d.scale[0], way.x, 0, 0)
	moved(&d.scale[1], 0, way.y, 0)
	moved(&d.scale[2], 0, 0, way.heading)
	byHeading := mgl64.Mat3{1, 0, 0, 0, 1, 0, -y, x, 1}
	d.steps = byHeading.Mul3(d.steps).Mul3(byHeading.Transpose())
	if steps == 0 {
		moved(&d.turn, 0, 0, 0)
		return
	}
	moved(&d.turn, 0, 0, dt)
	across, turn := steps*cfg.Noise*cfg.Noise, steps*cfg.TurnNoise*cfg.TurnNoise
	d.steps[0], d.steps[4], d.steps[8] = d.steps[0]+across, d.steps[4]+across, d.steps[8]+turn
}

// poseCovariance returns the covariance of the estimated pose, in O's axes.
func (d *stepDrift) poseCovariance(cfg *StepErrors) PlanarCovariance {
	p := symmetric{xx: d.steps[0], xy: d.steps[3], xz: d.steps[6], yy: d.steps[4], yz: d.steps[7], zz: d.steps[8]}
	p.add(1, d.bias[0], d.bias[1], d.bias[2])
	for _, v := range d.scale {
		p.add(cfg.Scale*cfg.Scale, v[0], v[1], v[2])
	}
	p.add(cfg.Drift*cfg.Drift, d.turn[0], d.turn[1], d.turn[2])
	return p.whole()
}

// twistCovariance returns the covariance of the velocity of a counted way of a number of steps, in the robot's axes.
func (s *StepErrors) twistCovariance(way planarPose, steps, dt float64) PlanarCovariance {
	var p symmetric
	f := s.factors(way)
	x, y, turn := way.x/dt, way.y/dt, way.heading/dt
	p.add(1, x-x/f.x, y-y/f.y, turn-turn/f.heading)
	p.xx += s.Scale*s.Scale*x*x + steps*s.Noise*s.Noise/(dt*dt)
	p.yy += s.Scale*s.Scale*y*y + steps*s.Noise*s.Noise/(dt*dt)
	p.zz += s.Scale*s.Scale*turn*turn + steps*s.TurnNoise*s.TurnNoise/(dt*dt)
	if steps > 0 {
		p.zz += s.Drift * s.Drift
	}
	return p.whole()
}
