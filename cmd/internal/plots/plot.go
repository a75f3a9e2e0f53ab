// Package plots draws plots of curves.
package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // Formats
	_ "gonum.org/v1/plot/vg/vgsvg"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/aside"
)

const (
	plotWidth  = 7.5 * vg.Inch
	plotHeight = 5 * vg.Inch
	rowHeight  = 2 * vg.Inch
)

// look is how a curve is drawn.
type look struct {
	color color.Color
	mark  draw.GlyphDrawer
}

// looks are told apart by people with any colour vision. Source: Okabe and Ito (2008), Color Universal Design, without
// yellow, and two more.
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
	markLine  = 0.7 // that joins marks
	markSize  = 3
	markShare = 0.75 // of the distance between two names that marks take side by side
)

// sans is what texts are set in, as those of pages are.
const sans = "Sans"

// newLegend returns an empty legend.
func newLegend(padding vg.Length) plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle.Font.Variant = true, true, padding, sans
	return legend
}

// Formats are the endings of files that Write writes.
var Formats = []string{".png", ".svg"}

// Write draws plots into a file, whose name ends with one of Formats: one below the other, over the same horizontal
// axis.
func Write(path string, all []experiment.Plot) error {
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	if !slices.Contains(Formats, "."+format) {
		return fmt.Errorf("%s: must end with %s", path, strings.Join(Formats, " or "))
	}
	var panels []panel
	var err error
	switch {
	case len(all) == 1 && all[0].Rows:
		panels, err = rows(&all[0])
	default:
		panels, err = stacked(all)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	height, aside := vg.Length(plotHeight), vg.Length(0)
	if len(all) != 1 || all[0].Rows {
		height = rowHeight
	}
	for _, p := range panels {
		if p.legend != nil {
			size := p.legend.Rectangle(draw.Canvas{}).Size()
			height, aside = max(height, size.Y+5*gap), max(aside, size.X+2*gap)
		}
	}
	height *= vg.Length(max(len(panels), 1))
	picture, err := draw.NewFormattedCanvas(plotWidth+aside, height, format)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	drawPanels(panels, draw.NewCanvas(picture, plotWidth+aside, height), aside)
	return save(picture, path)
}

// panel is one plot of a picture.
type panel struct {
	*plot.Plot
	legend *plot.Legend // nil: the title says it
}

// gap is between panels, and around legends; margin is around all.
const (
	gap    = 0.1 * vg.Inch
	margin = 0.0625 * vg.Inch // six pixels: thin lines stay sharp
)

// drawPanels draws panels one below the other, with their legends at the right, where they hide no curve.
func drawPanels(panels []panel, all draw.Canvas, aside vg.Length) {
	if len(panels) == 0 {
		return
	}
	left := draw.Crop(all, margin, -aside-margin, margin, -margin)
	canvases := [][]draw.Canvas{{left}}
	if len(panels) > 1 {
		column := make([][]*plot.Plot, len(panels))
		for i := range panels {
			column[i] = []*plot.Plot{panels[i].Plot}
		}
		canvases = plot.Align(column, draw.Tiles{Rows: len(panels), Cols: 1, PadRight: gap, PadY: gap}, left)
	}
	for i, p := range panels {
		canvas := canvases[i][0]
		p.Draw(canvas)
		if p.legend != nil {
			beside := draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: plotWidth + gap,
				Y: canvas.Min.Y}, Max: vg.Point{X: plotWidth + aside - gap, Y: canvas.Max.Y}}}
			p.legend.Draw(draw.Crop(beside, 0, 0, 0, -2*p.legend.TextStyle.Font.Size))
		}
	}
}

// stacked returns a panel for each plot, all with the same horizontal axis.
func stacked(all []experiment.Plot) (panels []panel, err error) {
	var x extent
	for i := range all {
		legend := newLegend(vg.Points(4))
		p, err := axes(&all[i], &legend)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			p.Title.Text = ""
		}
		if i < len(all)-1 {
			p.X.Label.Text = ""
		}
		x = x.with(&p.X)
		panels = append(panels, panel{p, &legend})
	}
	for _, p := range panels {
		p.X.Min, p.X.Max = x.least, x.most
	}
	return panels, nil
}

// rows returns a panel for each curve, all to the same scale, with its name as the title.
func rows(p *experiment.Plot) (panels []panel, err error) {
	var x, y extent
	for _, c := range p.Curves {
		if len(c.X) == 0 {
			continue // as of a run that was too short
		}
		one := *p
		one.Title, one.Curves = c.Name, []experiment.Curve{c}
		if len(panels) == 0 {
			one.Title = p.Title + ": " + c.Name
		}
		row, err := axes(&one, nil)
		if err != nil {
			return nil, err
		}
		x, y = x.with(&row.X), y.with(&row.Y)
		panels = append(panels, panel{row, nil})
	}
	for i, row := range panels {
		row.X.Min, row.X.Max, row.Y.Min, row.Y.Max = x.least, x.most, y.least, y.most
		if i < len(panels)-1 {
			row.X.Label.Text = ""
		}
	}
	return panels, nil
}

