package contour

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Form is the form of a body at several levels of detail. It is immutable; bodies of one form share it.
type Form struct {
	levels             []level // finest first
	reach, bottom, top float64 // of an upright cylinder around the z axis of the body's frame that contains the body
	centre             mgl64.Vec3
	radius             float64 // of a sphere around the centre that contains the body
	lo, hi             mgl64.Vec3
}

// level is a form with an error of about a tolerance.
type level struct {
	pieces, marked []polyhedron
	marks          []mark // one for each marked piece
}

// mark lists the pieces that may occlude a marked one, largest first.
type mark struct{ before []divider }

// divider is a plane between a piece and another that it may occlude, for an eye with sense·eye[axis] > sense·at, in
// the body's frame.
type divider struct {
	piece     int
	axis      int
	sense, at float64
}

// NewForm returns the form of a body. It returns nil if the body has no pieces. Marked pieces, such as colour cards,
// are reported separately. Each marked piece is the convex hull of a list of points, in m.
func NewForm(pieces *Hulls, marked [][]mgl64.Vec3) *Form {
	f := &Form{bottom: math.Inf(1), top: math.Inf(-1)}
	for i, hulls := range newHulls(marked, markedSlack).levels {
		l := level{pieces: pieces.levels[i], marked: hulls}
		l.divide()
		f.levels = append(f.levels, l)
	}
	finest := slices.Concat(f.levels[0].pieces, f.levels[0].marked)
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

// divide finds the pieces that may occlude marked pieces.
func (l *level) divide() {
	for i := range l.marked {
		a := &l.marked[i]
		var m mark
		for k := range l.pieces {
			o := &l.pieces[k]
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

// at returns the coarsest level whose error is at most the given length, in m. If there is no such level, it returns
// the finest level.
func (f *Form) at(length float64) *level {
	i := 0
	for i+1 < len(f.levels) && tolerances[i+1] <= length {
		i++
	}
	return &f.levels[i]
}
