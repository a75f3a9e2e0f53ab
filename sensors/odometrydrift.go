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

// symmetric is a PlanarCovariance of which equal elements are stored once.
type symmetric struct{ xx, xy, xz, yy, yz, zz float64 }

// add adds w·v·vᵀ, where v is (vx, vy, vz).
func (s *symmetric) add(w, vx, vy, vz float64) {
	x, y, z := w*vx, w*vy, w*vz
	s.xx, s.xy, s.xz = s.xx+x*vx, s.xy+x*vy, s.xz+x*vz
	s.yy, s.yz, s.zz = s.yy+y*vy, s.yz+y*vz, s.zz+z*vz
}

func (s *symmetric) whole() PlanarCovariance {
	return PlanarCovariance{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}
}

// planarPose is a pose on the floor: m, m and rad.
type planarPose struct{ x, y, heading float64 }

// move moves the pose by a velocity in the robot's axes, and returns the sine and cosine of the heading half-way. With
// this heading, the straight line from the old to the new position is exact to second order.
func (p *planarPose) move(t physics.PlanarTwist, dt float64) (sin, cos float64) {
	sin, cos = math.Sincos(p.heading + t.Omega*dt/2)
	p.x += (t.VX*cos - t.VY*sin) * dt
	p.y += (t.VX*sin + t.VY*cos) * dt
	p.heading = spatial.WrapAngle(p.heading + t.Omega*dt)
	return sin, cos
}

// spatial returns the pose in space, and planarOf the part of a pose on the floor.
func (p *planarPose) spatial() spatial.Pose { return spatial.Planar(p.x, p.y, p.heading) }

func planarOf(p spatial.Pose) planarPose { return planarPose{p.Pos[0], p.Pos[1], p.Heading()} }

func (p *planarPose) Exchange(c *keyframe.Codec) {
	c.Float(&p.x)
	c.Float(&p.y)
	c.Float(&p.heading)
}

// odometryDrift is what the simulation knows about the error of odometry. The error has three parts:
//   - Each wheel's radius has an unknown, constant relative error ε with the configured σ. To first order, it moves the
//     estimated pose by perScale·ε.
//   - The wheels slip, and the configuration may bias their assumed dimensions. The simulation knows by how much: slip
//     is the difference between the way of the robot and the way of wheels with the assumed dimensions, without ε. The
//     covariance includes its square, slip·slipᵀ.
//   - Encoders count whole ticks, and each wheel has turned farther by a part of a tick.
//
// The covariance is therefore the mean square of the error over all robots with the configuration that drive the same
// way. The mean of their normalised squared errors is 3.
type odometryDrift struct {
	wheels   int                           // number of the robot's wheels
	perRate  [physics.MaxWheels]mgl64.Vec3 // vx, vy and omega at 1 rad/s of a wheel
	perScale [physics.MaxWheels]mgl64.Vec3 // derivatives of x, y and heading in O by a wheel's relative error
	angles   [physics.MaxWheels]float64    // angles of the wheels at the last frame, rad
	rolled   planarPose                    // pose in O by exact angles of the wheels, without ε
	poseWO   spatial.Pose                  // O in the world; an action that puts the robot elsewhere moves it too
	lastMotion
}

// lastMotion is the true motion of the robot at the last frame.
type lastMotion struct {
	lastWB spatial.Pose
	speed  float64 // m/s
	turn   float64 // rate of turning, without sign, rad/s
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
	c.Pose(&d.poseWO.Pos, &d.poseWO.Rot)
	d.lastMotion.Exchange(c)
}

// start begins at the robot's present state.
func (d *odometryDrift) start(r *physics.RobotState) {
	d.angles, d.poseWO = r.WheelRad, flat(r.PoseWB)
	d.keep(r)
}

// restart begins at the last frame.
func (d *odometryDrift) restart() {
	d.perScale, d.rolled, d.poseWO = [physics.MaxWheels]mgl64.Vec3{}, planarPose{}, flat(d.lastWB)
}

func (m *lastMotion) Exchange(c *keyframe.Codec) {
	c.Pose(&m.lastWB.Pos, &m.lastWB.Rot)
	c.Float(&m.speed)
	c.Float(&m.turn)
}

// keep stores the true pose and velocity for the next frame.
func (m *lastMotion) keep(r *physics.RobotState) {
	v := &r.TwistWBInW
	m.lastWB, m.speed, m.turn = r.PoseWB, math.Sqrt(v.Lin[0]*v.Lin[0]+v.Lin[1]*v.Lin[1]), math.Abs(v.Ang[2])
}

