package bench

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/cmd/output"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// merge puts the curves of plots of one name into one.
func merge(all, more []experiment.Plot) []experiment.Plot {
next:
	for _, p := range more {
		for i := range all {
			if all[i].Name == p.Name {
				all[i].Curves = append(all[i].Curves, p.Curves...)
				continue next
			}
		}
		all = append(all, p)
	}
	return all
}

const (
	plotWidth  = 7.5 * vg.Inch
	plotHeight = 5 * vg.Inch
	rowHeight  = 2 * vg.Inch
)

// makePlotDir makes sure, before anything is measured, that plots can be written; nil is nowhere.
func makePlotDir(dir *string) error {
	switch {
	case dir == nil:
		return nil
	case *dir == "":
		return output.NoFolder("--plot")
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return exit.BadInputf("--plot: %w", err) // which names it
	}
	return nil
}

// writePlots writes every plot as DIR/NAME.png.
func writePlots(dir string, plots []experiment.Plot) error {
	for i := range plots {
		if err := writePlot(filepath.Join(dir, plots[i].Name+".png"), &plots[i]); err != nil {
			return fmt.Errorf("plot %s: %w", plots[i].Name, err)
		}
	}
	return nil
}

// look is how a curve is drawn.
type look struct {
	color color.Color
	mark  draw.GlyphDrawer
}

// looks are told apart by people with any colour vision. Source: Okabe and Ito (2008), Color Universal Design, without yellow, and two more.
var looks = []look{
	{rgb(0xd55e00), draw.CircleGlyph{}}, {rgb(0x0072b2), draw.BoxGlyph{}}, {rgb(0x009e73), draw.PyramidGlyph{}}, {rgb(0xcc79a7), draw.CircleGlyph{}},
	{rgb(0x56b4e9), draw.BoxGlyph{}}, {rgb(0xe69f00), draw.PyramidGlyph{}}, {rgb(0x8b5a2b), draw.CircleGlyph{}}, {rgb(0x000000), draw.BoxGlyph{}},
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

func writePlot(path string, p *experiment.Plot) error {
	if p.Rows {
		return writeRows(path, p)
	}
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(4)
	out, err := axes(p, &legend)
	if err != nil {
		return err
	}
	// At the right, where it hides no curve.
	const gap = 0.1 * vg.Inch
	aside := legend.Rectangle(draw.Canvas{}).Size().X + 2*gap
	picture := vgimg.New(plotWidth+aside, plotHeight)
	all := draw.New(picture)
	out.Draw(draw.Crop(all, 0, -aside, 0, 0))
	legend.Draw(draw.Crop(all, plotWidth+gap, -gap, 0, -2*legend.TextStyle.Font.Size))
	return save(picture, path)
}

// writeRows draws the curves one below the other, to the same scale, each with its name above.
func writeRows(path string, p *experiment.Plot) error {
	var rows [][]*plot.Plot
	var x, y extent
	for _, c := range p.Curves {
		if len(c.X) == 0 {
			continue // as of a run that was too short
		}
		one := *p
		one.Title, one.Curves = c.Name, []experiment.Curve{c}
		if len(rows) == 0 {
			one.Title = p.Title + ": " + c.Name
		}
		row, err := axes(&one, nil)
		if err != nil {
			return err
		}
		x, y = x.with(&row.X), y.with(&row.Y)
		rows = append(rows, []*plot.Plot{row})
	}
	picture := vgimg.New(plotWidth, rowHeight*vg.Length(max(len(rows), 1)))
	if len(rows) > 0 {
		for i, row := range rows {
			row[0].X.Min, row[0].X.Max, row[0].Y.Min, row[0].Y.Max = x.least, x.most, y.least, y.most
			if i < len(rows)-1 {
				row[0].X.Label.Text = ""
			}
		}
		tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadRight: 0.1 * vg.Inch, PadY: 0.1 * vg.Inch}
		for i, canvas := range plot.Align(rows, tiles, draw.New(picture)) {
			rows[i][0].Draw(canvas[0])
		}
	}
	return save(picture, path)
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
	out.Add(plotter.NewGrid())
	var above []plot.Plotter // what no line may hide
	for i := range p.Curves {
		if len(p.Curves[i].X) == 0 {
			continue
		}
		line, marks, err := drawCurve(p, i)
		if err != nil {
			return nil, err
		}
		out.Add(line)
		samples := []plot.Thumbnailer{line}
		if marks != nil {
			above, samples = append(above, marks), append(samples, marks)
		}
		if legend != nil {
			legend.Add(p.Curves[i].Name, samples...)
		}
	}
	out.Add(above...)
	switch {
	case p.Square:
		square(out)
	case p.LogY:
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	default:
		widen(&out.Y, 0.05)
	}
	if len(p.Names) > 0 {
		out.NominalX(p.Names...)
		out.X.Min, out.X.Max = -0.5, float64(len(p.Names))-0.5
	}
	return out, nil
}

// drawCurve returns a curve's line, and its marks where the plot has names: side by side with other curves', so that they hide none.
func drawCurve(p *experiment.Plot, i int) (line *plotter.Line, marks *plotter.Scatter, err error) {
	c, l := thin(p.Curves[i]), looks[i%len(looks)]
	marked, aside := len(p.Names) > 0 && !c.Steps, 0.0
	if marked {
		aside = markShare * ((float64(i)+0.5)/float64(len(p.Curves)) - 0.5)
	}
	xy := make(plotter.XYs, len(c.X))
	for k := range xy {
		xy[k].X, xy[k].Y = c.X[k]+aside, c.Y[k]
	}
	if line, marks, err = plotter.NewLinePoints(xy); err != nil {
		return nil, nil, err
	}
	line.Color, line.Width = l.color, lineWidth
	if c.Steps {
		line.StepStyle = plotter.PostStep
	}
	if !marked {
		return line, nil, nil
	}
	line.Width = markLine
	marks.GlyphStyle = draw.GlyphStyle{Color: l.color, Radius: markSize, Shape: l.mark}
	return line, marks, nil
}

// columns is how many values of a curve can be told apart: pixels of a plot's width, and some more.
const columns = 1000

// thin returns a curve of steps that looks the same but does not take seconds to draw: of many steps in one column, the first, the lowest, the
// highest and the last.
func thin(c experiment.Curve) experiment.Curve {
	n := len(c.X)
	if !c.Steps || n <= 4*columns {
		return c
	}
	few := experiment.Curve{Name: c.Name, Steps: true}
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

// save writes a picture as PNG.
func save(picture *vgimg.Canvas, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = vgimg.PngCanvas{Canvas: picture}.WriteTo(file)
	return errors.Join(err, file.Close())
}

// logTicks are those of a logarithmic axis, with numbers as people write them.
func logTicks(least, most float64) (ticks []plot.Tick) {
	for _, t := range (plot.LogTicks{Prec: -1}).Ticks(least, most) {
		if x, err := strconv.ParseFloat(t.Label, 64); err == nil {
			t.Label = strconv.FormatFloat(x, 'f', -1, 64)
		}
		ticks = append(ticks, t)
	}
	return ticks
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
