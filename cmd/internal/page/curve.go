package page

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// look is the colour and the mark of a curve.
type look struct {
	color color.Color
	mark  draw.GlyphDrawer
}

// looks are distinguishable with any colour vision. Source: Okabe and Ito (2008), Color Universal Design, without
// yellow, plus two more.
var looks = []look{
	{rgb(0xd55e00), draw.CircleGlyph{}}, {rgb(0x0072b2), draw.BoxGlyph{}}, {rgb(0x009e73), draw.PyramidGlyph{}},
	{rgb(0xcc79a7), draw.CircleGlyph{}},
	{rgb(0x56b4e9), draw.BoxGlyph{}}, {rgb(0xe69f00), draw.PyramidGlyph{}}, {rgb(0x8b5a2b), draw.CircleGlyph{}},
	{rgb(0x000000), draw.BoxGlyph{}},
	{rgb(0x808080), draw.PyramidGlyph{}},
}

func rgb(x uint32) color.Color { return color.RGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 0xff} }

// Widths of lines and radii of marks, in points.
const (
	lineWidth = 1.2
	markLine  = 0.7 // a line that joins marks
	markSize  = 3
	markShare = 0.75 // fraction of the distance between two names over which marks are spread side by side
)

// drawCurve returns the lines and the marks of curve i of p. The curve is interrupted where a value is missing. It has
// marks only if it is a curve of marks or if the horizontal axis of p has names. Over each name, the marks of all
// curves stand side by side.
func drawCurve(p *experiment.Plot, i int) (lines []*plotter.Line, marks *plotter.Scatter, err error) {
	c, l := &p.Curves[i], looks[i%len(looks)]
	named, aside := len(p.Names) > 0 && !c.Steps, 0.0
	if named {
		aside = markOffset(p, i)
	}
	for _, part := range finiteParts(c) {
		part = thin(part)
		xy := make(plotter.XYs, len(part.X))
		for k := range xy {
			xy[k].X, xy[k].Y = part.X[k]+aside, part.Y[k]
		}
		line, points, err := plotter.NewLinePoints(xy)
		if err != nil {
			return nil, nil, err
		}
		if marks == nil {
			marks = points
		} else {
			marks.XYs = append(marks.XYs, points.XYs...)
		}
		line.Color, line.Width = l.color, lineWidth
		if c.Steps {
			line.StepStyle = plotter.PostStep
		}
		lines = append(lines, line)
	}
	if !named && !c.Marks || marks == nil {
		return lines, nil, nil
	}
	if c.Marks {
		lines = nil
	}
	for _, line := range lines {
		line.Width = markLine
	}
	marks.GlyphStyle = draw.GlyphStyle{Color: l.color, Radius: markSize, Shape: l.mark}
	return lines, marks, nil
}

// markOffset is the horizontal distance of curve i's marks or bars from their name.
func markOffset(p *experiment.Plot, i int) float64 {
	return markShare * ((float64(i)+0.5)/float64(len(p.Curves)) - 0.5)
}

// finiteParts splits a curve at values that are NaN or infinite.
func finiteParts(c *experiment.Curve) (parts []experiment.Curve) {
	from := 0
	for i := range len(c.Y) + 1 {
		if i < len(c.Y) && !math.IsNaN(c.Y[i]) && !math.IsInf(c.Y[i], 0) {
			continue
		}
		if i > from {
			parts = append(parts, experiment.Curve{Name: c.Name, X: c.X[from:i], Y: c.Y[from:i], Steps: c.Steps})
		}
		from = i + 1
	}
	return parts
}

// columns is the number of horizontal positions that can be distinguished in a plot: a little more than its width in
// pixels.
const columns = 1000

// thin returns a curve with fewer values that looks the same as c. A curve with very many values would take seconds to
// draw. Of the values in one column, thin keeps the first, the lowest, the highest and the last.
func thin(c experiment.Curve) experiment.Curve {
	n := len(c.X)
	if n <= 4*columns || !slices.IsSorted(c.X) {
		return c
	}
	few := experiment.Curve{Name: c.Name, Steps: c.Steps}
	width := (c.X[n-1] - c.X[0]) / columns
	for from := 0; from < n; {
		to, low, high := from, from, from
		for to < n && c.X[to] <= c.X[from]+width {
			if c.Y[to] < c.Y[low] {
				low = to
			}
			if c.Y[to] > c.Y[high] {
				high = to
			}
			to++
		}
		for _, i := range slices.Compact([]int{from, min(low, high), max(low, high), to - 1}) {
			few.Add(c.X[i], c.Y[i])
		}
		from = to
	}
	return few
}

// barShare is the width of a bar as a fraction of its slot.
const barShare = 0.85

// drawBars adds the values of curve i of p to a plot as bars that begin at 0, with error bars. It returns the entry of
// the bars in the legend. A value that is NaN or infinite has no bar.
func drawBars(out *plot.Plot, p *experiment.Plot, i int) (plot.Thumbnailer, error) {
	c := &p.Curves[i]
	half := barShare * markShare / float64(len(p.Curves)) / 2
	var bars []plotter.XYer
	var known struct {
		plotter.XYs
		plotter.YErrors
	}
	for k, y := range c.Y {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			continue
		}
		x := c.X[k] + markOffset(p, i)
		bars = append(bars, plotter.XYs{{X: x - half}, {X: x - half, Y: y}, {X: x + half, Y: y}, {X: x + half}})
		if len(c.Low) == len(c.Y) && len(c.High) == len(c.Y) {
			known.XYs = append(known.XYs, plotter.XY{X: x, Y: y})
			known.YErrors = append(known.YErrors, struct{ Low, High float64 }{y - c.Low[k], c.High[k] - y})
		}
	}
	all, err := plotter.NewPolygon(bars...)
	if err != nil {
		return nil, err
	}
	all.Color, all.LineStyle.Width = looks[i%len(looks)].color, 0
	out.Add(all)
	if len(known.XYs) > 0 {
		marks, err := plotter.NewYErrorBars(known)
		if err != nil {
			return nil, err
		}
		marks.Width = lineWidth
		out.Add(marks)
	}
	return all, nil
}

// Proportion returns the 95 % confidence interval of a proportion that is estimated from k successes in n trials.
// Source: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
func Proportion(k, n int) (low, high float64) {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (middle-half)/(1+z*z/m)), min(1, (middle+half)/(1+z*z/m))
}
