package contour

import (
	"math"
	"math/bits"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// pen projects contours and collects the rows of pixels that they enclose. Its memory is reused.
type pen struct {
	set     []uint64 // of the contour's edges, one bit per edge of the polyhedron
	edges   []edge   // edges of the contour; their ends are indices in corners
	corners []int32  // of the contour
	order   []int32  // for each corner of the body, 1 + its index in corners; 0 if it is not on the contour
	at      []mgl64.Vec3
	pixels  []optics.Pixel
	points  []point   // the contour's corners
	lo, hi  []float32 // for each row, the first and last crossing of the contour
	first   int       // first row that the contour crosses
	last    int
	bent    bool // a row may cross the contour more than twice
	cross   []uint64
	counts  []uint16 // for each row, the number of crossings; 0 outside of fill
	height  int
	extent  extent
}

func (p *pen) begin(height int, bent bool) {
	if len(p.lo) < height {
		p.lo, p.hi = make([]float32, height), make([]float32, height)
	}
	p.height, p.first, p.last, p.bent = height, height, -1, bent
	p.cross, p.extent = p.cross[:0], noExtent()
}

// meet extends the contour by a point. It sets the point's row and extends the contour's extent.
func (p *pen) meet(q *point) {
	p.extent.add(q.u, q.v)
	q.row = p.rowAt(q.v)
}

// rowAt returns the first row at or below a point.
func (p *pen) rowAt(v float64) int32 {
	switch row := int32(v); {
	case !(v > 0):
		return 0
	case v > float64(p.height):
		return int32(p.height)
	case float64(row) < v:
		return row + 1
	default:
		return row
	}
}

// cover prepares the rows from start to end − 1 for crossings of the contour.
func (p *pen) cover(start, end int) {
	if p.last < p.first {
		p.first, p.last = start, start-1
	}
	for ; p.first > start; p.first-- {
		p.lo[p.first-1], p.hi[p.first-1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
	for ; p.last < end-1; p.last++ {
		p.lo[p.last+1], p.hi[p.last+1] = float32(math.Inf(1)), float32(math.Inf(-1))
	}
}

// line draws a straight line between two pixels. A row through a common corner of two lines crosses only one of these
// lines.
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
			p.cross = append(p.cross, crossing(v, float32(x)))
			x += slope
		}
	}
	if from < p.first || end > p.last+1 {
		p.cover(from, end)
	}
	lo, hi := p.lo[from:end], p.hi[from:end]
	for i := range lo {
		x := float32(u)
		if x < lo[i] {
			lo[i] = x
		}
		if x > hi[i] {
			hi[i] = x
		}
		u += slope
	}
}

// crossing encodes the point where a contour crosses a row. Codes ascend by row, and within a row by u.
func crossing(row int, u float32) uint64 {
	bits := math.Float32bits(u)
	if bits>>31 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 31
	}
	return uint64(row)<<32 | uint64(bits)
}

// crossed returns the row and the position u of an encoded crossing.
func crossed(at uint64) (row int, u float32) {
	bits := uint32(at)
	if bits>>31 != 0 {
		bits &^= 1 << 31
	} else {
		bits = ^bits
	}
	return int(at >> 32), math.Float32frombits(bits)
}

// fill adds the pixels that the contour encloses to a region.
func (p *pen) fill(r *region) {
	if p.first > p.last {
		return
	}
	r.extent.widen(&p.extent)
	r.first, r.last = min(r.first, p.first), max(r.last, p.last)
	if !p.bent {
		rows, lo, hi := r.rows[p.first:p.last+1], p.lo[p.first:p.last+1], p.hi[p.first:p.last+1]
		for i := range rows {
			s, from, to := &rows[i], lo[i], hi[i]
			switch first := &s.at[0]; {
			case !(from <= to):
			case s.n == 0:
				s.n, *first = 1, span{from, to}
			case s.n == 1 && first.from <= to && from <= first.to: // often
				first.from, first.to = min(first.from, from), max(first.to, to)
			default:
				s.add(from, to)
			}
		}
		return
	}
	// Nearly all rows have two crossings, which are the first and the last one.
	p.counts = grown(p.counts, p.height)
	for _, at := range p.cross {
		p.counts[at>>32]++
	}
	more := p.cross[:0]
	for _, at := range p.cross {
		if p.counts[at>>32] > 2 {
			more = append(more, at)
		}
	}
	for v := p.first; v <= p.last; v++ {
		if p.counts[v] == 2 {
			r.rows[v].add(p.lo[v], p.hi[v])
		}
		p.counts[v] = 0
	}
	p.cross = more
	slices.Sort(p.cross)
	for i := 0; i+1 < len(p.cross); i++ {
		row, from := crossed(p.cross[i])
		if same, to := crossed(p.cross[i+1]); same == row {
			r.rows[row].add(from, to)
			i++
		}
	}
}

const (
	bend      = 0.25 // largest error of a curve, pixels
	shortest  = 12   // length of a curve up to which it is drawn as a straight line, pixels
	deepest   = 6    // halvings of a curve
	wide      = 0.25 // angular radius of a contour, rad, from which a row may cross the contour more than twice
	unseenCut = 4    // number of lines that replace an edge that the camera does not image
)

// edge draws the image of a straight edge between two points, which may be outside of the imaged directions.
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

