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

// Odometry configures the estimation of the robot's motion from the encoders of its wheels.
type Odometry struct {
	Ticks      float64 `toml:"ticks_per_turn" range:"[1, 10000000]" doc:"resolution at the wheel"`
	ScaleError float64 `toml:"wheel_radius_error" range:"[0, 0.5]" doc:"standard deviation of the unknown relative error of each wheel's radius"`
}

// SetDefaults sets the values of magnetic encoders behind a gear. The values are guesses.
func (o *Odometry) SetDefaults() { *o = Odometry{Ticks: 4096, ScaleError: 0.003} }

func (*Odometry) row() *kind { return &kind{rate: 100, reading: OdometryReading{}, integrates: true} }

// OdometryReading holds the robot's pose and velocity as estimated from the wheels.
type OdometryReading struct {
	// pose in the odometry frame O, which is the robot's frame at the start of the run; at truth, the pose in the world
	PoseOB spatial.Pose        `quantity:"odometry."`
	TwistB physics.PlanarTwist `quantity:"odometry."`      // velocity over the floor, in the robot's axes
	Stuck  bool                `quantity:"odometry.stuck"` // the wheels turn but the robot does not move
}

// MarshalJSON writes the twist as m/s, m/s and rad/s.
func (r *OdometryReading) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Pose     *poseJSON  `json:"pose"`
		Velocity [3]float64 `json:"velocity_m_s_m_s_rad_s"`
		Stuck    bool       `json:"stuck,omitempty"`
	}{poseOf(r.PoseOB), [3]float64{r.TwistB.VX, r.TwistB.VY, r.TwistB.Omega}, r.Stuck})
}

// odometry integrates the ticks of the wheel encoders. At raw its estimate has three errors: it assumes slightly wrong
// radii of the wheels, it counts whole ticks, and it does not notice slip. It also integrates at truth, so that the
// estimate is up to date when the level is switched back to raw.
type odometry struct {
	device
	wheels physics.WheelSet
	// factor on the rotation rate of each wheel, due to the error of its assumed radius
	scale   [physics.MaxWheels]float64
	ticks   [physics.MaxWheels]float64 // number of ticks at the last frame
	x, y    float64                    // estimated position of B in O, m
	heading float64
	stamp   time.Duration
	started bool
}

const streamWheelScale uint16 = 0

func (o *Odometry) build(d device, site Site) (Sensor, error) {
	wheels, err := site.Robot.Drive.WheelSet()
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", d.cfg.Name, err)
	}
	s := &odometry{device: d, wheels: wheels}
	for i := range s.scale {
		n, _ := d.noise.Normal(random.Index(streamWheelScale, uint64(i)))
		s.scale[i] = 1 + n*o.ScaleError
	}
	return s, nil
}

func (o *odometry) Observe(at *Instant, obs *Observation) {
	r := at.State()
	twist := o.reckon(&r.WheelRad, obs.Stamp)
	reading := readingIn[OdometryReading](obs)
	if obs.Level == abstraction.Truth {
		*reading = OdometryReading{PoseOB: r.PoseWB, TwistB: r.TwistWBInB(), Stuck: r.Stuck}
		return
	}
	*reading = OdometryReading{PoseOB: spatial.Planar(o.x, o.y, o.heading), TwistB: twist, Stuck: r.Stuck}
}

func (o *odometry) Exchange(c *keyframe.Codec) {
	c.Floats(o.ticks[:])
	c.Float(&o.x)
	c.Float(&o.y)
	c.Float(&o.heading)
	c.Duration(&o.stamp)
	c.Bool(&o.started)
}

// reckon moves the estimated pose by the rotation of the wheels since the last frame, and returns the estimated
// velocity. The argument angles holds the present angles of the wheels, in rad.
func (o *odometry) reckon(angles *[physics.MaxWheels]float64, stamp time.Duration) physics.PlanarTwist {
	dt := float64(stamp-o.stamp) * 1e-9
	var rates [physics.MaxWheels]float64
	perRad := o.cfg.Odometry.Ticks / (2 * math.Pi)
	perTick := 0.0 // rotation rate of a wheel at one tick per frame, rad/s
	if dt > 0 {
		perTick = 1 / (perRad * dt)
	}
	for i := range o.wheels.Len() {
		ticks := math.Floor(angles[i] * perRad)
		rates[i] = (ticks - o.ticks[i]) * perTick * o.scale[i]
		o.ticks[i] = ticks
	}
	first := !o.started
	o.stamp, o.started = stamp, true
	if first || dt <= 0 {
		return physics.PlanarTwist{}
	}
	t := o.wheels.Twist(rates)
	// Use the heading half-way between the two frames. Then the straight line from the old to the new position is exact
	// to second order.
	sin, cos := math.Sincos(o.heading + t.Omega*dt/2)
	o.x += (t.VX*cos - t.VY*sin) * dt
	o.y += (t.VX*sin + t.VY*cos) * dt
	o.heading = spatial.WrapAngle(o.heading + t.Omega*dt)
	return t
}
