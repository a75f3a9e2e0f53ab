package abstraction

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Prism is an upright piece of a body. Its plan is a convex polygon with anticlockwise corners. It extends between two
// heights. All lengths are in the body's frame, in m.
type Prism struct {
	Plan        []mgl64.Vec2
	Bottom, Top float64
}

// Silhouette is the outline of a body on the floor, as seen from any horizontal direction. It consists of the
// intersections of the body's prisms with vertical planes along lines of sight. It is immutable, and bodies of the same
// shape share it.
type Silhouette struct {
	bulk
	lines   [turns * columns]piece // first piece of each line of sight
	more    []piece                // further pieces
	corners []corner
}

// bulk is an upright cylinder around the z axis of a body's frame. The cylinder contains the body. Lengths are in m.
type bulk struct {
	reach, bottom, top float64
	bound              float64 // radius of a sphere around the cylinder's centre that contains the cylinder
}

// piece is the part of a line of sight that runs through prisms that touch. Its lowest and highest visible points are
// corners of the prisms' convex hull. from and to are distances along the line of sight, from the point nearest to the
// body's axis, in m.
type piece struct {
	from, to float32
	// index of the near side's first corner; corners are ordered from the top down, and the far side's corners follow
	corners   int32
	near, far uint8 // numbers of corners; 0 if the line of sight hits nothing
	next      int16 // index in Silhouette.more of the next piece on the line of sight; 0 for none
	// From this distance on, the lowest and highest slope are those of corners at the piece's lower and upper end, if
	// the viewpoint is not farther than distantBase above or below the body's frame.
	distant       float32
	bottom, top   float32 // heights of the piece's ends
	lowX, farLowX float32 // x of the corners at the lower end: of the near side and of the far side
	topX, farTopX float32 // the same at the upper end
}

// distantBase is the height that piece.distant allows for, m.
const distantBase = 1.0

// corner is a corner of a piece, in m: x is a distance along the line of sight, and z is a height in the body's frame.
type corner struct{ x, z float32 }

const (
	turns   = 64 // directions from which a silhouette is seen
	columns = 16 // parallel lines of sight in each direction
	// seam is the maximum height, in m, of a gap between prisms that is ignored. Such a gap exists between a tower and
	// the plate on it.
	seam = 0.025
	// blunt is the maximum height, in m, of a corner above the line between its neighbours at which the corner is
	// ignored.
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

// chord is the part of a line of sight in a prism: an interval of distances along the line, and the prism's heights, in
// m.
type chord struct{ from, to, bottom, top float64 }

func (a *chord) touches(b *chord) bool {
	return a.from <= b.to && b.from <= a.to && a.bottom <= b.top+seam && b.bottom <= a.top+seam
}

// groupTouching divides chords into groups. Chords of different groups do not touch.
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

// piece makes a piece from chords that touch.
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
	p.setEnds(near, far)
	return p
}

// setEnds sets the fields that describe the ends of the piece.
func (p *piece) setEnds(near, far []corner) {
	p.top, p.topX, p.farTopX = near[0].z, near[0].x, far[0].x
	n, f := len(near)-1, len(far)-1
	p.bottom, p.lowX, p.farLowX = near[n].z, near[n].x, far[f].x
	distant := 2*closest - float64(p.from)
	for _, side := range [2][]corner{near, far} {
		if last := len(side) - 1; last > 0 {
			distant = max(distant, distantFrom(side[0], side[1]), distantFrom(side[last], side[last-1]))
		}
	}
	p.distant = float32(distant)
}

// distantFrom returns a distance from which a corner at an end of a piece has a more extreme slope than the next corner
// on the same side.
func distantFrom(end, next corner) float64 {
	x, z, nextX, nextZ := float64(end.x), float64(end.z), float64(next.x), float64(next.z)
	// Slopes are equal at the distance ahead where (base + z)·(ahead + nextX) = (base + nextZ)·(ahead + x).
	equal := (distantBase*math.Abs(x-nextX) + math.Abs(nextZ*x-z*nextX)) / math.Abs(z-nextZ)
	return 1.001*equal + 0.001 // with a margin for rounding
}

// hullSide returns the corners on one side of the convex hull, from the top down. The side is the near one if sense is
// 1, and the far one if sense is −1.
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
			if out := sense * ((c.x-a.x)*(a.z-b.z) - (b.x-a.x)*(a.z-c.z)); float64(out) > blunt*math.Hypot(
				float64(c.x-a.x), float64(c.z-a.z)) {
				break
			}
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	return hull
}

