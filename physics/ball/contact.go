package ball

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// contact is one of the ball's, with the floor where solid is nil.
type contact struct {
	solid   *Solid
	normal  mgl64.Vec3 // towards the ball
	depth   float64
	surface physics.Contact
	want    float64    // speed along the normal after it
	jn      float64    // impulse along the normal so far, N s
	jt      mgl64.Vec3 // and across
}

// iterations of sequential impulses. Two contacts at a right angle need one; the floor and a driving robot few.
const iterations = 16

// gather finds what the ball touches t seconds into the step.
func (b *Ball) gather(solids []*Solid, t float64) {
	b.contacts = b.contacts[:0]
	if b.lies() {
		b.contacts = append(b.contacts, contact{normal: mgl64.Vec3{0, 0, 1}, surface: b.carpet})
	}
	for _, s := range solids {
		if !s.near(b.Pos, b.radius, slop, t) {
			continue
		}
		if h, ok := s.look(b.Pos, b.radius, slop, t); ok {
			b.contacts = append(b.contacts, contact{solid: s, normal: h.normal, depth: h.depth, surface: s.Contact})
		}
	}
}

// closing returns how fast a contact's surface and the ball come together, at the start of a solution.
func (b *Ball) closing(c *contact, t float64) float64 {
	v := b.Twist.Lin
	if c.solid != nil {
		v = v.Sub(c.solid.velocity(b.Pos.Sub(c.normal.Mul(b.radius)), t))
	}
	return -v.Dot(c.normal)
}

// bounce throws the ball back from what it has run into.
func (b *Ball) bounce(t float64) {
	any := false
	for i := range b.contacts {
		c := &b.contacts[i]
		c.jn, c.jt, c.want = 0, mgl64.Vec3{}, math.Inf(-1)
		closing := b.closing(c, t)
		if c.solid != nil {
			c.solid.Closing = max(c.solid.Closing, closing)
		}
		if closing > impact {
			any = true
			c.want = c.surface.Restitution * closing
		} else if closing > 0 {
			c.want = 0
		}
	}
	if !any {
		return
	}
	for range iterations {
		for i := range b.contacts {
			b.relax(&b.contacts[i], t)
		}
	}
}

// solve makes the velocity one that the contacts allow, after forces have acted for h seconds.
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
	n := iterations
	if len(b.contacts)+len(rubs) == 1 {
		n = 1 // one contact is solved at once
	}
	for range n {
		for i := range rubs {
			b.rub(&rubs[i], h, t)
		}
		for i := range b.contacts {
			b.relax(&b.contacts[i], t)
		}
	}
}

// relax takes one contact a step nearer to its solution.
func (b *Ball) relax(c *contact, t float64) {
	arm := c.normal.Mul(-b.radius)
	invMass := 1 / b.mass
	if c.solid != nil {
		invMass += c.solid.InvMass
	}
	jn := max(0, c.jn+(c.want+b.closing(c, t))/invMass)
	b.apply(c.solid, c.normal.Mul(jn-c.jn), arm)
	c.jn = jn

	v := b.Twist.PointVelocity(arm)
	if c.solid != nil {
		v = v.Sub(c.solid.velocity(b.Pos.Add(arm), t))
	}
	v = v.Sub(c.normal.Mul(v.Dot(c.normal)))
	jt := c.jt.Sub(v.Mul(1 / (invMass + b.radius*b.radius/b.inertia)))
	if l, most := jt.Len(), c.surface.Friction*c.jn; l > most {
		jt = jt.Mul(most / l)
	}
	b.apply(c.solid, jt.Sub(c.jt), arm)
	c.jt = jt
}

// apply gives the ball an impulse at an arm from its centre, and the solid its opposite.
func (b *Ball) apply(s *Solid, j, arm mgl64.Vec3) {
	b.Twist.Lin = b.Twist.Lin.Add(j.Mul(1 / b.mass))
	b.Twist.Ang = b.Twist.Ang.Add(arm.Cross(j).Mul(1 / b.inertia))
	if s != nil {
		s.Impulse = s.Impulse.Sub(j)
		s.At = b.Pos.Add(arm)
	}
}