// curve draws the image of an edge as enough straight lines to follow its curvature.
func (p *pen) curve(c *Camera, a, b *point, depth int) {
	du, dv := b.u-a.u, b.v-a.v
	length2 := du*du + dv*dv
	if length2 > shortest*shortest && depth < deepest {
		var middle mgl64.Vec3
		between(a.at, b.at, 0.5, &middle)
		m := point{at: &middle}
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

// between sets a point at a fraction of the way from a to b.
func between(a, b *mgl64.Vec3, share float64, into *mgl64.Vec3) {
	for k := range into {
		into[k] = a[k] + share*(b[k]-a[k])
	}
}

// leave draws an edge from an imaged point to a point that is not imaged.
func (p *pen) leave(c *Camera, a, b *point) {
	var ats [2]mgl64.Vec3 // the last point that is imaged, and the first that is not
	in, out := point{at: a.at}, point{at: b.at}
	for range 12 {
		var middle mgl64.Vec3
		between(in.at, out.at, 0.5, &middle)
		if c.images(&middle) {
			ats[0], in.at = middle, &ats[0]
		} else {
			ats[1], out.at = middle, &ats[1]
		}
	}
	c.project(&in)
	c.project(&out)
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

// unseen draws an edge that is not imaged along the border of the imaged directions, so that the contour is closed.
func (p *pen) unseen(c *Camera, a, b *point) {
	last := *a
	var at [unseenCut]mgl64.Vec3
	for k := 1; k <= unseenCut; k++ {
		next := *b
		if k < unseenCut {
			between(a.at, b.at, float64(k)/unseenCut, &at[k])
			next = point{at: &at[k]}
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
		x, y, z := b.eyeB[0]-s.centre[0], b.eyeB[1]-s.centre[1], b.eyeB[2]-s.centre[2]
		bent = (x*x+y*y+z*z)*wide*wide < s.radius*s.radius
	}
	p.begin(c.height, bent)
	p.findContour(s, &b.eyeB)
	p.project(c, b, s)
	for i := range p.edges {
		from, to := &p.points[p.edges[i].from], &p.points[p.edges[i].to]
		du, dv := to.u-from.u, to.v-from.v
		if from.ok && to.ok && (c.straight || du*du+dv*dv <= shortest*shortest) { // nearly always
			p.line(from, to)
		} else {
			p.edge(c, from, to)
		}
	}
}

// findContour finds the edges between a face whose outside the eye sees and a face whose outside it does not see, and
// the corners of these edges. An edge is one of them if it is around an odd number of the faces that the eye sees. It
// avoids branches, which the processor would mispredict.
func (p *pen) findContour(s *polyhedron, eyeB *mgl64.Vec3) {
	p.set, p.edges = grown(p.set, s.words), grown(p.edges, len(s.edges))
	p.order, p.corners = grown(p.order, len(s.corners)), grown(p.corners, len(s.corners)+1)
	set, edges, order, corners := p.set, p.edges, p.order, p.corners
	clear(set)
	if s.words == 1 { // nearly always
		around, all := s.around[:len(s.faces)], uint64(0)
		for i := range s.faces {
			all ^= around[i] & -uint64(one(s.faces[i].above(eyeB) > 0))
		}
		set[0] = all
	} else {
		for i := range s.faces {
			seen := -uint64(one(s.faces[i].above(eyeB) > 0))
			for k, around := range s.around[i*s.words : (i+1)*s.words] {
				set[k] ^= around & seen
			}
		}
	}
	clear(order)
	n, met := 0, int32(0)
	for k, word := range set {
		for ; word != 0; word &= word - 1 {
			e := &s.edges[k*64+bits.TrailingZeros64(word)]
			from, to := e.from, e.to
			corners[met] = from
			fresh := int32(one(order[from] == 0))
			met += fresh
			order[from] += fresh * met
			corners[met] = to
			fresh = int32(one(order[to] == 0))
			met += fresh
			order[to] += fresh * met
			edges[n].from, edges[n].to = order[from]-1, order[to]-1
			n++
		}
	}
	p.edges, p.corners = edges[:n], corners[:met]
}

// one returns 1 for true and 0 for false.
func one(b bool) uint8 {
	var n uint8
	if b {
		n = 1
	}
	return n
}

// project projects the contour's corners.
func (p *pen) project(c *Camera, b *body, s *polyhedron) {
	n := len(p.corners)
	p.at, p.pixels, p.points = grown(p.at, n), grown(p.pixels, n), grown(p.points, n)
	for k, i := range p.corners {
		b.inC(&s.corners[i], &p.at[k])
	}
	c.projectAll(p.at, p.pixels)
	if !slices.ContainsFunc(p.pixels, func(m optics.Pixel) bool { return m.OK }) {
		var centre mgl64.Vec3
		b.inC(&s.centre, &centre)
		// for example above a mirror's rim; this saves the search for the border of the imaged directions
		if _, ok := c.sphereInView(&centre, s.radius); !ok {
			p.edges, p.points = p.edges[:0], p.points[:0]
			return
		}
	}
	e := p.extent // a copy, which the processor keeps in registers
	for k := range p.points {
		q, m := &p.points[k], &p.pixels[k]
		u, v, ok := m.U, m.V, m.OK
		if q.at, q.u, q.v, q.ok = &p.at[k], u, v, ok; !ok {
			c.project(q)
			u, v = q.u, q.v
		}
		e.minU, e.maxU, e.minV, e.maxV = min(e.minU, u), max(e.maxU, u), min(e.minV, v), max(e.maxV, v)
		q.row = p.rowAt(v)
	}
	p.extent = e
}
