package contour

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// pen projects contours, and collects the rows that one encloses. Its memory is reused.
type pen struct {
	front  []bool    // of each face, whether the camera sees its outside
	corner []point   // of each corner
	drawn  []bool    // of each corner, whether it has been projected
	lo, hi []float32 // of each row, where the contour crosses it first and last
	first  int       // of the rows that it crosses
	last   int
	bent   bool // rows may cross it more than twice
	cross  []crossing
	height int
	extent extent
}

// crossing is where a contour crosses a row.
type crossing struct {
	row int32
	u   float32
}

func (p *pen) begin(height int, bent bool) {
	if len(p.lo) < height {
		p.lo, p.hi = make([]float32, height), make([]float32, height)
	}
	p.height, p.first, p.last, p.bent = height, height, -1, bent
	p.cross, p.extent = p.cross[:0], noExtent()
}

// line draws a straight line between two pixels.
func (p *pen) line(u0, v0, u1, v1 float64) {
	p.extent.add(u0, v0)
	p.extent.add(u1, v1)
	if v0 > v1 {
		u0, v0, u1, v1 = u1, v1, u0, v0
	}
	if v1 < 0 || v0 > float64(p.height-1) {
		return
	}
	// Rows from v0 on and before v1, so that a row through a corner crosses one of its two lines.
	from, to := int(math.Ceil(math.Max(v0, 0))), int(math.Ceil(math.Min(v1, float64(p.height))))-1
	if from > to {
		return
	}
	slope := (u1 - u0) / (v1 - v0)
	u := u0 + (float64(from)-v0)*slope
	if p.bent {
		for v := from; v <= to; v++ {
			p.cross = append(p.cross, crossing{int32(v), float32(u)})
			u += slope
		}
		u = u0 + (float64(from)-v0)*slope
	}
	if p.last < p.first {
		p.first, p.last = from, from-1
	}
	for ; p.first > from; p.first-- {
		p.lo[p.first-1], p.hi[p.first-1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	for ; p.last < to; p.last++ {
		p.lo[p.last+1], p.hi[p.last+1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	lo, hi := p.lo[from:to+1], p.hi[from:to+1]
	for i := range lo {
		x := float32(u)
		lo[i], hi[i] = min(lo[i], x), max(hi[i], x)
		u += slope
	}
}

// fill adds what the contour encloses to a region.
func (p *pen) fill(r *region) {
	e := &p.extent
	r.extent.minU, r.extent.maxU = math.Min(r.extent.minU, e.minU), math.Max(r.extent.maxU, e.maxU)
	r.extent.minV, r.extent.maxV = math.Min(r.extent.minV, e.minV), math.Max(r.extent.maxV, e.maxV)
	if !p.bent {
		for v := p.first; v <= p.last; v++ {
			if p.lo[v] <= p.hi[v] {
				r.add(v, p.lo[v], p.hi[v])
			}
		}
		return
	}
	slices.SortFunc(p.cross, func(a, b crossing) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.u, b.u)) })
	for i := 0; i+1 < len(p.cross); i++ {
		if a, b := &p.cross[i], &p.cross[i+1]; a.row == b.row {
			r.add(int(a.row), a.u, b.u)
			i++
		}
	}
}

const (
	bend      = 0.25 // pixels that a curve may be off by
	shortest  = 12   // length of a curve that is taken as straight, pixels
	deepest   = 6    // halvings of a curve
	wide      = 0.25 // rad: a contour of this radius may bend so that a row crosses it more than twice
	unseenCut = 4    // parts of an edge that the camera does not image
)

// edge draws the image of a straight edge between two points.
func (p *pen) edge(c *Camera, a, b *point) {
	switch {
	case a.ok && b.ok && c.straight:
		p.line(a.u, a.v, b.u, b.v)
	case a.ok && b.ok:
		p.curve(c, a, b, 0)
	case !a.ok && !b.ok:
		p.unseen(c, a, b)
	case a.ok:
		p.leave(c, a, b)
	default:
		p.leave(c, b, a)
	}
}

// curve draws the image of an edge in so many lines that it looks bent as it is.
func (p *pen) curve(c *Camera, a, b *point, depth int) {
	du, dv := b.u-a.u, b.v-a.v
	length2 := du*du + dv*dv
	if length2 > shortest*shortest && depth < deepest {
		m := point{at: a.at.Add(b.at).Mul(0.5)}
		c.project(&m)
		off := (m.u-a.u)*dv - (m.v-a.v)*du
		if m.ok && off*off > bend*bend*length2 {
			p.curve(c, a, &m, depth+1)
			p.curve(c, &m, b, depth+1)
			return
		}
	}
	p.line(a.u, a.v, b.u, b.v)
}

// leave draws an edge from a point that the camera images to one that it does not.
func (p *pen) leave(c *Camera, a, b *point) {
	in, out := *a, *b
	for range 12 {
		m := point{at: in.at.Add(out.at).Mul(0.5)}
		if c.project(&m); m.ok {
			in = m
		} else {
			out = m
		}
	}
	if c.straight {
		p.line(a.u, a.v, in.u, in.v)
	} else {
		p.curve(c, a, &in, 0)
	}
	p.line(in.u, in.v, out.u, out.v)
	p.unseen(c, &out, b)
}

// unseen draws where an edge that the camera does not image would end its image.
func (p *pen) unseen(c *Camera, a, b *point) {
	last := *a
	for k := 1; k <= unseenCut; k++ {
		next := *b
		if k < unseenCut {
			next = point{at: a.at.Add(b.at.Sub(a.at).Mul(float64(k) / unseenCut))}
			c.project(&next)
		}
		p.line(last.u, last.v, next.u, next.v)
		last = next
	}
}

// drawPolyhedron draws the contour of a piece of a body.
func (p *pen) drawPolyhedron(c *Camera, b *body, s *polyhedron) {
	bent := false
	if !c.straight {
		d2 := b.eyeB.Sub(s.centre).LenSqr()
		bent = d2*wide*wide < s.radius*s.radius
	}
	p.begin(c.height, bent)
	p.front, p.corner, p.drawn = grown(p.front, len(s.faces)), grown(p.corner, len(s.corners)), grown(p.drawn, len(s.corners))
	clear(p.drawn)
	for i := range s.faces {
		p.front[i] = s.faces[i].above(&b.eyeB) > 0
	}
	for i := range s.edges {
		e := &s.edges[i]
		if p.front[e.left] != p.front[e.right] {
			p.edge(c, p.at(c, b, s, e.from), p.at(c, b, s, e.to))
		}
	}
}

// at returns a corner of a piece of a body.
func (p *pen) at(c *Camera, b *body, s *polyhedron, i int32) *point {
	q := &p.corner[i]
	if !p.drawn[i] {
		p.drawn[i] = true
		q.at = b.inC(&s.corners[i])
		c.project(q)
	}
	return q
}

// drawBall draws the contour of a ball: the circle where lines of sight touch it.
func (p *pen) drawBall(c *Camera, b *body) {
	d2 := b.toC.LenSqr()
	r2 := b.Radius * b.Radius
	p.begin(c.height, false)
	if d2 <= r2 {
		return
	}
	pixels := c.perRad * b.Radius / math.Sqrt(d2)
	sides := 16
	for sides < 64 && pixels*(1-math.Cos(math.Pi/float64(sides))) > bend/4 {
		sides *= 2
	}
	middle, radius := b.toC.Mul(1-r2/d2), b.Radius*math.Sqrt(1-r2/d2)
	across := b.toC.Cross(mgl64.Vec3{0, 0, 1})
	if across.LenSqr() < 1e-6*d2 {
		across = b.toC.Cross(mgl64.Vec3{1, 0, 0})
	}
	across = across.Normalize().Mul(radius)
	up := b.toC.Mul(1 / math.Sqrt(d2)).Cross(across)
	p.corner = grown(p.corner, sides)
	for i := range p.corner {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		p.corner[i].at = middle.Add(across.Mul(cos)).Add(up.Mul(sin))
		c.project(&p.corner[i])
	}
	for i := range p.corner {
		p.edge(c, &p.corner[i], &p.corner[(i+1)%sides])
	}
}
