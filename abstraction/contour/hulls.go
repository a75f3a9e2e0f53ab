package contour

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Hulls are the convex pieces of a body at several levels of detail. They are immutable; forms share them.
type Hulls struct {
	levels [][]polyhedron // one list for each of the tolerances, largest pieces first
}

// tolerances of the levels of detail, m. The first suits a view from half a metre, and the last a view across the field
// or a small image.
var tolerances = [...]float64{5e-4, 1e-3, 1.4e-3, 2e-3, 2.8e-3, 4e-3, 5.6e-3, 8e-3, 11e-3, 16e-3, 22e-3, 32e-3}

// slack is the error of a level of detail, as multiples of the level's tolerance.
type slack struct {
	inward float64 // error of the corners of the level's pieces, which are a subset of the body's corners
	inside float64 // a piece that sticks out of another piece by at most this length is dropped
	fill   float64 // two pieces are merged if their common hull is at most this far from them
}

var (
	// Merging may close hollows of less than a pixel, and does not change the body's extent.
	plainSlack = slack{1, 1, 2}
	// Marked pieces are small. The numbers on colour cards stick out slightly, which matters only if the card is seen
	// edge on.
	markedSlack = slack{1. / 3, 3, 1}
)

// NewHulls returns the hulls of the pieces of a body. Each piece is given by a list of points in the body's frame, in
// m, and is the convex hull of these points.
func NewHulls(pieces [][]mgl64.Vec3) *Hulls { return newHulls(pieces, plainSlack) }

func newHulls(pieces [][]mgl64.Vec3, by slack) *Hulls {
	var all []piece
	for _, points := range pieces {
		if p := newPolyhedron(points, by.inward*tolerances[0]); p != nil {
			all = append(all, piece{p.corners, *p})
		}
	}
	h := &Hulls{}
	for _, tolerance := range tolerances {
		all = simplified(all, tolerance, by)
		hulls := make([]polyhedron, len(all))
		for i := range all {
			hulls[i] = all[i].hull
		}
		pack(hulls)
		h.levels = append(h.levels, hulls)
	}
	return h
}

// pack moves what polyhedra consist of into common memory, in the order in which contours are found.
func pack(all []polyhedron) {
	var corners []mgl64.Vec3
	var faces []plane
	var edges []edge
	var around []uint64
	for i := range all {
		p := &all[i]
		corners, faces = append(corners, p.corners...), append(faces, p.faces...)
		edges, around = append(edges, p.edges...), append(around, p.around...)
	}
	for i := range all {
		p := &all[i]
		p.corners, corners = cut(corners, len(p.corners))
		p.faces, faces = cut(faces, len(p.faces))
		p.edges, edges = cut(edges, len(p.edges))
		p.around, around = cut(around, len(p.around))
	}
}

// cut returns the first n values and the others.
func cut[T any](s []T, n int) (first, others []T) { return s[:n:n], s[n:] }

// piece is a list of corners of the body, and the convex hull of these corners with the accuracy of a level.
type piece struct {
	points []mgl64.Vec3
	hull   polyhedron
}

// simplified returns the pieces of the level of detail with the given tolerance, m. It drops pieces that lie inside of
// other pieces, and merges pairs of pieces if their common hull is hardly larger.
func simplified(all []piece, tolerance float64, by slack) []piece {
	// The points are corners of the finest level, whose own error is part of the tolerance.
	inward := by.inward * (tolerance - tolerances[0])
	for i := range all {
		all[i].hull = *newPolyhedron(all[i].points, inward)
	}
	sortBySize := func() {
		slices.SortStableFunc(all, func(a, b piece) int { return cmp.Compare(b.hull.radius, a.hull.radius) })
	}
	sortBySize()
	var kept []piece
	for _, p := range all {
		if !slices.ContainsFunc(kept, func(o piece) bool { return o.hull.contains(&p.hull, by.inside*tolerance) }) {
			kept = append(kept, p)
		}
	}
	all = kept
	const finest = 1e-3 // m; with less, only slices of the same surface would merge
	fill := max(by.fill*tolerance, finest)
	for i := 0; i < len(all); i++ {
		for j := i + 1; j < len(all); j++ {
			a, b := &all[i].hull, &all[j].hull
			if !a.touches(b, fill) {
				continue
			}
			points := slices.Concat(all[i].points, all[j].points)
			both := newPolyhedron(points, inward)
			if both == nil || !both.fits(a, b, fill) {
				continue
			}
			all[i] = piece{points, *both}
			all = slices.Delete(all, j, j+1)
			j = i // the piece has grown, so earlier candidates may fit now
		}
	}
	sortBySize()
	return all
}

// touches reports whether the bounding boxes of two polyhedra are at most a distance apart, m.
func (p *polyhedron) touches(o *polyhedron, distance float64) bool {
	for k := range p.lo {
		if p.lo[k] > o.hi[k]+distance || o.lo[k] > p.hi[k]+distance {
			return false
		}
	}
	return true
}

// fits reports whether p, the hull of a and b, is a good replacement for them: each edge of p stays within a distance
// of a or b, m.
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

// over returns the height of a point above the faces of a polyhedron, m: the largest of the heights above each face. It
// is negative inside.
func (p *polyhedron) over(at *mgl64.Vec3) float64 {
	most := math.Inf(-1)
	for i := range p.faces {
		most = math.Max(most, p.faces[i].above(at))
	}
	return most
}

// Form is the form of a body at several levels of detail. It is immutable; bodies of one form share it.
type Form struct {
	levels             []level // finest first
	reach, bottom, top float64 // of an upright cylinder that contains the body, around the z axis of the body's frame
	centre             mgl64.Vec3
	radius             float64 // of a sphere around the centre that contains the body
	lo, hi             mgl64.Vec3
}

// level is the form of a body at one level of detail.
type level struct {
	pieces, marked []polyhedron
	marks          []mark // one for each marked piece
}

// mark lists the pieces that may occlude a marked piece, largest first.
type mark struct{ before []divider }

// divider is a plane that separates a piece from a marked piece, in the body's frame. The piece may occlude the marked
// piece if sense·eye[axis] > sense·at.
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

// divide sets the lists of pieces that may occlude the marked pieces.
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

// at returns the coarsest level whose tolerance is at most the given length, m. If there is no such level, at returns
// the finest level.
func (f *Form) at(length float64) *level {
	i := 0
	for i+1 < len(f.levels) && tolerances[i+1] <= length {
		i++
	}
	return &f.levels[i]
}
