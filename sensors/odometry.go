package sensors

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Odometry configures the estimation of the robot's motion from the encoders of its wheels, or of the joints of its
// legs.
type Odometry struct {
	Ticks      float64 `toml:"ticks_per_turn" range:"[1, 10000000]" doc:"resolution at the wheel, or at each joint of a leg"`
	ScaleError float64 `toml:"wheel_radius_error" range:"[0, 0.5]" doc:"standard deviation of the unknown relative error of each wheel's radius"`
	// The systematic errors of Borenstein and Feng, "Measurement and correction of systematic odometry errors in mobile
	// robots", IEEE Trans. Robotics and Automation 12(6), 1996.
	RadiusBias []float64 `toml:"wheel_radius_bias" range:"[-0.5, 0.5]" doc:"relative errors of the radii that odometry assumes, one for each wheel of the drive; default 0"`
	BaseBias   float64   `toml:"wheelbase_bias" range:"[-0.5, 0.5]" doc:"relative error of the distances of the wheels from the robot's centre that odometry assumes"`

	Steps StepErrors `toml:"steps" doc:"errors of the steps that a robot on legs counts"`
}

// SetDefaults sets the values of magnetic encoders behind a gear. The values are guesses.
func (o *Odometry) SetDefaults() {
	*o = Odometry{Ticks: 4096, ScaleError: 0.003}
	o.Steps.SetDefaults()
}

func (*Odometry) row() *kind { return &kind{rate: 100, reading: OdometryReading{}, integrates: true} }

// OdometryReading holds the robot's pose and velocity as estimated from the wheels or the
// legs.
type OdometryReading struct {
	// pose of the robot in the odometry frame O, which is the robot's frame at the start of the run; at level truth,
	// the pose in the world
	PoseOB spatial.Pose        `quantity:"odometry."`
	TwistB physics.PlanarTwist `quantity:"odometry."`      // velocity over the floor, in the robot's axes
	Stuck  bool                `quantity:"odometry.stuck"` // the wheels turn but the robot does not move
	// covariances of the errors of PoseOB, in O's axes, and of TwistB; 0 at truth
	PoseCov  PlanarCovariance `quantity:"odometry.covariance"`
	TwistCov PlanarCovariance `quantity:"odometry.twist_covariance"`
}

// MarshalJSON writes the twist as m/s, m/s and rad/s.
func (r *OdometryReading) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Pose     *poseJSON  `json:"pose"`
		Velocity [3]float64 `json:"velocity_m_s_m_s_rad_s"`
		Stuck    bool       `json:"stuck,omitempty"`
	}{poseOf(r.PoseOB), [3]float64{r.TwistB.VX, r.TwistB.VY, r.TwistB.Omega}, r.Stuck})
}

// Odometer is a Sensor that estimates the robot's pose from its motion. ResetPose makes the place of the robot at the
// sensor's last frame its new frame O, so that the way since then counts.
type Odometer interface{ ResetPose() }

// odometry integrates the ticks of the wheel encoders. At raw its estimate has three errors: it assumes slightly wrong
// radii and places of the wheels, it counts whole ticks, and it does not notice slip. It also integrates at truth, so
// that the estimate is up to date when the level is switched back to raw.
type odometry struct {
	device
	wheels physics.WheelSet // as odometry assumes it
	// factor on the rotation rate of each wheel, due to the error of its assumed radius
	scale   [physics.MaxWheels]float64
	ticks   [physics.MaxWheels]float64 // number of ticks at the last frame
	pose    planarPose                 // estimated pose of B in O
	drift   odometryDrift
	stamp   time.Duration
	started bool
}

const streamWheelScale uint16 = 0

func (o *Odometry) build(d device, site Site) (Sensor, error) {
	if site.Robot.Drive.Legged() {
		return newStepOdometry(d, site)
	}
	wheels, err := site.Robot.Drive.AssumedWheels(o.RadiusBias, o.BaseBias)
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", d.cfg.Name, err)
	}
	if n := len(o.RadiusBias); n > 0 && n != wheels.Len() {
		return nil, fmt.Errorf("sensor %s: odometry.wheel_radius_bias has %d values: must have one for each of the "+
			"%d wheels", d.cfg.Name, n, wheels.Len())
	}
	s := &odometry{device: d, wheels: wheels, drift: newOdometryDrift(&wheels)}
	for i := range s.scale {
		n, _ := d.noise.Normal(random.Index(streamWheelScale, uint64(i)))
		s.scale[i] = 1 + n*o.ScaleError
	}
	return s, nil
}

func (o *odometry) Observe(at *Instant, obs *Observation) {
	r := at.State()
	twist, errs := o.reckon(r, obs.Stamp)
	if at.Unread {
		return
	}
	reading := readingIn[OdometryReading](obs)
	if obs.Level == abstraction.Truth {
		*reading = OdometryReading{PoseOB: r.PoseWB, TwistB: r.TwistWBInB(), Stuck: r.Stuck}
		return
	}
	*reading = OdometryReading{PoseOB: spatial.Planar(o.pose.x, o.pose.y, o.pose.heading), TwistB: twist,
		Stuck: r.Stuck, PoseCov: o.drift.poseCovariance(o.cfg.Odometry, o.pose.heading),
		TwistCov: o.drift.twistCovariance(o.cfg.Odometry, &errs, r.TwistWBInB())}
}

// ResetPose implements Odometer.
func (o *odometry) ResetPose() {
	o.pose = planarPose{}
	o.drift.restart()
}

func (o *odometry) Exchange(c *keyframe.Codec) {
	c.Floats(o.ticks[:])
	o.pose.Exchange(c)
	o.drift.Exchange(c)
	c.Duration(&o.stamp)
	c.Bool(&o.started)
}

// reckon moves the estimated pose by the rotation of the wheels since the last frame. It returns the estimated velocity
// and the causes of its error.
func (o *odometry) reckon(r *physics.RobotState, stamp time.Duration) (t physics.PlanarTwist, errs twistErrors) {
	dt := float64(stamp-o.stamp) * 1e-9
	var rates [physics.MaxWheels]float64 // rad/s, with the error of the wheel's radius
	perRad := o.cfg.Odometry.Ticks / (2 * math.Pi)
	if dt > 0 {
		errs.perTick = 1 / (perRad * dt)
	}
	for i := range o.wheels.Len() {
		ticks := math.Floor(r.WheelRad[i] * perRad)
		errs.rates[i] = (ticks - o.ticks[i]) * errs.perTick
		rates[i] = errs.rates[i] * o.scale[i]
		o.ticks[i] = ticks
	}
	first := !o.started
	o.stamp, o.started = stamp, true
	if first {
		o.drift.start(r)
	}
	if first || dt <= 0 {
		return t, twistErrors{perTick: o.cfg.Rate / perRad}
	}
	t = o.wheels.Twist(rates)
	sin, cos := o.pose.move(t, dt)
	o.drift.grow(&errs.rates, t, sin, cos, dt)
	errs.rolled = o.drift.slide(&o.wheels, r, dt)
	return t, errs
}