// offset returns how far to the left of the axis a column's line of sight passes, as a fraction of reach, from −1 to 1.
func offset(column int) float64 { return (2*float64(column)+1)/columns - 1 }

// intersect returns the interval of a line that lies in a convex plan, as distances along the unit vector dir in m. The
// line has the direction dir, and passes the origin on its left side, as seen along dir, at the distance left. If the
// line misses the plan, the interval is empty: to is less than from.
func intersect(plan []mgl64.Vec2, dir mgl64.Vec2, left float64) (from, to float64) {
	from, to = math.Inf(-1), math.Inf(1)
	start := mgl64.Vec2{-dir[1] * left, dir[0] * left}
	for i, a := range plan {
		b := plan[(i+1)%len(plan)]
		edge := b.Sub(a)
		// A point is inside if it is left of every edge: cross(edge, start + t·dir − a) ≥ 0.
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

// pieceAt returns the first piece of a line of sight. The first argument is the line's azimuth in the body's frame,
// within ±3π rad. The second argument is the line's distance to the left of the axis, within ±reach.
func (s *Silhouette) pieceAt(turn, beside float64) *piece {
	return s.column(turn, min(max(int((beside/s.reach+1)*(columns/2)), 0), columns-1))
}

// column returns the first piece of the line of sight in a column.
func (s *Silhouette) column(turn float64, column int) *piece {
	const whole = 2 * turns // offset by two turns, so that the index is not negative
	return &s.lines[((int(turn*(turns/(2*math.Pi))+whole+0.5)*columns)|column)&(turns*columns-1)]
}

// after returns the piece that follows p on the same line of sight, or nil if p is the last piece.
func (s *Silhouette) after(p *piece) *piece {
	if p.next == 0 {
		return nil
	}
	return &s.more[p.next]
}

// slopes returns the lowest and highest slope of a piece. The argument ahead is the distance from the viewpoint to the
// point of the line of sight nearest to the axis. The argument base is the height of the body's frame over the
// viewpoint. Slopes returns false if the piece is empty or behind the viewpoint.
func (s *Silhouette) slopes(p *piece, ahead, base float64) (from, to float64, ok bool) {
	if ahead >= float64(p.distant) && math.Abs(base) <= distantBase && p.near > 0 {
		low, high, lowX, highX := base+float64(p.bottom), base+float64(p.top), p.farLowX, p.farTopX
		if low < 0 {
			lowX = p.lowX
		}
		if high > 0 {
			highX = p.topX
		}
		return low / (ahead + float64(lowX)), high / (ahead + float64(highX)), true
	}
	if p.near == 0 || ahead+float64(p.to) <= 0 {
		return 0, 0, false
	}
	corners := s.corners[p.corners:][:p.near+p.far]
	near, end := int(p.near), len(corners)
	// If the viewpoint is above the piece, the highest slope is at a corner of the far side; otherwise it is at a
	// corner of the near side. If the viewpoint is below the piece, the lowest slope is at a corner of the far side;
	// otherwise it is at a corner of the near side. The search starts at one end of the side. The slopes of consecutive
	// corners increase (or decrease) until the corner that is sought.
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

// closest is the minimum forward distance of a corner, in m. A corner behind the viewpoint is treated as if it were
// straight above or below the viewpoint.
const closest = 1e-4

// at returns the distance of a corner along the line of sight, and its height over the viewpoint. See Silhouette.slopes
// for ahead and base.
func (c *corner) at(ahead, base float64) (run, rise float64) {
	run, rise = ahead+float64(c.x), base+float64(c.z)
	if run < closest {
		run = closest
	}
	return run, rise
}

// Silhouette returns the silhouette of a cylinder or a box, or nil for a sphere, whose slopes have a closed form.
func (s Shape) Silhouette() *Silhouette {
	switch s.Kind {
	case Sphere:
		return nil
	case Cylinder:
		return NewSilhouette([]Prism{{Disc(s.Radius), 0, s.Height}})
	}
	x, y := s.SizeX/2, s.SizeY/2
	return NewSilhouette([]Prism{{[]mgl64.Vec2{{x, -y}, {x, y}, {-x, y}, {-x, -y}}, 0, s.Height}})
}

// Disc returns the plan of a cylinder around the origin: a polygon with the same area as the circle.
func Disc(radius float64) []mgl64.Vec2 {
	const sides = 24
	plan := make([]mgl64.Vec2, sides)
	r := radius * math.Sqrt(2*math.Pi/sides/math.Sin(2*math.Pi/sides))
	for i := range plan {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / sides)
		plan[i] = mgl64.Vec2{r * cos, r * sin}
	}
	return plan
}
