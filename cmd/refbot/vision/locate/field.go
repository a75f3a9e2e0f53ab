package locate

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Markings are a field's lines. What the pitch does not say is configured: fields differ in it.
type Markings struct {
	pitch.Pitch
	LineWidth    float64 // m
	CentreCircle float64 // radius to the outer edge, m
	CornerArc    float64 // the same
}

// cell is the side of the table's cells, and margin how far the table goes beyond the field, m.
const (
	cell   = 0.05
	margin = 3.0
)

// Field has, for each place on and around a field, the way to the nearest point of a line's middle.
type Field struct {
	Markings
	columns, rows int
	ways          [][2]float32 // m, row by row from the corner of least x and y
}

// mark is a line's middle: from a to b, or an arc about a from an angle, so far anticlockwise; of radius 0, a spot.
type mark struct {
	a, b        pitch.Vec
	arc         bool
	radius      float64
	from, sweep float64
}

// marks returns the lines' middles. Areas and circles are measured to the outer edge, the penalty mark from the outer
// edge of the goal line.
func (m *Markings) marks() (all []mark) {
	half := m.LineWidth / 2
	x, y := m.Length/2-half, m.Width/2-half
	line := func(x0, y0, x1, y1 float64) { all = append(all, mark{a: pitch.Vec{x0, y0}, b: pitch.Vec{x1, y1}}) }
	arc := func(x, y, radius, from, sweep float64) {
		all = append(all, mark{a: pitch.Vec{x, y}, arc: true, radius: radius, from: from, sweep: sweep})
	}
	line(0, -y, 0, y)
	arc(0, 0, m.CentreCircle-half, 0, 2*math.Pi)
	arc(0, 0, 0, 0, 2*math.Pi)
	for _, s := range []float64{-1, 1} {
		line(-x, s*y, x, s*y)
		line(s*x, -y, s*x, y)
		for _, area := range [][2]float64{{pitch.PenaltyDepth, m.PenaltyWidth()},
			{pitch.GoalAreaDepth, m.GoalAreaWidth()}} {
			front, side := s*(m.Length/2-area[0]+half), area[1]/2-half
			line(s*x, side, front, side)
			line(front, side, front, -side)
			line(front, -side, s*x, -side)
		}
		arc(s*(m.Length/2-m.PenaltyMark()), 0, 0, 0, 2*math.Pi)
		if r := m.CornerArc - half; r > 0 {
			arc(s*x, s*y, r, (1+s)*math.Pi/2, math.Pi/2)
			arc(s*x, -s*y, r, (2-s)*math.Pi/2, math.Pi/2)
		}
	}
	return all
}

// way returns the vector from a place to the nearest point of a mark.
func (m *mark) way(at pitch.Vec) pitch.Vec {
	if !m.arc {
		d := m.b.Sub(m.a)
		along := math.Min(1, math.Max(0, at.Sub(m.a).Dot(d)/d.Dot(d)))
		return m.a.Add(d.Mul(along)).Sub(at)
	}
	angle := math.Mod(pitch.Angle(at.Sub(m.a))-m.from+4*math.Pi, 2*math.Pi)
	if angle > m.sweep { // the nearer end
		if angle-m.sweep < 2*math.Pi-angle {
			angle = m.sweep
		} else {
			angle = 0
		}
	}
	return m.a.Add(pitch.Direction(m.from + angle).Mul(m.radius)).Sub(at)
}

// NewField computes the table.
func NewField(m Markings) *Field {
	f := &Field{Markings: m, columns: int((m.Length+2*margin)/cell) + 1, rows: int((m.Width+2*margin)/cell) + 1}
	f.ways = make([][2]float32, f.columns*f.rows)
	marks := m.marks()
	for j := range f.rows {
		for i := range f.columns {
			at := pitch.Vec{float64(i)*cell - m.Length/2 - margin, float64(j)*cell - m.Width/2 - margin}
			best := pitch.Vec{math.Inf(1), 0}
			for k := range marks {
				if w := marks[k].way(at); w.Dot(w) < best.Dot(best) {
					best = w
				}
			}
			f.ways[j*f.columns+i] = [2]float32{float32(best[0]), float32(best[1])}
		}
	}
	return f
}

// nearest returns the way from a place to the nearest line in the table's cell.
func (f *Field) nearest(x, y float64) (dx, dy float64, ok bool) {
	i, j := int((x+f.Length/2+margin)/cell+0.5), int((y+f.Width/2+margin)/cell+0.5)
	if !(x > -f.Length/2-margin && y > -f.Width/2-margin) || i >= f.columns || j >= f.rows {
		return 0, 0, false
	}
	w := f.ways[j*f.columns+i]
	return float64(w[0]), float64(w[1]), true
}

// Way returns the vector from a place to the nearest point of a line's middle, m, between the table's cells; false
// outside of the table. It is 0 in the middle of a line and has no corner there, as the distance has.
func (f *Field) Way(x, y float64) (dx, dy float64, ok bool) {
	a, b := (x+f.Length/2+margin)/cell, (y+f.Width/2+margin)/cell
	if !(a >= 0 && b >= 0 && a < float64(f.columns-1) && b < float64(f.rows-1)) {
		return 0, 0, false
	}
	i, j := int(a), int(b)
	a, b = a-float64(i), b-float64(j)
	w := f.ways[j*f.columns+i:]
	up := w[f.columns:]
	mix := func(k int) float64 {
		return (1-b)*((1-a)*float64(w[0][k])+a*float64(w[1][k])) + b*((1-a)*float64(up[0][k])+a*float64(up[1][k]))
	}
	return mix(0), mix(1), true
}
