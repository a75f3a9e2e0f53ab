package sensors

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// PlanarCovariance is the covariance of a planar pose (x, y, heading) or twist (vx, vy, omega), 3 × 3. Units are m, rad
// and s. It is 0 for exact values. For other values, what the plane leaves out (height, roll and pitch) is not
// measured.
type PlanarCovariance [9]float64

// add adds w·v·vᵀ.
func (p *PlanarCovariance) add(w float64, v mgl64.Vec3) {
	x, y, z := w*v[0], w*v[1], w*v[2]
	xy, xz, yz := x*v[1], x*v[2], y*v[2]
	p[0], p[1], p[2] = p[0]+x*v[0], p[1]+xy, p[2]+xz
	p[3], p[4], p[5] = p[3]+xy, p[4]+y*v[1], p[5]+yz
	p[6], p[7], p[8] = p[6]+xz, p[7]+yz, p[8]+z*v[2]
}

// planarPose is a pose on the floor: m, m and rad.
type planarPose struct{ x, y, heading float64 }

// move moves the pose by a velocity in the robot's axes. It uses the heading half-way between the two frames. Then the
// straight line from the old to the new position is exact to second order.
func (p *planarPose) move(t physics.PlanarTwist, dt float64) {
	sin, cos := math.Sincos(p.heading + t.Omega*dt/2)
	p.x += (t.VX*cos - t.VY*sin) * dt
	p.y += (t.VX*sin + t.VY*cos) * dt
	p.heading = spatial.WrapAngle(p.heading + t.Omega*dt)
}

func (p *planarPose) Exchange(c *keyframe.Codec) {
	c.Float(&p.x)
	c.Float(&p.y)
	c.Float(&p.heading)
}

// odometryDrift is what the simulation knows about the error of odometry. The error has three parts:
//   - Each wheel's radius has an unknown, constant relative error ε with the configured σ. To first order, it moves the
//     estimated pose by perScale·ε.
//   - The wheels slip. The simulation knows by how much: slip is the difference between the way of the robot and the
//     way of wheels with the right radii. The covariance includes its square, slip·slipᵀ.
//   - Encoders count whole ticks, and each wheel has turned farther by a part of a tick.
//
// The covariance is therefore the mean square of the error over all robots with the configuration that drive the same
// way. The mean of their normalised squared errors is 3.
type odometryDrift struct {
	wheels   int                           // number of the robot's wheels
	perRate  [physics.MaxWheels]mgl64.Vec3 // vx, vy and omega at 1 rad/s of a wheel
	perScale [physics.MaxWheels]mgl64.Vec3 // derivatives of x, y and heading in O by a wheel's relative error
	angles   [physics.MaxWheels]float64    // angles of the wheels at the last frame, rad
	rolled   planarPose                    // pose in O by exact angles and radii of the wheels
	driven   planarPose                    // true pose in O
	lastWB   spatial.Pose                  // true pose at the last frame
	speed    float64                       // true speed at the last frame, m/s
	turn     float64                       // true rate of turning at the last frame, without sign, rad/s
}

func newOdometryDrift(wheels *physics.WheelSet) odometryDrift {
	d := odometryDrift{wheels: wheels.Len()}
	for i := range d.wheels {
		var one [physics.MaxWheels]float64
		one[i] = 1
		t := wheels.Twist(one)
		d.perRate[i] = mgl64.Vec3{t.VX, t.VY, t.Omega}
	}
	return d
}

func (d *odometryDrift) Exchange(c *keyframe.Codec) {
	for i := range d.perScale {
		c.Floats(d.perScale[i][:])
	}
	c.Floats(d.angles[:])
	d.rolled.Exchange(c)
	d.driven.Exchange(c)
	c.Pose(&d.lastWB.Pos, &d.lastWB.Rot)
	c.Float(&d.speed)
	c.Float(&d.turn)
}

// start begins at the robot's present state.
func (d *odometryDrift) start(r *physics.RobotState) { d.angles = r.WheelRad; d.keep(r) }

// keep stores the true pose and velocity for the next frame, and returns this velocity in the robot's axes.
func (d *odometryDrift) keep(r *physics.RobotState) physics.PlanarTwist {
	t := r.TwistWBInB()
	d.lastWB, d.speed, d.turn = r.PoseWB, math.Sqrt(t.VX*t.VX+t.VY*t.VY), math.Abs(t.Omega)
	return t
}

