package contour

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Piece is a convex piece of a body: points whose convex hull it is, in the body's frame, metres. Marked pieces are found apart, as colour
// cards are.
type Piece struct {
	Points []mgl64.Vec3
	Marked bool
}

// Form is the form of a body, with fewer corners for what is far away. It is immutable; bodies of one form share it.
type Form struct {
	levels             []level // from the finest on
	reach, bottom, top float64 // of an upright cylinder around the z axis of the body's frame that contains the body
	centre             mgl64.Vec3
	radius             float64 // of a sphere around the centre that contains the body
	lo, hi             mgl64.Vec3
}

// level is a form that is off by about a tolerance, metres.
type level struct {
	tolerance float64
	pieces    []polyhedron
	marks     []mark
}

// mark is a marked piece, and the pieces of its body that may stand before it, largest first.
type mark struct {
	piece  int
	before []divider
}

// divider is a plane that divides a piece from another that it may hide: from an eye with sense·eye[axis] > sense·at, in the body's frame.
type divider struct {
	piece     int
	axis      int
	sense, at float64
}

// tolerances of the levels, metres: from what is seen at half a metre to what is seen across the field.
var tolerances = [...]float64{5e-4, 1.5e-3, 3e-3, 6e-3, 12e-3, 24e-3}

// markedSlack is how many tolerances a piece may stick out of a marked one and be left out: numbers do little, and only of what is seen edge on.
const markedSlack = 3

// NewForm returns the form of pieces; nil if there is nothing in them.
func NewForm(pieces []Piece) *Form {
	f := &Form{bottom: math.Inf(1), top: math.Inf(-1)}
	for _, tolerance := range tolerances {
		l := level{tolerance: tolerance}
		var all []*polyhedron
		for i := range pieces {
			off := tolerance
			if pieces[i].Marked {
				off /= markedSlack // it is small
			}
			if p := newPolyhedron(pieces[i].Points, off); p != nil {
				p.marked = pieces[i].Marked
				all = append(all, p)
			}
		}
		slices.SortStableFunc(all, func(a, b *polyhedron) int { return cmp.Compare(b.radius, a.radius) })
		for _, p := range all {
			slack := tolerance
			if p.marked {
				slack = markedSlack * tolerance
			}
			inside := slices.ContainsFunc(l.pieces, func(o polyhedron) bool { return o.marked == p.marked && o.contains(p, slack) })
			if !inside {
				l.pieces = append(l.pieces, *p)
			}
		}
		l.merge()
		l.divide()
		f.levels = append(f.levels, l)
	}
	finest := f.levels[0].pieces
	if len(finest) == 0 {
		return nil
	}
	f.lo, f.hi = finest[0].lo, finest[0].hi
	for i := range finest {
		for _, c := range finest[i].corners {
			f.reach, f.bottom, f.top = max(f.reach, math.Hypot(c[0], c[1])), min(f.bottom, c[2]), max(f.top, c[2])
			for k := range c {
				f.lo[k], f.hi[k] = min(f.lo[k], c[k]), max(f.hi[k], c[k])
			}
		}
	}
	f.centre = f.lo.Add(f.hi).Mul(0.5)
	for i := range finest {
		for _, c := range finest[i].corners {
			f.radius = max(f.radius, c.Sub(f.centre).Len())
		}
	}
	return f
}

// merge makes one piece of two wherever that adds no more than the tolerance.
func (l *level) merge() {
	const finest = 1e-3 // metres: below, nothing but cuts of one surface would merge
	tolerance := max(l.tolerance, finest)
	for i := 0; i < len(l.pieces); i++ {
		for j := i + 1; j < len(l.pieces); j++ {
			a, b := &l.pieces[i], &l.pieces[j]
			if a.marked != b.marked || !a.touches(b, tolerance) {
				continue
			}
			both := newPolyhedron(append(slices.Clone(a.corners), b.corners...), tolerance/4)
			if both == nil || !both.fits(a, b, tolerance) {
				continue
			}
			both.marked = a.marked
			*a = *both
			l.pieces = slices.Delete(l.pieces, j, j+1)
			j = i // the piece has grown: all others may fit now
		}
	}
	slices.SortStableFunc(l.pieces, func(a, b polyhedron) int { return cmp.Compare(b.radius, a.radius) })
}

// touches tells whether the boxes around two polyhedra come within a distance, metres.
func (p *polyhedron) touches(o *polyhedron, distance float64) bool {
	for k := range p.lo {
		if p.lo[k] > o.hi[k]+distance || o.lo[k] > p.hi[k]+distance {
			return false
		}
	}
	return true
}

// fits tells whether the hull of two polyhedra contains nothing farther from both than a distance, metres, along its edges.
func (p *polyhedron) fits(a, b *polyhedron, distance float64) bool {
	for i := range p.edges {
		from, to := p.corners[p.edges[i].from], p.corners[p.edges[i].to]
		for k := 1; k < 8; k++ {
			at := from.Add(to.Sub(from).Mul(float64(k) / 8))
			if a.over(&at) > distance && b.over(&at) > distance {
				return false
			}
		}
	}
	return true
}

// over returns by how much a point is over the highest of a polyhedron's faces, metres.
func (p *polyhedron) over(at *mgl64.Vec3) float64 {
	most := math.Inf(-1)
	for i := range p.faces {
		most = math.Max(most, p.faces[i].above(at))
	}
	return most
}

// divide finds what may stand before marked pieces.
func (l *level) divide() {
	for i := range l.pieces {
		a := &l.pieces[i]
		if !a.marked {
			continue
		}
		m := mark{piece: i}
		for k := range l.pieces {
			o := &l.pieces[k]
			if o.marked {
				continue
			}
			d, best := divider{piece: k}, math.Inf(-1)
			for axis := range 3 {
				if gap := a.lo[axis] - o.hi[axis]; gap > best {
					best, d.axis, d.sense, d.at = gap, axis, -1, (a.lo[axis]+o.hi[axis])/2
				}
				if gap := o.lo[axis] - a.hi[axis]; gap > best {
					best, d.axis, d.sense, d.at = gap, axis, 1, (o.lo[axis]+a.hi[axis])/2
				}
			}
			m.before = append(m.before, d)
		}
		l.marks = append(l.marks, m)
	}
}

// at returns the level for an error of at most a length, metres, or else the finest.
func (f *Form) at(length float64) *level {
	i := 0
	for i+1 < len(f.levels) && f.levels[i+1].tolerance <= length {
		i++
	}
	return &f.levels[i]
}