// extent is what axes show together; the zero value is nothing.
type extent struct {
	any         bool
	least, most float64
}

func (e extent) with(a *plot.Axis) extent {
	if !e.any {
		return extent{true, a.Min, a.Max}
	}
	return extent{true, min(e.least, a.Min), max(e.most, a.Max)}
}

// axes draws curves to common axes, and adds them to a legend unless that is nil.
func axes(p *experiment.Plot, legend *plot.Legend) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.XLabel, p.YLabel
	out.X.Tick.Marker, out.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	for _, style := range []*draw.TextStyle{&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle,
		&out.X.Tick.Label, &out.Y.Tick.Label} {
		style.Font.Variant = sans
	}
	out.Add(plotter.NewGrid())
	var above []plot.Plotter // what no line may hide
	drawn := false
	curves := make([][]*plotter.Line, len(p.Curves))
	for i := range p.Curves {
		if len(p.Curves[i].X) == 0 {
			continue
		}
		if p.Bars {
			bar, err := drawBars(out, p, i)
			if err != nil {
				return nil, err
			}
			if legend != nil {
				legend.Add(p.Curves[i].Name, bar)
			}
			drawn = drawn || len(whole(&p.Curves[i])) > 0
			continue
		}
		lines, marks, err := drawCurve(p, i)
		if err != nil {
			return nil, err
		}
		var samples []plot.Thumbnailer
		for _, line := range lines {
			out.Add(line)
			samples, drawn = []plot.Thumbnailer{line}, true
		}
		if marks != nil {
			above, samples, drawn = append(above, marks), append(samples, marks), true
		} else {
			curves[i] = lines
		}
		if legend != nil {
			legend.Add(p.Curves[i].Name, samples...)
		}
	}
	out.Add(above...)
	switch {
	case !drawn: // as of runs that were too short
		out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = 0, 1, 0, 1
	case p.Square:
		square(out)
	case p.LogY:
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		room := math.Pow(out.Y.Max/out.Y.Min, 0.03)
		out.Y.Min, out.Y.Max = out.Y.Min/room, out.Y.Max*room
	default:
		widen(&out.Y, 0.05)
	}
	if p.Bars {
		out.Y.Min = 0
	}
	if len(p.Names) > 0 {
		out.NominalX(p.Names...)
		out.X.Min, out.X.Max = -0.5, float64(len(p.Names))-0.5
	}
	for i, dashes := range dashesOf(out, p.LogY, curves) {
		for _, line := range curves[i] {
			line.Dashes = dashes
		}
	}
	return out, nil
}

// drawCurve returns a curve's lines, which end where it has no number, and its marks: of a curve of marks, and where
// the plot has names, there side by side with other curves', so that they hide none.
func drawCurve(p *experiment.Plot, i int) (lines []*plotter.Line, marks *plotter.Scatter, err error) {
	c, l := &p.Curves[i], looks[i%len(looks)]
	named, aside := len(p.Names) > 0 && !c.Steps, 0.0
	if named {
		aside = beside(p, i)
	}
	for _, part := range whole(c) {
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

// beside is how far from its name on the horizontal axis a curve's marks or bars stand.
func beside(p *experiment.Plot, i int) float64 {
	return markShare * ((float64(i)+0.5)/float64(len(p.Curves)) - 0.5)
}

// whole returns the parts of a curve between values that are no numbers, or are infinite.
func whole(c *experiment.Curve) (parts []experiment.Curve) {
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

// columns is how many values of a curve can be told apart: pixels of a plot's width, and some more.
const columns = 1000

// thin returns a curve that looks the same but does not take seconds to draw: of many values in one column, the first,
// the lowest, the highest and the last.
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
			few.X, few.Y = append(few.X, c.X[i]), append(few.Y, c.Y[i])
		}
		from = to
	}
	return few
}

// save writes a picture into a file.
func save(picture vg.CanvasWriterTo, path string) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}

// WriteFile makes a file of what write writes, in the place of another one of that name, which stays when that fails.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := aside.Create(path, true)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Finish()
}

// widen leaves a share of an axis free at both ends.
func widen(a *plot.Axis, share float64) {
	room := share * (a.Max - a.Min)
	a.Min, a.Max = a.Min-room, a.Max+room
}

// square makes a metre as long in both directions, within what the labels leave of a plot.
func square(p *plot.Plot) {
	const aspect = 1.61 // of the drawing area of a plot of plotWidth and plotHeight
	widen(&p.Y, 0.05)
	w, h := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	if grow := h*aspect - w; grow > 0 {
		p.X.Min, p.X.Max = p.X.Min-grow/2, p.X.Max+grow/2
	} else {
		grow = w/aspect - h
		p.Y.Min, p.Y.Max = p.Y.Min-grow/2, p.Y.Max+grow/2
	}
}
