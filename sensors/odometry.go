package sensors

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// odometry counts the ticks of the wheel encoders and adds up where they lead. At raw the wheels' radii are a little
// off, ticks are whole, and slip goes unnoticed; it reckons on at truth too, so that a switch back finds it where it
// would be.
type odometry struct {
	device
	wheels  physics.WheelSet
	scale   [physics.MaxWheels]float64 // true over believed radius of each wheel
	ticks   [physics.MaxWheels]float64 // at the last frame
	x, y    float64                    // of B in O
	heading float64
	stamp   time.Duration
	started bool
}

const streamWheelScale uint16 = 0

func newOdometry(d device, drive *physics.Drive) (*odometry, error) {
	wheels, err := drive.WheelSet()
	if err != nil {
		return nil, fmt.Errorf("sensor %s: %w", d.cfg.Name, err)
	}
	o := &odometry{device: d, wheels: wheels}
	for i := range o.scale {
		n, _ := d.noise.Normal(random.Index(streamWheelScale, uint64(i)))
		o.scale[i] = 1 + n*d.cfg.Wheels.ScaleError
	}
	return o, nil
}

func (o *odometry) Observe(at *Instant, obs *Observation) {
	r := at.State()
	twist := o.reckon(&r.WheelRad, obs.Stamp)
	obs.Odometry = &obs.parts.odometry
	if obs.Level == abstraction.Truth {
		obs.parts.odometry = OdometryReading{PoseOB: r.PoseWB, TwistB: r.TwistWBInB(), Stuck: r.Stuck}
		return
	}
	obs.parts.odometry = OdometryReading{PoseOB: spatial.Planar(o.x, o.y, o.heading), TwistB: twist, Stuck: r.Stuck}
}

// reckon moves the believed pose by what the wheels turned since the last frame and returns the believed velocity.
func (o *odometry) reckon(angles *[physics.MaxWheels]float64, stamp time.Duration) physics.PlanarTwist {
	dt := float64(stamp-o.stamp) * 1e-9
	var rates [physics.MaxWheels]float64
	perRad := o.cfg.Wheels.Ticks / (2 * math.Pi)
	perTick := 0.0 // of time
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
	// The heading in the middle of the frame makes the arc's chord exact to second order.
	sin, cos := math.Sincos(o.heading + t.Omega*dt/2)
	o.x += (t.VX*cos - t.VY*sin) * dt
	o.y += (t.VX*sin + t.VY*cos) * dt
	o.heading = spatial.WrapAngle(o.heading + t.Omega*dt)
	return t
}
