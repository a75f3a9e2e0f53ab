package ball

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// roofSlope is the slope of the conical tops of movable hulls and boxes, so that the ball rolls off them. 0.2 is a
// guess.
const roofSlope = 0.2

// Shape is the shape of a solid.
type Shape uint8

const (
	Cuboid  Shape = iota // a box with half sizes Half about Pos
	Hull                 // an upright cylinder that stands on Pos, with a mouth
	Capsule              // all points within Radius of a line along z of length 2·Half[2] about Pos
)

// Solid is a body that the ball may hit.
type Solid struct {
	ID      physics.BodyID // physics.Static for a static body
	Shape   Shape
	Contact physics.Contact
	Link    int        // joint that moves this part of a robot with legs; −1 for its trunk
	Pos     mgl64.Vec3 // centre of a cuboid or a capsule, foot of a hull, at the start of the step
	Rot     mgl64.Mat3 // rotation from the solid's axes to the world's
	Half    mgl64.Vec3 // half sizes of a cuboid; see Capsule
	Radius  float64    // of a hull or a capsule
	Height  float64    // of a hull
	// MouthRadius is a hull's radius within the bearing acos(MouthCos) from its x axis. A MouthCos of 2 means no mouth.
	MouthRadius, MouthCos float64
	Lin, Ang              mgl64.Vec3 // velocity of Pos and angular velocity, during the step
	InvMass               float64    // 1/kg; 0 for a static body
	Impulse               mgl64.Vec3 // result: impulse of the ball on the solid, N s
	At                    mgl64.Vec3 // result: point of the last contact
	Closing               float64    // result: highest closing speed of an impact, m/s; 0 for none
	reach                 float64    // largest distance of the solid's points from Pos
}

// prepare computes the values that all queries need.
func (s *Solid) prepare() {
	s.Impulse, s.Closing = mgl64.Vec3{}, 0
	s.reach = s.Half.Len() + s.Radius + s.Height
}

// hit is an overlap of the ball with a solid.
type hit struct {
	normal mgl64.Vec3 // out of the solid, W
	depth  float64    // depth of the overlap; negative for a gap
}

// posAt returns the solid's Pos t seconds into the step.
func (s *Solid) posAt(t float64) mgl64.Vec3 { return s.Pos.Add(s.Lin.Mul(t)) }

// rotAt returns the solid's rotation t seconds into the step. It considers only the rotation about the vertical axis,
// to first order.
func (s *Solid) rotAt(t float64) mgl64.Mat3 {
	if s.Ang[2] == 0 || t == 0 {
		return s.Rot
	}
	return mgl64.Rotate3DZ(s.Ang[2] * t).Mul3(s.Rot)
}

// near reports whether the ball may be closer to the solid than the distance gap, t seconds into the step.
func (s *Solid) near(centre mgl64.Vec3, radius, gap, t float64) bool {
	p := s.posAt(t)
	dx, dy, reach := centre[0]-p[0], centre[1]-p[1], s.reach+radius+gap
	return dx*dx+dy*dy <= reach*reach
}

// overlap returns the ball's overlap with the solid t seconds into the step. The bool is false if the ball is farther
// away from the solid than the distance gap.
func (s *Solid) overlap(centre mgl64.Vec3, radius, gap, t float64) (h hit, ok bool) {
	rot := s.rotAt(t)
	d := centre.Sub(s.posAt(t))
	local := mgl64.Vec3{rot.Col(0).Dot(d), rot.Col(1).Dot(d), rot.Col(2).Dot(d)}
	switch s.Shape {
	case Hull:
		h, ok = s.lookHull(local, radius, gap)
	case Capsule:
		h, ok = s.lookCapsule(local, radius, gap)
	default:
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
	default: // the centre is inside: the normal is that of the nearest side
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

func (s *Solid) lookCapsule(p mgl64.Vec3, radius, gap float64) (h hit, ok bool) {
	p[2] -= mgl64.Clamp(p[2], -s.Half[2], s.Half[2])
	d := p.Len()
	if d >= radius+s.Radius+gap {
		return hit{}, false
	}
	h.normal, h.depth = mgl64.Vec3{1, 0, 0}, radius+s.Radius-d
	if d > 0 {
		h.normal = p.Mul(1 / d)
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

// velocity returns the velocity of the solid's material at a point, t seconds into the step.
func (s *Solid) velocity(at mgl64.Vec3, t float64) mgl64.Vec3 {
	return s.Lin.Add(s.Ang.Cross(at.Sub(s.posAt(t)))).Add(s.Impulse.Mul(s.InvMass))
}

// Against returns the ball's overlap with a solid, t seconds into the step: the normal towards the ball, the depth in
// metres, and the closing speed in m/s. The result ok is false if they do not touch.
func (b *Ball) Against(s *Solid, t float64) (normal mgl64.Vec3, depth, closing float64, ok bool) {
	s.reach = s.Half.Len() + s.Radius + s.Height
	if !s.near(b.Pos, b.radius, 0, t) {
		return normal, 0, 0, false
	}
	h, ok := s.overlap(b.Pos, b.radius, 0, t)
	at := b.Pos.Sub(h.normal.Mul(b.radius))
	return h.normal, h.depth, -b.Twist.Lin.Sub(s.velocity(at, t)).Dot(h.normal), ok
}
