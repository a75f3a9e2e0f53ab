package ball

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// roofSlope makes the tops of hulls and boxes that move shallow cones, so that no ball stays up there. Guess.
const roofSlope = 0.2

// Shape is what a solid looks like to the ball.
type Shape uint8

const (
	Cuboid Shape = iota // Half sizes about Pos
	Hull                // an upright cylinder on Pos, with a mouth
)

// Solid is something the ball may run into.
type Solid struct {
	ID      physics.BodyID // physics.Static for what does not move
	Shape   Shape
	Contact physics.Contact
	Pos     mgl64.Vec3 // centre of a cuboid, foot of a hull, at the start of the step
	Rot     mgl64.Mat3 // from its axes to the world's
	Half    mgl64.Vec3 // of a cuboid
	Radius  float64    // of a hull
	Height  float64    // of a hull
	// Within the bearing acos(MouthCos) from its x axis a hull ends at MouthRadius; 2 is no mouth.
	MouthRadius, MouthCos float64
	Lin, Ang              mgl64.Vec3 // velocity of Pos and rate of rotation, during the step
	InvMass               float64    // 0 for what the ball cannot move, 1/kg
	Impulse               mgl64.Vec3 // out: what the ball has given it, N s
	At                    mgl64.Vec3 // out: where, of the last contact
	Closing               float64    // out: greatest speed at which the ball ran into it, m/s; 0 for none
	reach                 float64    // no point is further from Pos
}

// prepare fills what every look needs.
func (s *Solid) prepare() {
	s.Impulse, s.Closing = mgl64.Vec3{}, 0
	s.reach = s.Half.Len() + s.Radius + s.Height
}

// hit is where the ball overlaps a solid.
type hit struct {
	normal mgl64.Vec3 // out of the solid, world axes
	depth  float64    // negative: this far away
}

// at returns where the solid's Pos is t seconds into the step.
func (s *Solid) at(t float64) mgl64.Vec3 { return s.Pos.Add(s.Lin.Mul(t)) }

// rotAt returns its axes t seconds into the step: turned about the vertical alone, to first order; steps are short.
func (s *Solid) rotAt(t float64) mgl64.Mat3 {
	if s.Ang[2] == 0 || t == 0 {
		return s.Rot
	}
	return mgl64.Rotate3DZ(s.Ang[2] * t).Mul3(s.Rot)
}

// near tells whether a ball could be within gap of the solid.
func (s *Solid) near(centre mgl64.Vec3, radius, gap, t float64) bool {
	p := s.at(t)
	dx, dy, reach := centre[0]-p[0], centre[1]-p[1], s.reach+radius+gap
	return dx*dx+dy*dy <= reach*reach
}

// look returns how a ball overlaps the solid t seconds into the step; ok is false when it is further off than gap.
func (s *Solid) look(centre mgl64.Vec3, radius, gap, t float64) (h hit, ok bool) {
	rot := s.rotAt(t)
	d := centre.Sub(s.at(t))
	local := mgl64.Vec3{rot.Col(0).Dot(d), rot.Col(1).Dot(d), rot.Col(2).Dot(d)}
	if s.Shape == Hull {
		h, ok = s.lookHull(local, radius, gap)
	} else {
		h, ok = s.lookCuboid(local, radius, gap)
	}
	h.normal = rot.Mul3x1(h.normal)
	return h, ok
}

func (s *Solid) lookCuboid(p mgl64.Vec3, radius, gap float64) (h hit, ok bool) {
	var out mgl64.Vec3
	nearest, side := math.Inf(1), 0
	for i := range 3 {
		out[i] = p[i] - mgl64.Clamp(p[i], -s.Half[i], s.Half[i])
		if math.Abs(out[i]) >= radius+gap {
			return hit{}, false
		}
		if inside := s.Half[i] - math.Abs(p[i]); inside < nearest {
			nearest, side = inside, i
		}
	}
	d := out.Len()
	switch {
	case d >= radius+gap:
		return hit{}, false
	case d > 0:
		h = hit{out.Mul(1 / d), radius - d}
	default: // the centre is inside: leave by the nearest side
		h.normal[side] = math.Copysign(1, p[side])
		h.depth = radius + nearest
	}
	if s.InvMass > 0 && h.normal[2] > 0.99 {
		l := math.Hypot(p[0], p[1])
		if l > 1e-9 {
			h.normal = mgl64.Vec3{roofSlope * p[0] / l, roofSlope * p[1] / l, 1}.Normalize()
		}
	}
	return h, true
}

func (s *Solid) lookHull(p mgl64.Vec3, radius, gap float64) (h hit, ok bool) {
	rho := math.Hypot(p[0], p[1])
	c, sn := 1.0, 0.0
	if rho > 0 {
		c, sn = p[0]/rho, p[1]/rho
	}
	hull := s.Radius
	if c >= s.MouthCos {
		hull = s.MouthRadius
	}
	out := rho - min(rho, hull)
	up := p[2] - mgl64.Clamp(p[2], 0, s.Height)
	d := math.Hypot(out, up)
	if d >= radius+gap {
		return hit{}, false
	}
	if d == 0 {
		return hit{mgl64.Vec3{c, sn, 0}, radius + hull - rho}, true
	}
	if up > 0 {
		out += roofSlope * up
	}
	l := math.Hypot(out, up)
	return hit{mgl64.Vec3{c * out / l, sn * out / l, up / l}, radius - d}, true
}

// velocity returns that of the solid's material at a point, t seconds into the step.
func (s *Solid) velocity(at mgl64.Vec3, t float64) mgl64.Vec3 {
	return s.Lin.Add(s.Ang.Cross(at.Sub(s.at(t)))).Add(s.Impulse.Mul(s.InvMass))
}

// Against returns how the ball overlaps a solid t seconds into the step: the normal towards the ball, how deep, and how
// fast they come together; ok is false when they do not touch.
func (b *Ball) Against(s *Solid, t float64) (normal mgl64.Vec3, depth, closing float64, ok bool) {
	s.reach = s.Half.Len() + s.Radius + s.Height
	if !s.near(b.Pos, b.radius, 0, t) {
		return normal, 0, 0, false
	}
	h, ok := s.look(b.Pos, b.radius, 0, t)
	at := b.Pos.Sub(h.normal.Mul(b.radius))
	return h.normal, h.depth, -b.Twist.Lin.Sub(s.velocity(at, t)).Dot(h.normal), ok
}