// next stores the true pose and velocity a time dt after the last frame. It returns the last pose, and reports whether
// an action has put the robot elsewhere meanwhile.
func (m *lastMotion) next(r *physics.RobotState, dt float64) (lastWB spatial.Pose, placed bool) {
	last := *m
	m.keep(r)
	// Largest accelerations of a robot that is not put elsewhere, m/s² and rad/s². They are guesses, and far above
	// those of collisions during a frame.
	const accel, alpha = 100, 1000
	x, y := r.PoseWB.Pos[0]-last.lastWB.Pos[0], r.PoseWB.Pos[1]-last.lastWB.Pos[1]
	most, mostTurn := (max(last.speed, m.speed)+accel*dt)*dt, (max(last.turn, m.turn)+alpha*dt)*dt
	// The square of a small angle between two orientations is 8·(1 − |cos(angle/2)|).
	placed = x*x+y*y > most*most || 8*(1-math.Abs(r.PoseWB.Rot.Dot(last.lastWB.Rot))) > mostTurn*mostTurn
	return last.lastWB, placed
}

// flat returns the pose on the floor below a pose.
func flat(p spatial.Pose) spatial.Pose { return spatial.Planar(p.Pos[0], p.Pos[1], p.Heading()) }

// grow updates the derivatives by the relative errors of the radii: the argument rates holds the rates of the wheels as
// the encoders measure them, and t the estimated velocity. The arguments sin and cos are those that planarPose.move
// returns for t.
func (d *odometryDrift) grow(rates *[physics.MaxWheels]float64, t physics.PlanarTwist, sin, cos, dt float64) {
	vx, vy := t.VX*cos-t.VY*sin, t.VX*sin+t.VY*cos
	for i := range d.wheels {
		v, j := d.perRate[i].Mul(rates[i]), &d.perScale[i]
		turned := j[2] + v[2]*dt/2
		j[0] += (v[0]*cos - v[1]*sin - vy*turned) * dt
		j[1] += (v[0]*sin + v[1]*cos + vx*turned) * dt
		j[2] += v[2] * dt
	}
}

// slide updates the slip, and returns the velocity of wheels without the error ε, in the robot's axes. A robot that an
// action has put elsewhere has not slipped.
func (d *odometryDrift) slide(wheels *physics.WheelSet, r *physics.RobotState, dt float64) physics.PlanarTwist {
	var rates [physics.MaxWheels]float64
	for i := range d.wheels {
		rates[i] = (r.WheelRad[i] - d.angles[i]) / dt
	}
	d.angles = r.WheelRad
	t := wheels.Twist(rates)
	d.rolled.move(t, dt)
	if last, placed := d.next(r, dt); placed {
		wheelsB := planarPose{}
		wheelsB.move(t, dt)
		way := spatial.Planar(wheelsB.x, wheelsB.y, wheelsB.heading)
		d.poseWO = flat(r.PoseWB).Mul(way.Inverse()).Mul(flat(last).Inverse()).Mul(d.poseWO)
	}
	return t
}

// poseCovariance returns the covariance of the estimated pose, in O's axes.
func (d *odometryDrift) poseCovariance(cfg *Odometry, heading float64) PlanarCovariance {
	var p symmetric
	drivenOB := d.poseWO.Inverse().Mul(flat(d.lastWB))
	p.add(1, d.rolled.x-drivenOB.Pos[0], d.rolled.y-drivenOB.Pos[1],
		spatial.WrapAngle(d.rolled.heading-drivenOB.Heading()))
	sin, cos := math.Sincos(heading)
	tick := 2 * math.Pi / cfg.Ticks
	scale2, tick2 := cfg.ScaleError*cfg.ScaleError, tick*tick/3 // the mean square of a number uniform in [0, 1] is 1/3
	for i := range d.wheels {
		e, v := &d.perScale[i], &d.perRate[i]
		p.add(scale2, e[0], e[1], e[2])
		p.add(tick2, v[0]*cos-v[1]*sin, v[0]*sin+v[1]*cos, v[2])
	}
	return p.whole()
}

// twistErrors holds the causes of the error of an estimated velocity.
type twistErrors struct {
	rates   [physics.MaxWheels]float64 // rates of the wheels as the encoders measure them, rad/s
	perTick float64                    // rate of one tick per frame, rad/s
	rolled  physics.PlanarTwist        // velocity of wheels without the error ε
}

// twistCovariance returns the covariance of the estimated velocity, in the robot's axes. The argument now is the true
// velocity.
func (d *odometryDrift) twistCovariance(cfg *Odometry, e *twistErrors, now physics.PlanarTwist) PlanarCovariance {
	var p symmetric
	p.add(1, e.rolled.VX-now.VX, e.rolled.VY-now.VY, e.rolled.Omega-now.Omega)
	for i := range d.wheels {
		scale, v := cfg.ScaleError*e.rates[i], &d.perRate[i]
		// The rate is the difference of two numbers that are rounded to whole ticks, each with a variance of 1/12.
		p.add(scale*scale+e.perTick*e.perTick/6, v[0], v[1], v[2])
	}
	return p.whole()
}
