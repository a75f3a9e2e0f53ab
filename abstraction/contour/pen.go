package contour

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// pen projects contours, and collects the rows that one encloses. Its memory is reused.
type pen struct {
	front   []uint8      // of each face, 1 if the camera sees its outside
	edges   []edge       // of the contour
	corners []int32      // of the contour
	met     []uint8      // of each corner, 1 if it is among them
	at      []mgl64.Vec3 // of those of the contour, C
	pixels  []optics.Pixel
	corner  []point   // of each corner; those of the contour are set
	lo, hi  []float32 // of each row, where the contour crosses it first and last
	first   int       // of the rows that it crosses
	last    int
	bent    bool // rows may cross it more than twice
	cross   []crossing
	height  int
	extent  extent
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

// meet takes note of a point of the contour: of its row, and of the contour's extent.
func (p *pen) meet(q *point) {
	p.extent.add(q.u, q.v)
	switch row := int32(q.v); { // the first at or below the point
	case !(q.v > 0):
		q.row = 0
	case q.v > float64(p.height):
		q.row = int32(p.height)
	case float64(row) < q.v:
		q.row = row + 1
	default:
		q.row = row
	}
}

// cover has the contour cross the rows from one on and before another.
func (p *pen) cover(from, end int) {
	if p.last < p.first {
		p.first, p.last = from, from-1
	}
	for ; p.first > from; p.first-- {
		p.lo[p.first-1], p.hi[p.first-1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	for ; p.last < end-1; p.last++ {
		p.lo[p.last+1], p.hi[p.last+1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
}

// line draws a straight line between two pixels. A row through a corner crosses one of its two lines.
func (p *pen) line(a, b *point) {
	if a.row == b.row {
		return
	}
	if a.row > b.row {
		a, b = b, a
	}
	from, end := int(a.row), int(b.row)
	slope := (b.u - a.u) / (b.v - a.v)
	u := a.u + (float64(from)-a.v)*slope
	if p.bent {
		x := u
		for v := from; v < end; v++ {
			p.cross = append(p.cross, crossing{int32(v), float32(x)})
			x += slope
		}
	}
	if from < p.first || end > p.last+1 {
		p.cover(from, end)
	}
	lo, hi := p.lo[from:end], p.hi[from:end]
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
		p.line(a, b)
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
		p.meet(&m)
		off := (m.u-a.u)*dv - (m.v-a.v)*du
		if m.ok && off*off > bend*bend*length2 {
			p.curve(c, a, &m, depth+1)
			p.curve(c, &m, b, depth+1)
			return
		}
	}
	p.line(a, b)
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
	p.meet(&in)
	p.meet(&out)
	if c.straight {
		p.line(a, &in)
	} else {
		p.curve(c, a, &in, 0)
	}
	p.line(&in, &out)
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
			p.meet(&next)
		}
		p.line(&last, &next)
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
	p.findContour(s, &b.eyeB)
	p.project(c, b, s)
	for i := range p.edges {
		e := &p.edges[i]
		p.edge(c, &p.corner[e.from], &p.corner[e.to])
	}
}

// findContour finds the edges between the faces that an eye sees from outside and those that it does not, and their corners. What it looks for
// is where it cannot be foreseen, so that a branch would cost more than its outcome.
func (p *pen) findContour(s *polyhedron, eyeB *mgl64.Vec3) {
	p.front, p.edges = grown(p.front, len(s.faces)), grown(p.edges, len(s.edges)+1)
	p.met, p.corners = grown(p.met, len(s.corners)), grown(p.corners, len(s.corners)+1)
	front, edges, met, corners := p.front, p.edges, p.met, p.corners
	for i := range s.faces {
		outside := uint8(0)
		if s.faces[i].above(eyeB) > 0 {
			outside = 1
		}
		front[i] = outside
	}
	n := 0
	for i := range s.edges {
		e := &s.edges[i]
		edges[n] = *e
		n += int(front[e.left] ^ front[e.right])
	}
	p.edges = edges[:n]
	clear(met)
	n = 0
	for i := range p.edges {
		e := &p.edges[i]
		corners[n] = e.from
		n += int(1 - met[e.from])
		met[e.from] = 1
		corners[n] = e.to
		n += int(1 - met[e.to])
		met[e.to] = 1
	}
	p.corners = corners[:n]
}

// project projects the contour's corners.
func (p *pen) project(c *Camera, b *body, s *polyhedron) {
	p.at, p.pixels, p.corner = grown(p.at, len(p.corners)), grown(p.pixels, len(p.corners)), grown(p.corner, len(s.corners))
	for k, i := range p.corners {
		p.at[k] = b.inC(&s.corners[i])
	}
	c.projectAll(p.at, p.pixels)
	for k, i := range p.corners {
		q, m := &p.corner[i], &p.pixels[k]
		if q.at, q.u, q.v, q.ok = p.at[k], m.U, m.V, m.OK; !q.ok {
			c.project(q)
		}
		p.meet(q)
	}
}

// drawBall draws the contour of a ball: the circle where lines of sight touch it.
func (p *pen) drawBall(c *Camera, b *body) {
	d2 := b.toC.LenSqr()
	r2 := b.Radius * b.Radius
	p.begin(c.height, false)
	if d2 <= r2 {
		return
	}
	pixels := b.perRad * b.Radius / math.Sqrt(d2)
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
		p.meet(&p.corner[i])
	}
	for i := range p.corner {
		p.edge(c, &p.corner[i], &p.corner[(i+1)%sides])
	}
}
