package abstraction

import (
	"math"

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
	reach, bottom, top float64 // of an upright cylinder around the frame's z axis that holds it
	chords             []chord
	first              [turns*columns + 1]int32 // of each line of sight, in chords
}

// chord is where a line of sight runs through a prism, from the foot of the perpendicular from the axis on, and the prism's heights.
type chord struct{ from, to, bottom, top float32 }

const (
	turns   = 64 // directions that a silhouette is seen from
	columns = 16 // lines of sight beside each other
)

// NewSilhouette returns the silhouette of a body.
func NewSilhouette(prisms []Prism) *Silhouette {
	s := &Silhouette{bottom: math.Inf(1)}
	for _, p := range prisms {
		for _, v := range p.Plan {
			s.reach = max(s.reach, v.Len())
		}
		s.bottom, s.top = min(s.bottom, p.Bottom), max(s.top, p.Top)
	}
	for turn := range turns {
		sin, cos := math.Sincos(2 * math.Pi * float64(turn) / turns)
		for column := range columns {
			beside := s.reach * offset(column)
			for i := range prisms {
				if from, to := cut(prisms[i].Plan, mgl64.Vec2{cos, sin}, beside); from < to {
					s.chords = append(s.chords, chord{float32(from), float32(to), float32(prisms[i].Bottom), float32(prisms[i].Top)})
				}
			}
			s.first[turn*columns+column+1] = int32(len(s.chords))
		}
	}
	return s
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

// of returns the chords of a line of sight. turn is its direction in the body's frame, rad, beside how far to
// the left of the axis it passes, within ±reach.
func (s *Silhouette) of(turn, beside float64) []chord {
	t := int(math.Floor(turn*(turns/(2*math.Pi))+0.5)) & (turns - 1)
	c := min(max(int((beside/s.reach+1)*(columns/2)), 0), columns-1)
	line := t*columns + c
	return s.chords[s.first[line]:s.first[line+1]]
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
