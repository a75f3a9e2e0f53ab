package ball

import (
	"github.com/go-gl/mathgl/mgl64"
)

// Rub is the contact of a friction wheel: a driven wheel on a sprung arm that presses on the ball and turns it.
type Rub struct {
	Hold      mgl64.Vec3 // position at which the robot holds the ball's centre, at the start of the step, W
	Carrier   mgl64.Vec3 // velocity of the robot at Hold, m/s
	Out       mgl64.Vec3 // unit vector from the wheel's contact to the ball's centre
	Along     mgl64.Vec3 // unit vector of the rim's motion at the contact
	Rim       float64    // speed of the rim, relative to the robot, m/s
	Force     float64    // force on a ball at Hold, N
	Stiffness float64    // stiffness of the arm's spring, N/m
	Travel    float64    // how far a ball at Hold presses the arm in, metres
	Friction  float64
	Impulse   mgl64.Vec3 // result: impulse on the robot, N s

	jt    mgl64.Vec3
	press float64 // N
}

// travel returns how far the ball presses the arm in, t seconds into the step, metres. It returns 0 if the ball does
// not touch the wheel.
func (r *Rub) travel(centre mgl64.Vec3, t float64) float64 {
	away := centre.Sub(r.Hold.Add(r.Carrier.Mul(t))).Dot(r.Out)
	return max(0, r.Travel-away)
}

// push applies the arm's force to the ball for h seconds. It returns the impulse, in N s, by which the ball presses
// more on the floor.
func (b *Ball) push(r *Rub, h, t float64) float64 {
	in := r.travel(b.Pos, t)
	r.press = 0
	if in > 0 {
		r.press = max(0, r.Force+r.Stiffness*(in-r.Travel))
	}
	j := r.Out.Mul(r.press * h)
	b.Twist.Lin = b.Twist.Lin.Add(j.Mul(1 / b.mass))
	r.Impulse = r.Impulse.Sub(j)
	return max(0, -r.Out[2]*r.press)
}

// rub performs one iteration of the wheel's friction impulse, and returns by how much the impulse changed, in N s. The
// robot's velocity counts as constant, because the robot is much heavier than the ball.
func (b *Ball) rub(r *Rub, h, t float64) (change float64) {
	arm := r.Out.Mul(-b.radius)
	v := b.Twist.PointVelocity(arm).Sub(r.Carrier).Sub(r.Along.Mul(r.Rim))
	v = v.Sub(r.Out.Mul(v.Dot(r.Out)))
	jt := r.jt.Sub(v.Mul(1 / (1/b.mass + b.radius*b.radius/b.inertia)))
	if l, most := jt.Len(), r.Friction*r.press*h; l > most {
		jt = jt.Mul(most / l)
	}
	d := jt.Sub(r.jt)
	b.apply(nil, d, arm)
	r.Impulse = r.Impulse.Sub(d)
	r.jt = jt
	return d.Len()
}
