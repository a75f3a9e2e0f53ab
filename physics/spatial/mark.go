package spatial

import "math"

// MarkKind is the shape of a floor marking.
type MarkKind uint8

const (
	Segment MarkKind = iota // straight line from A to B
	Arc                     // part of a circle around A
	Spot                    // filled disc around A
)

// Mark is one marking painted on the floor, described by its centre line in the world frame, metres.
type Mark struct {
	Kind   MarkKind
	A, B   [2]float64 // see Kind; only a Segment has B
	Radius float64    // radius of an Arc's centre line or of a Spot
	From   float64    // angle at which an Arc starts, rad
	Sweep  float64    // angle that an Arc covers, anticlockwise from the angle From, rad
	Width  float64    // width of the painted line; 0 for a Spot
}

// Distance returns the distance of a point from the marking's centre line, or from the disc of a Spot, metres.
func (m *Mark) Distance(x, y float64) float64 {
	dx, dy := x-m.A[0], y-m.A[1]
	switch m.Kind {
	case Spot:
		return math.Max(0, math.Hypot(dx, dy)-m.Radius)
	case Arc:
		if math.Mod(math.Atan2(dy, dx)-m.From+4*math.Pi, 2*math.Pi) <= m.Sweep {
			return math.Abs(math.Hypot(dx, dy) - m.Radius)
		}
		end := func(angle float64) float64 {
			sin, cos := math.Sincos(angle)
			return math.Hypot(dx-m.Radius*cos, dy-m.Radius*sin)
		}
		return math.Min(end(m.From), end(m.From+m.Sweep))
	}
	ex, ey := m.B[0]-m.A[0], m.B[1]-m.A[1]
	t := 0.0
	if l2 := ex*ex + ey*ey; l2 > 0 {
		t = math.Min(1, math.Max(0, (dx*ex+dy*ey)/l2))
	}
	return math.Hypot(dx-t*ex, dy-t*ey)
}

// Area returns the area of the floor that the marking covers, square metres.
func (m *Mark) Area() float64 {
	switch m.Kind {
	case Spot:
		return math.Pi * m.Radius * m.Radius
	case Arc:
		return m.Radius * m.Sweep * m.Width
	}
	return math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1]) * m.Width
}
