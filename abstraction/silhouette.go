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
	lines   [turns * columns]piece // the first of each line of sight
	more    []piece                // of those that have several
	corners []corner
}

// bulk is an upright cylinder around the frame's z axis that holds a body.
type bulk struct {
	reach, bottom, top float64
	bound              float64 // radius of a sphere around its middle
}

// piece is where a line of sight runs through prisms that touch, from the foot of the perpendicular from the axis on. Whatever is
// seen of it is seen between two of the corners of its convex hull.
type piece struct {
	from, to  float32
	corners   int32 // the first of its near side, from the top down; those of its far side follow
	near, far uint8 // how many there are; none of an empty line of sight
	next      int16 // of the line of sight, in more; 0 is none
}

// corner is so far along a line of sight and so high.
type corner struct{ x, z float32 }

const (
	turns   = 64 // directions that a silhouette is seen from
	columns = 16 // lines of sight beside each other
	// seam is the height of a gap between prisms, metres, that counts as none: that between a tower and the plate that it carries.
	seam = 0.025
	// blunt is by how much a corner may stand out and be left out, metres.
	blunt = 0.003
)

// NewSilhouette returns the silhouette of a body.
func NewSilhouette(prisms []Prism) *Silhouette {
	s := &Silhouette{bulk: bulk{bottom: math.Inf(1)}, more: make([]piece, 1)}
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
				if from, to := intersect(prisms[i].Plan, mgl64.Vec2{cos, sin}, beside); from < to {
					chords = append(chords, chord{from, to, prisms[i].Bottom, prisms[i].Top})
				}
			}
			last := &s.lines[turn*columns+column]
			for i, together := range groupTouching(chords) {
				if i > 0 {
					last.next = int16(len(s.more))
					s.more = append(s.more, piece{})
					last = &s.more[len(s.more)-1]
				}
				*last = s.piece(together)
			}
		}
	}
	return s
}

// chord is where a line of sight runs through a prism, and the prism's heights.
type chord struct{ from, to, bottom, top float64 }

func (a *chord) touches(b *chord) bool {
	return a.from <= b.to && b.from <= a.to && a.bottom <= b.top+seam && b.bottom <= a.top+seam
}

// groupTouching sorts chords into groups that do not touch each other.
func groupTouching(chords []chord) [][]chord {
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

// piece makes a piece of chords that touch.
func (s *Silhouette) piece(chords []chord) piece {
	p := piece{from: math.MaxFloat32, to: -math.MaxFloat32, corners: int32(len(s.corners))}
	var near, far []corner
	for _, c := range chords {
		from, to, bottom, top := float32(c.from), float32(c.to), float32(c.bottom), float32(c.top)
		p.from, p.to = min(p.from, from), max(p.to, to)
		near = append(near, corner{from, top}, corner{from, bottom})
		far = append(far, corner{to, top}, corner{to, bottom})
	}
	near, far = hullSide(near, 1), hullSide(far, -1)
	p.near, p.far = uint8(len(near)), uint8(len(far))
	s.corners = append(append(s.corners, near...), far...)
	return p
}

// hullSide returns the corners of the convex hull's near hullSide, from the top down, or with a sense of −1 those of its far hullSide.
func hullSide(corners []corner, sense float32) []corner {
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
			if out := sense * ((c.x-a.x)*(a.z-b.z) - (b.x-a.x)*(a.z-c.z)); float64(out) > blunt*math.Hypot(float64(c.x-a.x), float64(c.z-a.z)) {
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

// intersect returns from where to where the line along dir that passes the origin so far to the left runs through a convex plan; to is less
// when it does not.
func intersect(plan []mgl64.Vec2, dir mgl64.Vec2, left float64) (from, to float64) {
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

// pieceAt returns the first piece pieceAt a line pieceAt sight. turn is its direction in the body's frame, rad, within three half turns, beside how
// far to the left pieceAt the axis it passes, within ±reach.
func (s *Silhouette) pieceAt(turn, beside float64) *piece {
	return s.column(turn, min(max(int((beside/s.reach+1)*(columns/2)), 0), columns-1))
}

// column returns the first piece of a line of sight by its column.
func (s *Silhouette) column(turn float64, column int) *piece {
	const whole = 2 * turns // two turns on, nothing is less than 0
	return &s.lines[((int(turn*(turns/(2*math.Pi))+whole+0.5)*columns)|column)&(turns*columns-1)]
}

// after returns the line of sight's next piece, or nil.
func (s *Silhouette) after(p *piece) *piece {
	if p.next == 0 {
		return nil
	}
	return &s.more[p.next]
}

// slopes returns the slopes at which a piece is seen by an eye that is so far before the foot of the perpendicular and, if base is
// negative, so far over the body's frame; false if there is nothing of it ahead.
func (s *Silhouette) slopes(p *piece, ahead, base float64) (from, to float64, ok bool) {
	if p.near == 0 || ahead+float64(p.to) <= 0 {
		return 0, 0, false
	}
	corners := s.corners[p.corners:][:p.near+p.far]
	near, end := int(p.near), len(corners)
	// What is seen of the body highest and lowest is seen on its near side, unless the eye looks on it from above or below. From a
	// side's end on its corners are seen ever higher, or lower, up to one.
	i, last := near, end
	if base+float64(corners[0].z) > 0 {
		i, last = 0, near
	}
	run, rise := corners[i].at(ahead, base)
	for i++; i < last; i++ {
		x, z := corners[i].at(ahead, base)
		if z*run <= rise*x {
			break
		}
		run, rise = x, z
	}
	to = rise / run
	i, last = end-1, near
	if base+float64(corners[near-1].z) < 0 {
		i, last = near-1, 0
	}
	run, rise = corners[i].at(ahead, base)
	for i--; i >= last; i-- {
		x, z := corners[i].at(ahead, base)
		if z*run >= rise*x {
			break
		}
		run, rise = x, z
	}
	return rise / run, to, true
}

// closest is how near to the eye, metres, a corner counts at least: one behind it is right above or below it.
const closest = 1e-4

// at returns where a corner is as seen from an eye as slopes has it.
func (c *corner) at(ahead, base float64) (run, rise float64) {
	run, rise = ahead+float64(c.x), base+float64(c.z)
	if run < closest {
		run = closest
	}
	return run, rise
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