// grow updates the derivatives by the relative errors of the radii: the argument rates holds the rates of the wheels as
// the encoders measure them, and t the estimated velocity. The derivatives are those of planarPose.move, which then
// moves a pose with this heading.
func (d *odometryDrift) grow(rates *[physics.MaxWheels]float64, t physics.PlanarTwist, heading, dt float64) {
	sin, cos := math.Sincos(heading + t.Omega*dt/2)
	vx, vy := t.VX*cos-t.VY*sin, t.VX*sin+t.VY*cos
	for i := range d.wheels {
		v, j := d.perRate[i].Mul(rates[i]), &d.perScale[i]
		turned := j[2] + v[2]*dt/2
		j[0] += (v[0]*cos - v[1]*sin - vy*turned) * dt
		j[1] += (v[0]*sin + v[1]*cos + vx*turned) * dt
		j[2] += v[2] * dt
	}
}

// slide updates the slip, and returns the difference between the velocity of wheels with the right radii and the true
// velocity, in the robot's axes. A robot that an action has put elsewhere has not slipped.
func (d *odometryDrift) slide(wheels *physics.WheelSet, r *physics.RobotState, dt float64) mgl64.Vec3 {
	var rates [physics.MaxWheels]float64
	for i := range d.wheels {
		rates[i] = (r.WheelRad[i] - d.angles[i]) / dt
	}
	d.angles = r.WheelRad
	t := wheels.Twist(rates)
	d.rolled.move(t, dt)
	way := d.lastWB.Inverse().Apply(r.PoseWB.Pos)
	turned := spatial.WrapAngle(r.PoseWB.Heading() - d.lastWB.Heading())
	speed, turn := d.speed, d.turn
	now := d.keep(r)
	// Largest accelerations of a robot that is not put elsewhere, m/s² and rad/s². They are guesses, and far above
	// those of collisions during a frame.
	const accel, alpha = 100, 1000
	if most := (max(speed, d.speed) + accel*dt) * dt; way[0]*way[0]+way[1]*way[1] > most*most ||
		math.Abs(turned) > (max(turn, d.turn)+alpha*dt)*dt {
		d.driven.move(t, dt)
	} else {
		sin, cos := math.Sincos(d.driven.heading)
		d.driven.x += way[0]*cos - way[1]*sin
		d.driven.y += way[0]*sin + way[1]*cos
		d.driven.heading = spatial.WrapAngle(d.driven.heading + turned)
	}
	return mgl64.Vec3{t.VX - now.VX, t.VY - now.VY, t.Omega - now.Omega}
}

// poseCovariance returns the covariance of the estimated pose, in O's axes.
func (d *odometryDrift) poseCovariance(cfg *Odometry, heading float64) (p PlanarCovariance) {
	p.add(1, mgl64.Vec3{d.rolled.x - d.driven.x, d.rolled.y - d.driven.y,
		spatial.WrapAngle(d.rolled.heading - d.driven.heading)})
	sin, cos := math.Sincos(heading)
	tick := 2 * math.Pi / cfg.Ticks
	for i := range d.wheels {
		p.add(cfg.ScaleError*cfg.ScaleError, d.perScale[i])
		v := &d.perRate[i]
		// The mean square of a number that is uniform between 0 and 1 is 1/3.
		p.add(tick*tick/3, mgl64.Vec3{v[0]*cos - v[1]*sin, v[0]*sin + v[1]*cos, v[2]})
	}
	return p
}

// twistCovariance returns the covariance of the estimated velocity at the given rates of the wheels, in the robot's
// axes. The argument perTick is the rate of one tick per frame.
func (d *odometryDrift) twistCovariance(cfg *Odometry, rates *[physics.MaxWheels]float64, perTick float64,
	slip mgl64.Vec3) (p PlanarCovariance) {
	p.add(1, slip)
	for i := range d.wheels {
		scale := cfg.ScaleError * rates[i]
		// The rate is the difference of two numbers that are rounded to whole ticks, each with a variance of 1/12.
		p.add(scale*scale+perTick*perTick/6, d.perRate[i])
	}
	return p
}
