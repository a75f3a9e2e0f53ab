package abstraction

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Prism is an upright piece of a body: a convex plan, anticlockwise, in the body's frame, between two heights. Metres.
type Prism struct {
	Plan        []mgl64.Vec2
	Bottom, Top float64
}

// Silhouette is how a body that stands on the floor looks from every side: its prisms, cut by upright planes along the lines of
// sight. It does not change, and bodies of one shape share one.
type Silhouette struct {
	bulk
	pieces  []piece
	corners []corner
	first   [turns*columns + 1]int32 // of each line of sight, in pieces
}

// bulk is an upright cylinder around the frame's z axis that holds a body.
type bulk struct {
	reach, bottom, top float64
	bound              float64 // radius of a sphere around its middle
}

// piece is where a line of sight runs through prisms that touch, from the foot of the perpendicular from the axis on. Whatever is
// seen of it is seen between two of the corners of its convex hull.
type piece struct {
	from, to float32
	// Of its corners, in the silhouette's: those of its near side, from the top down, and those of the far side alike.
	near, far, end int32
}

// corner is so far along a line of sight and so high.
type corner struct{ x, z float32 }

const (
	turns   = 64 // directions that a silhouette is seen from
	columns = 16 // lines of sight beside each other
	// seam is the height of a gap between prisms, metres, that counts as none: that between a tower and the plate that it carries.
	seam = 0.025
)

// NewSilhouette returns the silhouette of a body.
func NewSilhouette(prisms []Prism) *Silhouette {
	s := &Silhouette{bulk: bulk{bottom: math.Inf(1)}}
	for _, p := range prisms {
		for _, v := range p.Plan {
			s.reach = max(s.reach, v.Len())
		}
		s.bottom, s.top = min(s.bottom, p.Bottom), max(s.top, p.Top)
	}
	s.bound = math.Hypot(s.reach, (s.top-s.bottom)/2)
	for turn := range turns {
		sin, cos := math.Sincos(2 * math.Pi * float64(turn) / turns)
		for column := range columns {
			beside := s.reach * offset(column)
			var chords []chord
			for i := range prisms {
				if from, to := cut(prisms[i].Plan, mgl64.Vec2{cos, sin}, beside); from < to {
					chords = append(chords, chord{from, to, prisms[i].Bottom, prisms[i].Top})
				}
			}
			for _, together := range touching(chords) {
				s.add(together)
			}
			s.first[turn*columns+column+1] = int32(len(s.pieces))
		}
	}
	return s
}

// chord is where a line of sight runs through a prism, and the prism's heights.
type chord struct{ from, to, bottom, top float64 }

func (a *chord) touches(b *chord) bool {
	return a.from <= b.to && b.from <= a.to && a.bottom <= b.top+seam && b.bottom <= a.top+seam
}

// touching sorts chords into groups that do not touch each other.
func touching(chords []chord) [][]chord {
	var groups [][]chord
	for i := range chords {
		together := []chord{chords[i]}
		groups = slices.DeleteFunc(groups, func(g []chord) bool {
			touches := slices.ContainsFunc(g, func(c chord) bool { return c.touches(&chords[i]) })
			if touches {
				together = append(together, g...)
			}
			return touches
		})
		groups = append(groups, together)
	}
	return groups
}

// add adds a piece to the line of sight that comes next.
func (s *Silhouette) add(chords []chord) {
	p := piece{from: math.MaxFloat32, to: -math.MaxFloat32, near: int32(len(s.corners))}
	var near, far []corner
	for _, c := range chords {
		from, to, bottom, top := float32(c.from), float32(c.to), float32(c.bottom), float32(c.top)
		p.from, p.to = min(p.from, from), max(p.to, to)
		near = append(near, corner{from, top}, corner{from, bottom})
		far = append(far, corner{to, top}, corner{to, bottom})
	}
	s.corners = append(s.corners, side(near, 1)...)
	p.far = int32(len(s.corners))
	s.corners = append(s.corners, side(far, -1)...)
	p.end = int32(len(s.corners))
	s.pieces = append(s.pieces, p)
}

