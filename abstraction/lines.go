package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Lines holds the markings of a field, prepared for vision. It is immutable.
type Lines struct {
	marks     []spatial.Mark
	rows      []row // points along all lines, lineStep apart
	crossings []crossing
	circles   []circle
}

// circle is a full circle, with points all around it, W.
type circle struct {
	middle mgl64.Vec2
	radius float64
	points [lineSteps]mgl64.Vec2
}

// row holds points of one line, in W, and two corners of the box around these points.
type row struct {
	points []mgl64.Vec2
	lo, hi mgl64.Vec2
}

// fartherThan reports whether all points of a row are farther from a point than a distance.
func (r *row) fartherThan(x, y, distance float64) bool {
	dx, dy := max(r.lo[0]-x, x-r.hi[0], 0), max(r.lo[1]-y, y-r.hi[1], 0)
	return dx*dx+dy*dy > distance*distance
}

// CrossingKind is the shape of a crossing of lines.
type CrossingKind string

const (
	CrossingL CrossingKind = "L"
	CrossingT CrossingKind = "T"
	CrossingX CrossingKind = "X"
)

type crossing struct {
	at   mgl64.Vec2 // W
	kind CrossingKind
}

// lineStep is the distance between the points of a row, metres.
const lineStep = 0.5

// NewLines prepares the markings of a field.
func NewLines(marks []spatial.Mark) *Lines {
	l := &Lines{marks: marks}
	for i := range marks {
		m := &marks[i]
		if m.Kind == spatial.Spot {
			continue
		}
		n := max(1, int(lengthOf(m)/lineStep+0.5))
		r := row{lo: mgl64.Vec2{math.Inf(1), math.Inf(1)}, hi: mgl64.Vec2{math.Inf(-1), math.Inf(-1)}}
		for k := range n {
			p := along(m, (float64(k)+0.5)/float64(n))
			r.points = append(r.points, p)
			r.lo, r.hi = mgl64.Vec2{min(r.lo[0], p[0]), min(r.lo[1], p[1])}, mgl64.Vec2{max(r.hi[0], p[0]),
				max(r.hi[1], p[1])}
		}
		l.rows = append(l.rows, r)
		if fullCircle(m) {
			c := circle{middle: m.A, radius: m.Radius}
			for k := range c.points {
				c.points[k] = along(m, float64(k)/lineSteps)
			}
			l.circles = append(l.circles, c)
		}
		for j := range i {
			if c, ok := crossingOf(&marks[j], m); ok {
				l.crossings = append(l.crossings, c)
			}
		}
	}
	return l
}

// Box returns two corners of the box around all lines, W.
func (l *Lines) Box() (corners [2]mgl64.Vec2) {
	for i := range l.marks {
		m := &l.marks[i]
		reach := m.Radius + m.Width/2
		ends := [2]mgl64.Vec2{m.A, m.A}
		if m.Kind == spatial.Segment {
			ends[1] = m.B
		}
		for _, end := range ends {
			for k := range end {
				corners[0][k], corners[1][k] = min(corners[0][k], end[k]-reach), max(corners[1][k], end[k]+reach)
			}
		}
	}
	return corners
}

// fullCircle reports whether a mark is a full circle.
func fullCircle(m *spatial.Mark) bool { return m.Kind == spatial.Arc && m.Sweep > 2*math.Pi-1e-9 }

func lengthOf(m *spatial.Mark) float64 {
	if m.Kind == spatial.Arc {
		return m.Radius * m.Sweep
	}
	return math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1])
}

// along returns the point on a mark's centre line at a fraction of the line's length, from 0 to 1.
func along(m *spatial.Mark, share float64) mgl64.Vec2 {
	a, b := mgl64.Vec2(m.A), mgl64.Vec2(m.B)
	if m.Kind == spatial.Arc {
		sin, cos := math.Sincos(m.From + share*m.Sweep)
		return a.Add(mgl64.Vec2{m.Radius * cos, m.Radius * sin})
	}
	return a.Add(b.Sub(a).Mul(share))
}

// crossingOf returns the crossing of two straight lines, or false if they do not cross.
func crossingOf(a, b *spatial.Mark) (crossing, bool) {
	if a.Kind != spatial.Segment || b.Kind != spatial.Segment {
		return crossing{}, false
	}
	p, q := mgl64.Vec2(a.A), mgl64.Vec2(b.A)
	u, v := mgl64.Vec2(a.B).Sub(p), mgl64.Vec2(b.B).Sub(q)
	det := u[0]*v[1] - u[1]*v[0]
	if math.Abs(det) < 0.1*u.Len()*v.Len() {
		return crossing{}, false
	}
	d := q.Sub(p)
	s, t := (d[0]*v[1]-d[1]*v[0])/det, (d[0]*u[1]-d[1]*u[0])/det
	// Fractions of the length within which a line counts as ending at the crossing.
	es, et := a.Width/u.Len(), b.Width/v.Len()
	if s < -es || s > 1+es || t < -et || t > 1+et {
		return crossing{}, false
	}
	ends := 0
	if s < es || s > 1-es {
		ends++
	}
	if t < et || t > 1-et {
		ends++
	}
	return crossing{p.Add(u.Mul(s)), [3]CrossingKind{CrossingX, CrossingT, CrossingL}[ends]}, true
}
