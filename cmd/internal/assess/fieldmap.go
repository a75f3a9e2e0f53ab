package assess

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// cell is a square of the error map.
type cell struct {
	x, y   float64 // of its centre, W
	n      int
	off    []float64
	dx, dy float64 // sums of errors in W
}

// cellSide is the side of a cell, m.
const cellSide = 1.0

// cells collects the errors of the robot's own position in squares, by the robot's true position.
func (r *Result) cells(topic string) []*cell {
	at := map[[2]int]*cell{}
	var order []*cell
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Kind != Self || s.Outcome != Hit || r.Config.Topics[s.Topic].Name != topic {
			continue
		}
		key := [2]int{int(math.Floor(s.TrueX / cellSide)), int(math.Floor(s.TrueY / cellSide))}
		c := at[key]
		if c == nil {
			c = &cell{x: (float64(key[0]) + 0.5) * cellSide, y: (float64(key[1]) + 0.5) * cellSide}
			at[key], order = c, append(order, c)
		}
		c.n++
		c.off = append(c.off, s.Off())
		c.dx, c.dy = c.dx+s.SaidX-s.TrueX, c.dy+s.SaidY-s.TrueY
	}
	return order
}

// fieldMap draws the field from above, with x to the right. Each square metre has a colour for the median error of the
// robot's own position there, and an arrow for the mean error. The drawing is empty if there are no reports.
func (r *Result) fieldMap(topic string) (svg template.HTML, scale string) {
	cells := r.cells(topic)
	if len(cells) == 0 {
		return "", ""
	}
	worst, longest := 0.0, 0.0
	medians := make([]float64, len(cells))
	for i, c := range cells {
		medians[i] = float64(spreadOf(c.off).Median)
		worst = math.Max(worst, medians[i])
		longest = math.Max(longest, math.Hypot(c.dx, c.dy)/float64(c.n))
	}
	grow := 1.0 // scale of arrows: the longest arrow is as long as a cell
	if longest > 0 {
		grow = 0.9 * cellSide / longest
	}
	var b strings.Builder
	f := &r.World.Field.Field
	drawField(&b, f, "map")
	for i, c := range cells {
		share := 0.0
		if worst > 0 {
			share = medians[i] / worst
		}
		fmt.Fprintf(&b,
			`<rect x="%.2f" y="%.2f" width="%g" height="%g" fill="%s" fill-opacity="0.75"><title>(%.1f, %.1f) m: median %.1f cm of %d</title></rect>`,
			c.x-cellSide/2, -c.y-cellSide/2, cellSide, cellSide, heat(share), c.x, c.y, 100*medians[i], c.n)
	}
	for _, c := range cells {
		dx, dy := grow*c.dx/float64(c.n), grow*c.dy/float64(c.n)
		arrow(&b, c.x-dx/2, -c.y+dy/2, c.x+dx/2, -c.y-dy/2)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), fmt.Sprintf("Yellow is no error, dark red %.1f cm, the largest median of a "+
		"square metre. Arrows are mean errors, enlarged %.0f times.", 100*worst, grow)
}

// heat returns a colour from yellow to dark red for a value in [0, 1]. Brightness decreases monotonically, for readers
// who are colour-blind.
func heat(share float64) string {
	return fmt.Sprintf("hsl(%.0f 90%% %.0f%%)", 55-55*share, 70-45*share)
}

// arrow draws an arrow; coordinates are those of the drawing, m, with y pointing down.
func arrow(b *strings.Builder, x0, y0, x1, y1 float64) {
	dx, dy := x1-x0, y1-y0
	l := math.Hypot(dx, dy)
	if l < 0.03 {
		fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="0.04" fill="#000"/>`, x0, y0)
		return
	}
	h := math.Min(0.22, 0.4*l) / l
	fmt.Fprintf(b,
		`<path d="M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2fL%.2f %.2f" fill="none" stroke="#000" stroke-width="0.05"/>`,
		x0, y0, x1, y1, x1-h*dx+0.6*h*dy, y1-h*dy-0.6*h*dx, x1, y1, x1-h*dx-0.6*h*dy, y1-h*dy+0.6*h*dx)
}

// drawField begins a drawing of the field from above, in metres, x to the right and y up.
func drawField(b *strings.Builder, f *physics.Field, class string) {
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	fmt.Fprintf(b,
		`<svg class="%s" viewBox="%.2f %.2f %.2f %.2f" xmlns="http://www.w3.org/2000/svg"><rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#2f6b3c"/>`,
		class, -x, -y, 2*x, 2*y, -x, -y, 2*x, 2*y)
	for _, m := range f.Marks() {
		points := along(&m, 0.2)
		if m.Kind == spatial.Spot {
			fmt.Fprintf(b, `<circle cx="%.2f" cy="%.2f" r="%.2f" fill="#fff"/>`, m.A[0], -m.A[1], m.Radius)
			continue
		}
		b.WriteString(`<polyline fill="none" stroke="#fff" points="`)
		for _, p := range points {
			fmt.Fprintf(b, "%.2f,%.2f ", p[0], -p[1])
		}
		fmt.Fprintf(b, `" stroke-width="%.3f"/>`, m.Width)
	}
}

// along returns points on a marking's centre line with a largest spacing, m.
func along(m *spatial.Mark, step float64) (points [][2]float64) {
	switch m.Kind {
	case spatial.Segment:
		n := int(math.Ceil(math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1])/step)) + 1
		for i := range n + 1 {
			t := float64(i) / float64(n)
			points = append(points, [2]float64{m.A[0] + t*(m.B[0]-m.A[0]), m.A[1] + t*(m.B[1]-m.A[1])})
		}
	case spatial.Arc:
		n := int(math.Ceil(m.Radius*m.Sweep/step)) + 1
		for i := range n + 1 {
			sin, cos := math.Sincos(m.From + m.Sweep*float64(i)/float64(n))
			points = append(points, [2]float64{m.A[0] + m.Radius*cos, m.A[1] + m.Radius*sin})
		}
	}
	return points
}
