package ball

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// contact is a contact of the ball with a solid, or with the floor if solid is nil.
type contact struct {
	solid   *Solid
	normal  mgl64.Vec3 // towards the ball
	depth   float64
	surface physics.Contact
	want    float64    // wanted speed along the normal after the contact, m/s
	jn      float64    // impulse along the normal so far, N s
	jt      mgl64.Vec3 // impulse across the normal so far, N s
}

const (
	// iterations is the largest number of iterations. Each solves all normal impulses together, because sequential
	// impulses converge slowly for a light ball between heavy bodies. Then it solves the friction impulses one by one.
	iterations = 16
	// most is the largest number of contacts that are solved together.
	most = 8
	// converged is a change of an impulse, in N s. Iteration ends after an iteration with no larger change. The value
	// changes the speed of a ball by 2 µm/s.
	converged = 1e-6
)

// gather finds the ball's contacts t seconds into the step.
func (b *Ball) gather(solids []*Solid, t float64) {
	b.contacts = b.contacts[:0]
	if b.lies() {
		b.contacts = append(b.contacts, contact{normal: mgl64.Vec3{0, 0, 1}, surface: b.carpet})
	}
	for _, s := range solids {
		if !s.near(b.Pos, b.radius, slop, t) {
			continue
		}
		if h, ok := s.overlap(b.Pos, b.radius, slop, t); ok {
			b.contacts = append(b.contacts, contact{solid: s, normal: h.normal, depth: h.depth, surface: s.Contact})
		}
	}
}

// closing returns the closing speed at a contact in m/s before impulses are solved.
func (b *Ball) closing(c *contact, t float64) float64 {
	v := b.Twist.Lin
	if c.solid != nil {
		v = v.Sub(c.solid.velocity(b.Pos.Sub(c.normal.Mul(b.radius)), t))
	}
	return -v.Dot(c.normal)
}

// bounce applies restitution to contacts with an impact.
func (b *Ball) bounce(t float64) {
	any := false
	for i := range b.contacts {
		c := &b.contacts[i]
		c.jn, c.jt, c.want = 0, mgl64.Vec3{}, 0
		closing := b.closing(c, t)
		if c.solid != nil {
			c.solid.Closing = max(c.solid.Closing, closing)
		}
		if closing > impact {
			any = true
			c.want = c.surface.Restitution * closing
		}
	}
	if !any {
		return
	}
	for range iterations {
		change := b.press(t)
		for i := range b.contacts {
			change = max(change, b.drag(&b.contacts[i], t))
		}
		if change < converged {
			return
		}
	}
}

// solve changes the velocity by the contacts' impulses, after forces have acted for h seconds.
func (b *Ball) solve(h, t float64, rubs []Rub) {
	if len(b.contacts) == 0 && len(rubs) == 0 {
		return
	}
	for i := range b.contacts {
		c := &b.contacts[i]
		c.jn, c.jt, c.want = 0, mgl64.Vec3{}, 0
		if c.depth > slop {
			c.want = min(pushOut, settle*(c.depth-slop)/h)
		}
	}
	for i := range rubs {
		rubs[i].jt = mgl64.Vec3{}
	}
	for range iterations {
		change := 0.0
		for i := range rubs {
			change = max(change, b.rub(&rubs[i], h))
		}
		change = max(change, b.press(t))
		for i := range b.contacts {
			change = max(change, b.drag(&b.contacts[i], t))
		}
		if change < converged || len(b.contacts)+len(rubs) == 1 { // a single contact needs one iteration
			return
		}
	}
}

