package locate

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Markings describes the lines of a field. Besides the field's size it contains the dimensions that differ between
// fields of the same size.
type Markings struct {
	pitch.Pitch
	LineWidth    float64 // m
	CentreCircle float64 // radius to the outer edge, m
	CornerArc    float64 // radius to the outer edge, m
}

// MarkingsOf returns the markings of a shipped field, such as msl-18x12. ok is false for another name.
func MarkingsOf(field string) (m Markings, ok bool) {
	m, ok = shipped[field]
	return m, ok
}

var shipped = map[string]Markings{
	"msl-18x12":      {pitch.Pitch{Length: 18, Width: 12}, 0.125, 2, 0.75},
	"nubot-18x12":    {pitch.Pitch{Length: 18, Width: 12}, 0.125, 1.5, 0.75},
	"msl-22x14":      {pitch.Pitch{Length: 22, Width: 14}, 0.125, 2, 0.75},
	"challenge-12x8": {pitch.Pitch{Length: 12, Width: 8}, 0.125, 1.5, 0.75},
	"hsl-9x6":        {pitch.Pitch{Length: 9, Width: 6, League: pitch.Humanoid}, 0.05, 0.75, 0},
	"hsl-14x9":       {pitch.Pitch{Length: 14, Width: 9, League: pitch.Humanoid}, 0.05, 1.5, 0.5},
	"hsl-22x14":      {pitch.Pitch{Length: 22, Width: 14, League: pitch.Humanoid}, 0.12, 2, 1},
}

// cell is the side length of a table cell, in m. margin is how far the table extends beyond the field, in m.
const (
	cell   = 0.05
	margin = 3.0
)

// Field is a table that gives for each position on and around a field the vector to the nearest line.
type Field struct {
	Markings
	columns, rows int
	ways          [][2]float32 // m, row by row from the corner with the smallest x and y
	distinct      bool         // no two poses see the same lines, so that a search needs no compass
}

// Wall is a straight line on the floor, in m.
type Wall struct{ From, To pitch.Vec }

// mark is the centre line of a marking. It is either a segment between the points a and b, or an arc around the point
// a. The arc starts at an angle and goes anticlockwise. An arc of radius 0 is a spot.
type mark struct {
	a, b        pitch.Vec
	arc         bool
	radius      float64
	from, sweep float64
}

// marks returns the centre lines of the markings. The dimensions of areas and circles go to the outer edge of their
// lines. The distance of the penalty mark is measured from the outer edge of the goal line.
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
		for _, area := range [][2]float64{{m.PenaltyDepth(), m.PenaltyWidth()},
			{m.GoalAreaDepth(), m.GoalAreaWidth()}} {
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

// way returns the vector from a position to the nearest point of the mark.
func (m *mark) way(at pitch.Vec) pitch.Vec {
	if !m.arc {
		d := m.b.Sub(m.a)
		along := math.Min(1, math.Max(0, at.Sub(m.a).Dot(d)/d.Dot(d)))
		return m.a.Add(d.Mul(along)).Sub(at)
	}
	angle := math.Mod(pitch.Angle(at.Sub(m.a))-m.from+4*math.Pi, 2*math.Pi)
	if angle > m.sweep { // beyond the arc: use the closer end
		if angle-m.sweep < 2*math.Pi-angle {
			angle = m.sweep
		} else {
			angle = 0
		}
	}
	return m.a.Add(pitch.Direction(m.from + angle).Mul(m.radius)).Sub(at)
}

// NewField computes the table of a field with these markings.
func NewField(m Markings) *Field { return newField(m, m.marks()) }

// NewMap computes the table of a place with these walls. The place has a size and is centred on the origin. It must not
// be symmetric: a Tracker finds the robot's pose without a compass.
func NewMap(size pitch.Pitch, walls []Wall) *Field {
	marks := make([]mark, len(walls))
	for i, w := range walls {
		marks[i] = mark{a: w.From, b: w.To}
	}
	f := newField(Markings{Pitch: size}, marks)
	f.distinct = true
	return f
}

func newField(m Markings, marks []mark) *Field {
	f := &Field{Markings: m, columns: int((m.Length+2*margin)/cell) + 1, rows: int((m.Width+2*margin)/cell) + 1}
	f.ways = make([][2]float32, f.columns*f.rows)
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

// nearest returns the vector to the nearest line that is stored in the table cell of a position, in m. ok is false
// outside of the table.
func (f *Field) nearest(x, y float64) (dx, dy float64, ok bool) {
	i, j := int((x+f.Length/2+margin)/cell+0.5), int((y+f.Width/2+margin)/cell+0.5)
	if !(x > -f.Length/2-margin && y > -f.Width/2-margin) || i >= f.columns || j >= f.rows {
		return 0, 0, false
	}
	w := f.ways[j*f.columns+i]
	return float64(w[0]), float64(w[1]), true
}

// Way returns the vector from a position to the nearest point on the centre of a line, in m, interpolated between table
// cells. ok is false outside of the table. Unlike the distance from the line, the vector is a smooth function even at
// the line itself.
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
