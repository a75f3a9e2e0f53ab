package sensors

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// VisualOdometry configures what a program estimates of the robot's motion from the images of a camera. Its errors do
// not depend on what the camera sees, and it never loses track. All defaults are guesses: published drifts of visual
// odometry are 1 to 2 % of the way.
type VisualOdometry struct {
	ScaleError float64 `toml:"scale_error" range:"[0, 0.5]" doc:"standard deviation of the unknown relative error of all distances, as from a wrong height of the camera"`
	Drift      float64 `toml:"drift_m" range:"[0, 1]" doc:"standard deviation of the position's error after 1 m; it grows with the root of the way"`
	TurnDrift  float64 `toml:"turn_drift_deg" range:"[0, 90]" doc:"standard deviation of the heading's error after a turn of 1 rad; it grows with the root of the turn"`
	Jitter     float64 `toml:"jitter_deg" range:"[0, 10]" doc:"standard deviation of the heading's error from one image to the next, also at rest"`
}

// SetDefaults sets the guesses.
func (v *VisualOdometry) SetDefaults() {
	*v = VisualOdometry{ScaleError: 0.02, Drift: 0.02, TurnDrift: 1.5 * spatial.Degree, Jitter: 0.02 * spatial.Degree}
}

func (*VisualOdometry) row() *kind {
	return &kind{rate: 30, reading: OdometryReading{}, integrates: true}
}

// visualOdometry adds up the errors of the motion between two frames. It also does so at truth, so that the estimate is
// up to date when the level is switched back to raw.
type visualOdometry struct {
	device
	scale    float64    // factor on distances
	pose     planarPose // estimated pose of B in O, the robot's frame at the start
	perScale [2]float64 // derivatives of x and y of pose by scale
	cov      symmetric  // of pose, without that of scale
	motion   lastMotion
	stamp    time.Duration
	started  bool
}

// Streams of random numbers: of the sensor, and within a frame.
const (
	streamVisualScale uint16 = iota
	streamVisualMove
	streamVisualTurn
)

func (v *VisualOdometry) build(d device, _ Site) (Sensor, error) {
	n, _ := d.noise.Normal(random.Index(streamVisualScale, 0))
	return &visualOdometry{device: d, scale: 1 + n*v.ScaleError}, nil
}

func (v *visualOdometry) Observe(at *Instant, obs *Observation) {
	r := at.State()
	twist, twistCov := v.advance(r, obs)
	if at.Unread {
		return
	}
	reading := readingIn[OdometryReading](obs)
	if obs.Level == abstraction.Truth {
		*reading = OdometryReading{PoseOB: r.PoseWB, TwistB: r.TwistWBInB()}
		return
	}
	cov, scale := v.cov, v.cfg.VisualOdometry.ScaleError
	cov.add(scale*scale, v.perScale[0], v.perScale[1], 0)
	*reading = OdometryReading{PoseOB: spatial.Planar(v.pose.x, v.pose.y, v.pose.heading), TwistB: twist,
		PoseCov: cov.whole(), TwistCov: twistCov}
}

// advance moves the estimated pose by the motion since the last frame. It returns the estimated velocity and its
// covariance.
func (v *visualOdometry) advance(r *physics.RobotState, obs *Observation) (t physics.PlanarTwist,
	cov PlanarCovariance) {
	spec, dt, started := v.cfg.VisualOdometry, (obs.Stamp - v.stamp).Seconds(), v.started
	last, placed := v.motion.next(r, dt)
	v.stamp, v.started = obs.Stamp, true
	if !started || dt <= 0 {
		return t, cov
	}
	turn := spatial.WrapAngle(r.PoseWB.Heading() - last.Heading())
	half := spatial.Planar(last.Pos[0], last.Pos[1], last.Heading()+turn/2)
	step := half.Unrotate(r.PoseWB.Pos.Sub(last.Pos))
	way := math.Hypot(step[0], step[1])
	if placed {
		step, turn, way = step.Mul(0), 0, 0
	}
	noise := v.noise.Frame(obs.Frame)
	ofX, ofY := noise.Normal(random.Index(streamVisualMove, 0))
	ofTurn, _ := noise.Normal(random.Index(streamVisualTurn, 0))
	// the drift of a position has two components
	move := spec.Drift * math.Sqrt(way/2)
	rotate := math.Sqrt(spec.TurnDrift*spec.TurnDrift*math.Abs(turn) + spec.Jitter*spec.Jitter)
	t = physics.PlanarTwist{VX: (v.scale*step[0] + move*ofX) / dt, VY: (v.scale*step[1] + move*ofY) / dt,
		Omega: (turn + rotate*ofTurn) / dt}
	before := v.pose
	sin, cos := v.pose.move(t, dt)
	v.grow(v.pose.x-before.x, v.pose.y-before.y, move*move, rotate*rotate)
	v.perScale[0] += step[0]*cos - step[1]*sin
	v.perScale[1] += step[0]*sin + step[1]*cos
	var p symmetric
	p.add(move*move/(dt*dt), 1, 0, 0)
	p.add(move*move/(dt*dt), 0, 1, 0)
	p.add(rotate*rotate/(dt*dt), 0, 0, 1)
	p.add(spec.ScaleError*spec.ScaleError/(dt*dt), step[0], step[1], 0)
	return t, p.whole()
}

// grow propagates the covariance of the pose along a step of (dx, dy) in O, and adds the variances of the step and of
// its turn. Half of the turn's error is there along the step.
func (v *visualOdometry) grow(dx, dy, move, turn float64) {
	c := v.cov
	v.cov.xx += dy * (dy*c.zz - 2*c.xz)
	v.cov.xy += dx*c.xz - dy*c.yz - dx*dy*c.zz
	v.cov.yy += dx * (dx*c.zz + 2*c.yz)
	v.cov.xz -= dy * c.zz
	v.cov.yz += dx * c.zz
	v.cov.add(turn, -dy/2, dx/2, 1)
	v.cov.xx += move
	v.cov.yy += move
}

func (v *visualOdometry) Exchange(c *keyframe.Codec) {
	v.pose.Exchange(c)
	c.Floats(v.perScale[:])
	for _, x := range []*float64{&v.cov.xx, &v.cov.xy, &v.cov.xz, &v.cov.yy, &v.cov.yz, &v.cov.zz} {
		c.Float(x)
	}
	v.motion.Exchange(c)
	c.Duration(&v.stamp)
	c.Bool(&v.started)
}