// side returns the corners of the convex hull's near side, from the top down, or with a sense of −1 those of its far side.
func side(corners []corner, sense float32) []corner {
	slices.SortFunc(corners, func(a, b corner) int {
		return cmp.Or(cmp.Compare(b.z, a.z), cmp.Compare(sense*a.x, sense*b.x))
	})
	var hull []corner
	for _, c := range corners {
		if n := len(hull); n > 0 && hull[n-1].z == c.z {
			continue // behind the one before
		}
		for n := len(hull); n > 1; n-- {
			a, b := hull[n-2], hull[n-1]
			if sense*((b.x-a.x)*(a.z-c.z)-(c.x-a.x)*(a.z-b.z)) < 0 {
				break
			}
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	return hull
}

// offset returns where the middle of a column lies beside the axis, to the left as seen along the line of sight; 1 is the reach.
func offset(column int) float64 { return (2*float64(column)+1)/columns - 1 }

// cut returns from where to where the line along dir that passes the origin so far to the left runs through a convex plan; to is less
// when it does not.
func cut(plan []mgl64.Vec2, dir mgl64.Vec2, left float64) (from, to float64) {
	from, to = math.Inf(-1), math.Inf(1)
	start := mgl64.Vec2{-dir[1] * left, dir[0] * left}
	for i, a := range plan {
		b := plan[(i+1)%len(plan)]
		edge := b.Sub(a)
		// The inside is to the left of an edge: cross(edge, start + t·dir − a) ≥ 0.
		at := edge[0]*(start[1]-a[1]) - edge[1]*(start[0]-a[0])
		slope := edge[0]*dir[1] - edge[1]*dir[0]
		switch {
		case slope > 0:
			from = max(from, -at/slope)
		case slope < 0:
			to = min(to, -at/slope)
		case at < 0:
			return 0, -1
		}
	}
	return from, to
}

// of returns the pieces of a line of sight. turn is its direction in the body's frame, rad, within three half turns, beside how far to
// the left of the axis it passes, within ±reach.
func (s *Silhouette) of(turn, beside float64) []piece {
	return s.column(turn, min(max(int((beside/s.reach+1)*(columns/2)), 0), columns-1))
}

// column returns the pieces of a line of sight by its column.
func (s *Silhouette) column(turn float64, column int) []piece {
	const whole = 2 * turns // two turns on, nothing is less than 0
	line := (int(turn*(turns/(2*math.Pi))+whole+0.5)&(turns-1))*columns + column
	return s.pieces[s.first[line]:s.first[line+1]]
}

// slopes returns the slopes at which a piece is seen by an eye that is so far before the foot of the perpendicular, and so far over
// the body's frame as base is less than 0.
func (s *Silhouette) slopes(p *piece, ahead, base float64) (from, to float64) {
	near, far := s.corners[p.near:p.far], s.corners[p.far:p.end]
	upper, lower := far, far
	if base+float64(near[0].z) > 0 {
		upper = near
	}
	if base+float64(near[len(near)-1].z) < 0 {
		lower = near
	}
	return lowest(lower, ahead, base), highest(upper, ahead, base)
}

// closest is how near to the eye, metres, a corner counts at least: one behind it is right above or below it.
const closest = 1e-4

// highest returns the slope of the corner of a side that is seen highest: from the top down they rise, and then fall.
func highest(side []corner, ahead, base float64) float64 {
	run, rise := max(ahead+float64(side[0].x), closest), base+float64(side[0].z)
	for _, c := range side[1:] {
		x, z := max(ahead+float64(c.x), closest), base+float64(c.z)
		if z*run <= rise*x {
			break
		}
		run, rise = x, z
	}
	return rise / run
}

// lowest returns the slope of the one that is seen lowest.
func lowest(side []corner, ahead, base float64) float64 {
	last := len(side) - 1
	run, rise := max(ahead+float64(side[last].x), closest), base+float64(side[last].z)
	for i := last - 1; i >= 0; i-- {
		x, z := max(ahead+float64(side[i].x), closest), base+float64(side[i].z)
		if z*run >= rise*x {
			break
		}
		run, rise = x, z
	}
	return rise / run
}

// Silhouette returns the silhouette of a cylinder or a box; nil of a sphere, whose own is known in closed form.
func (s Shape) Silhouette() *Silhouette {
	switch s.Kind {
	case Sphere:
		return nil
	case Cylinder:
		const sides = 24
		plan := make([]mgl64.Vec2, sides)
		// A circle of the same area.
		r := s.Radius * math.Sqrt(2*math.Pi/sides/math.Sin(2*math.Pi/sides))
		for i := range plan {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
			plan[i] = mgl64.Vec2{r * cos, r * sin}
		}
		return NewSilhouette([]Prism{{plan, 0, s.Height}})
	}
	x, y := s.SizeX/2, s.SizeY/2
	return NewSilhouette([]Prism{{[]mgl64.Vec2{{x, -y}, {x, y}, {-x, y}, {-x, -y}}, 0, s.Height}})
}