// press solves for all normal impulses together, and returns the largest change of an impulse, in N s. It removes
// contacts whose impulse is negative, beginning with the most negative impulse.
func (b *Ball) press(t float64) (change float64) {
	n := min(len(b.contacts), most)
	var a [most][most]float64
	var lack, d [most]float64
	var out [most]bool
	for i := range n {
		c := &b.contacts[i]
		lack[i] = c.want + b.closing(c, t)
		for j := range n {
			a[i][j] = c.normal.Dot(b.contacts[j].normal) / b.mass
		}
		if c.solid != nil {
			a[i][i] += c.solid.InvMass
		}
		a[i][i] *= 1 + 1e-9 // keeps the matrix regular for two contacts with the same normal
	}
	for range n {
		d = solveActive(n, a, lack, out)
		worst, least := -1, 0.0
		for i := range n {
			if pull := b.contacts[i].jn + d[i]; !out[i] && pull < least {
				worst, least = i, pull
			}
		}
		if worst < 0 {
			break
		}
		out[worst] = true // removes the contact's impulse so far
		for j := range n {
			lack[j] += a[j][worst] * b.contacts[worst].jn
		}
	}
	for i := range n {
		c := &b.contacts[i]
		if out[i] {
			d[i] = -c.jn
		}
		d[i] = max(d[i], -c.jn)
		b.apply(c.solid, c.normal.Mul(d[i]), c.normal.Mul(-b.radius))
		c.jn += d[i]
		change = max(change, d[i], -d[i])
	}
	return change
}

// solveActive solves a·d = lack by elimination. It leaves out the contacts whose entry in out is true. The matrix a is
// symmetric and positive definite.
func solveActive(n int, a [most][most]float64, lack [most]float64, out [most]bool) (d [most]float64) {
	for k := range n {
		if out[k] {
			continue
		}
		for i := k + 1; i < n; i++ {
			if out[i] {
				continue
			}
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			lack[i] -= f * lack[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		if out[k] {
			continue
		}
		sum := lack[k]
		for j := k + 1; j < n; j++ {
			sum -= a[k][j] * d[j]
		}
		d[k] = sum / a[k][k]
	}
	return d
}

// drag performs one iteration of a contact's friction impulse. It returns the magnitude of the change of the impulse,
// in N s.
func (b *Ball) drag(c *contact, t float64) (change float64) {
	arm := c.normal.Mul(-b.radius)
	invMass := 1 / b.mass
	v := b.Twist.PointVelocity(arm)
	if c.solid != nil {
		invMass += c.solid.InvMass
		v = v.Sub(c.solid.velocity(b.Pos.Add(arm), t))
	}
	v = v.Sub(c.normal.Mul(v.Dot(c.normal)))
	jt := c.jt.Sub(v.Mul(1 / (invMass + b.radius*b.radius/b.inertia)))
	if l, limit := jt.Len(), c.surface.Friction*c.jn; l > limit {
		jt = jt.Mul(limit / l)
	}
	d := jt.Sub(c.jt)
	b.apply(c.solid, d, arm)
	c.jt = jt
	return d.Len()
}

// apply applies an impulse to the ball at an arm from its centre, and the opposite impulse to the solid.
func (b *Ball) apply(s *Solid, j, arm mgl64.Vec3) {
	b.Twist.Lin = b.Twist.Lin.Add(j.Mul(1 / b.mass))
	b.Twist.Ang = b.Twist.Ang.Add(arm.Cross(j).Mul(1 / b.inertia))
	if s != nil {
		s.Impulse = s.Impulse.Sub(j)
		s.At = b.Pos.Add(arm)
	}
}

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

// travel returns how far the ball presses the arm in, in metres, at the time t seconds after the start of the step. It
// returns 0 if the ball does not touch the wheel.
func (r *Rub) travel(centre mgl64.Vec3, t float64) float64 {
	away := centre.Sub(r.Hold.Add(r.Carrier.Mul(t))).Dot(r.Out)
	return max(0, r.Travel-away)
}

// push applies the arm's force to the ball for h seconds. The force also presses the ball on the floor; push returns
// the impulse of this, in N s.
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

// rub performs one iteration of the wheel's friction impulse. It returns the magnitude of the change of the impulse, in
// N s. The robot's velocity counts as constant, because the robot is much heavier than the ball.
func (b *Ball) rub(r *Rub, h float64) (change float64) {
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
