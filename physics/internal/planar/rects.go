package planar

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// side is the side of a rectangle with the greatest separation from another rectangle.
type side struct {
	nx, ny     float64 // normal, out of the rectangle
	separation float64 // distance to the nearest corner of the other rectangle, metres; negative for an overlap
	half       float64 // distance from the rectangle's centre to the side, metres
	reach      float64 // half the side's length
}

// farthestSide returns the side of p with the greatest separation from q. Two rectangles overlap if neither has a side
// with a positive separation from the other rectangle (separating axis theorem).
func (p *body) farthestSide(q *body) side {
	best := side{separation: math.Inf(-1)}
	dx, dy := q.x-p.x, q.y-p.y
	for k := range 2 {
		ax, ay, half, other := p.cos, p.sin, p.halfX, p.halfY
		if k == 1 {
			ax, ay, half, other = -p.sin, p.cos, p.halfY, p.halfX
		}
		along := dx*ax + dy*ay
		if along < 0 {
			ax, ay, along = -ax, -ay, -along
		}
		extent := q.halfX*math.Abs(ax*q.cos+ay*q.sin) + q.halfY*math.Abs(-ax*q.sin+ay*q.cos)
		if s := along - half - extent; s > best.separation {
			best = side{ax, ay, s, half, other}
		}
	}
	return best
}

// rects finds up to two contacts between rectangles. They are the ends of the other's nearest edge, clipped to the
// side's length, that are beneath the side. j is Static for a static body. Source: the method of E. Catto, Box2D Lite,
// 2006.
func (b *bodies) rects(p, q *body, i, j int) {
	s, other := p.farthestSide(q), q.farthestSide(p)
	if s.separation >= 0 || other.separation >= 0 {
		return
	}
	const rather = 1e-6 // m: prevents that rounding decides between two equal sides
	flip := other.separation > s.separation+rather
	from, to := p, q
	if flip {
		s, from, to = other, q, p
	}
	tx, ty := -s.ny, s.nx
	x0, y0, x1, y1 := to.edgeAgainst(s.nx, s.ny)
	u0, u1 := (x0-from.x)*tx+(y0-from.y)*ty, (x1-from.x)*tx+(y1-from.y)*ty
	for _, u := range [2]float64{mgl64.Clamp(u0, -s.reach, s.reach), mgl64.Clamp(u1, -s.reach, s.reach)} {
		k := 0.5
		if u1 != u0 {
			k = (u - u0) / (u1 - u0)
		}
		x, y := x0+k*(x1-x0), y0+k*(y1-y0)
		depth := s.half - ((x-from.x)*s.nx + (y-from.y)*s.ny)
		if depth <= 0 {
			continue
		}
		// The normal points from b to a.
		c := contact{a: p, b: q, idA: physics.BodyID(i), idB: physics.BodyID(j), x: x, y: y, nx: -s.nx, ny: -s.ny,
			depth: depth}
		if flip {
			c.nx, c.ny = s.nx, s.ny
		}
		if c.idB == physics.Static {
			c.b = nil
		}
		b.add(c)
	}
}

// edgeAgainst returns the two ends of the body's edge whose normal is most opposed to the direction (nx, ny).
func (p *body) edgeAgainst(nx, ny float64) (x0, y0, x1, y1 float64) {
	lx, ly := nx*p.cos+ny*p.sin, -nx*p.sin+ny*p.cos // the direction in p's axes
	ends := [2][2]float64{{p.halfX, p.halfY}, {p.halfX, -p.halfY}}
	if math.Abs(lx) >= math.Abs(ly) {
		if lx > 0 {
			ends[0][0], ends[1][0] = -p.halfX, -p.halfX
		}
	} else {
		ends = [2][2]float64{{p.halfX, p.halfY}, {-p.halfX, p.halfY}}
		if ly > 0 {
			ends[0][1], ends[1][1] = -p.halfY, -p.halfY
		}
	}
	x0, y0 = p.x+p.cos*ends[0][0]-p.sin*ends[0][1], p.y+p.sin*ends[0][0]+p.cos*ends[0][1]
	x1, y1 = p.x+p.cos*ends[1][0]-p.sin*ends[1][1], p.y+p.sin*ends[1][0]+p.cos*ends[1][1]
	return x0, y0, x1, y1
}
