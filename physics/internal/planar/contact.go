package planar

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// contact is a contact of two bodies. The field b is nil if the second body is static.
type contact struct {
	a, b           *body
	idA, idB       physics.BodyID
	x, y           float64
	nx, ny         float64 // from b to a
	depth          float64
	want           float64 // separating speed at which the overlap is removed, m/s
	massN, massT   float64
	jn, jt         float64
	closing        float64
	ax, ay, bx, by float64 // vectors from the bodies' centres to the contact point
}

const (
	// number of iterations of the sequential impulses: a row of ten robots against a wall settles within a few steps
	iterations = 12
	settle     = 0.2  // fraction of an overlap that a step removes
	slop       = 1e-4 // m: overlap that is left, so that contacts persist
	maxUndo    = 0.3  // m/s: largest separating speed due to an overlap. Guess, as for ODE
)

// collide finds all contacts.
func (b *bodies) collide() {
	b.contacts = b.contacts[:0]
	for i := range b.all {
		p := &b.all[i]
		p.way = (math.Abs(p.vx) + math.Abs(p.vy)) * b.dt
	}
	for i := range b.all {
		p := &b.all[i]
		for j := i + 1; j < len(b.all); j++ {
			q := &b.all[j]
			dx, dy, reach := p.x-q.x, p.y-q.y, p.reach+q.reach+p.way+q.way
			if dx*dx+dy*dy >= reach*reach {
				continue
			}
			switch {
			case p.radius > 0 && q.radius > 0:
				b.discs(p, q, i, j, dx, dy)
			case p.radius > 0:
				b.discRect(p, q, i, j, dx, dy)
			case q.radius > 0:
				b.discRect(q, p, j, i, -dx, -dy)
			default:
				b.rects(p, q, i, j)
			}
		}
		if math.Abs(p.x)+p.reach+p.way > b.clearX || math.Abs(p.y)+p.reach+p.way > b.clearY {
			b.still(p, i)
		}
	}
}

func (b *bodies) discs(p, q *body, i, j int, dx, dy float64) {
	d := math.Hypot(dx, dy)
	nx, ny := 1.0, 0.0
	if d > 0 {
		nx, ny = dx/d, dy/d
	}
	depth := p.radius + q.radius - d
	at := q.radius - depth/2
	b.add(contact{a: p, b: q, idA: physics.BodyID(i), idB: physics.BodyID(j), x: q.x + nx*at, y: q.y + ny*at, nx: nx,
		ny: ny, depth: depth})
}

func (b *bodies) discRect(p, q *body, i, j int, dx, dy float64) {
	gap := p.way + q.way
	nx, ny, depth, ok := discInRect(q.cos*dx+q.sin*dy, -q.sin*dx+q.cos*dy, p.radius+gap, q.halfX, q.halfY)
	if !ok {
		return
	}
	depth -= gap
	nx, ny = q.cos*nx-q.sin*ny, q.sin*nx+q.cos*ny
	b.add(contact{a: p, b: q, idA: physics.BodyID(i), idB: physics.BodyID(j), x: p.x - nx*p.radius,
		y: p.y - ny*p.radius, nx: nx, ny: ny, depth: depth})
}

// still finds the contacts with static bodies of the body with index i.
func (b *bodies) still(p *body, i int) {
	b.near = b.grid.Near(b.near[:0], p.x, p.y, p.reach+p.way+1e-3)
	for _, k := range b.near {
		f := &b.fixed[k]
		if f.bottom >= p.height || math.Abs(p.x-f.x) >= f.wideX+p.reach+p.way ||
			math.Abs(p.y-f.y) >= f.wideY+p.reach+p.way {
			continue
		}
		dx, dy := p.x-f.x, p.y-f.y
		switch {
		case p.radius == 0 && f.radius == 0:
			b.rects(p, &f.body, i, int(physics.Static))
			continue
		case p.radius == 0:
			b.rectAtColumn(p, f, i, dx, dy)
			continue
		}
		c := contact{a: p, idA: physics.BodyID(i), idB: physics.Static}
		nx, ny, depth, ok := discInRect(f.cos*dx+f.sin*dy, -f.sin*dx+f.cos*dy, p.radius+p.way+f.radius, f.halfX,
			f.halfY)
		if ok {
			c.nx, c.ny, c.depth = f.cos*nx-f.sin*ny, f.sin*nx+f.cos*ny, depth-p.way
			c.x, c.y = p.x-c.nx*p.radius, p.y-c.ny*p.radius
			b.add(c)
		}
	}
}

// rectAtColumn adds the contact of a rectangle with a round static body, if they touch. (dx, dy) is the vector from the
// static body's centre to the rectangle's.
func (b *bodies) rectAtColumn(p *body, f *fixed, i int, dx, dy float64) {
	nx, ny, depth, ok := discInRect(-p.cos*dx-p.sin*dy, p.sin*dx-p.cos*dy, f.radius+p.way, p.halfX, p.halfY)
	if !ok {
		return
	}
	nx, ny = p.sin*ny-p.cos*nx, -p.sin*nx-p.cos*ny // from the column to the rectangle
	b.add(contact{a: p, idA: physics.BodyID(i), idB: physics.Static, x: f.x + nx*f.radius, y: f.y + ny*f.radius, nx: nx,
		ny: ny, depth: depth - p.way})
}

// discInRect reports whether a disc, or a point, overlaps a rectangle around the origin. The normal points to the disc.
func discInRect(x, y, radius, halfX, halfY float64) (nx, ny, depth float64, ok bool) {
	dx, dy := x-mgl64.Clamp(x, -halfX, halfX), y-mgl64.Clamp(y, -halfY, halfY)
	if d := math.Hypot(dx, dy); d > 0 {
		return dx / d, dy / d, radius - d, d < radius
	}
	// the centre is inside: the normal is the normal of the nearest side
	outX, outY := halfX-math.Abs(x), halfY-math.Abs(y)
	if outX <= outY {
		return math.Copysign(1, x), 0, radius + outX, true
	}
	return 0, math.Copysign(1, y), radius + outY, true
}

func (b *bodies) add(c contact) {
	c.want = min(maxUndo, max(0, c.depth-slop)*settle/b.dt)
	if c.depth < 0 {
		c.want = c.depth / b.dt // there is a gap, and the bodies may approach by no more than the gap in this step
	}
	c.ax, c.ay = c.x-c.a.x, c.y-c.a.y
	c.massN = c.a.invM + sq(c.ax*c.ny-c.ay*c.nx)*c.a.invI
	c.massT = c.a.invM + sq(c.ax*c.nx+c.ay*c.ny)*c.a.invI
	if c.b != nil {
		c.bx, c.by = c.x-c.b.x, c.y-c.b.y
		c.massN += c.b.invM + sq(c.bx*c.ny-c.by*c.nx)*c.b.invI
		c.massT += c.b.invM + sq(c.bx*c.nx+c.by*c.ny)*c.b.invI
	}
	vx, vy := c.velocity()
	c.closing = max(0, -(vx*c.nx + vy*c.ny))
	b.contacts = append(b.contacts, c)
}

func sq(x float64) float64 { return x * x }

// velocity returns the velocity of body a's material at the contact, relative to body b's material.
func (c *contact) velocity() (x, y float64) {
	x, y = c.a.vx-c.a.omega*c.ay, c.a.vy+c.a.omega*c.ax
	if c.b != nil {
		x, y = x-(c.b.vx-c.b.omega*c.by), y-(c.b.vy+c.b.omega*c.bx)
	}
	return x, y
}

func (c *contact) apply(jx, jy float64) {
	c.a.vx += jx * c.a.invM
	c.a.vy += jy * c.a.invM
	c.a.omega += (c.ax*jy - c.ay*jx) * c.a.invI
	if c.b != nil {
		c.b.vx -= jx * c.b.invM
		c.b.vy -= jy * c.b.invM
		c.b.omega -= (c.bx*jy - c.by*jx) * c.b.invI
	}
}

// solve applies the impulses of all contacts, and appends the touches.
func (b *bodies) solve() {
	b.touches = b.touches[:0]
	if len(b.contacts) == 0 {
		return
	}
	for range iterations {
		for i := range b.contacts {
			c := &b.contacts[i]
			vx, vy := c.velocity()
			jn := max(0, c.jn+(c.want-vx*c.nx-vy*c.ny)/c.massN)
			c.apply((jn-c.jn)*c.nx, (jn-c.jn)*c.ny)
			c.jn = jn
			vx, vy = c.velocity()
			most := b.friction * c.jn
			jt := mgl64.Clamp(c.jt-(-vx*c.ny+vy*c.nx)/c.massT, -most, most)
			c.apply(-(jt-c.jt)*c.ny, (jt-c.jt)*c.nx)
			c.jt = jt
		}
	}
	for i := range b.contacts {
		c := &b.contacts[i]
		if c.jn == 0 {
			continue
		}
		b.touches = append(b.touches, physics.Touch{A: c.idA, B: c.idB, PosW: mgl64.Vec3{c.x, c.y, 0}, Impulse: c.jn,
			Closing: c.closing})
	}
}

// side is the side of a rectangle with the greatest separation from another rectangle.
type side struct {
	nx, ny     float64 // normal, out of the rectangle
	separation float64 // distance to the nearest corner of the other rectangle, metres; negative for an overlap
	half       float64 // distance from the rectangle's centre to the side, metres
	reach      float64 // half the side's length
}

// farthestSide returns the side of rectangle p with the greatest separation from rectangle q. Two rectangles overlap if
// neither has a side with a positive separation from the other rectangle (separating axis theorem).
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

// rects finds up to two contacts between rectangles. It takes the side with the greatest separation, and clips the
// opposing edge of the other rectangle to the length of this side. The contacts are the ends of the clipped edge that
// are beneath the side. The argument j is Static for a static body. Source: the method of E. Catto, Box2D Lite, 2006.
func (b *bodies) rects(p, q *body, i, j int) {
	s, other := p.farthestSide(q), q.farthestSide(p)
	if s.separation >= 0 || other.separation >= 0 {
		return
	}
	const rather = 1e-6 // m: preference for one of two equally separated sides, so that rounding errors do not decide
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
