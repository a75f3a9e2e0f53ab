package page

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
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

// sans is the font of all text, as on pages.
const sans = "Sans"

func newLegend(padding vg.Length) plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle.Font.Variant = true, true, padding, sans
	return legend
}

// Formats are the file name extensions that Write accepts.
var Formats = []string{".png", ".svg"}

// Write draws plots into a file whose name ends with one of Formats. Several plots are stacked over a common horizontal
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
	return WriteFile(path, func(w io.Writer) error { _, err := picture.WriteTo(w); return err })
}

// panel is one plot of a stacked picture.
type panel struct {
	*plot.Plot
	legend *plot.Legend // nil: there is one curve, and the title names it
}

// gap separates panels and surrounds legends; margin surrounds the picture.
const (
	gap    = 0.1 * vg.Inch
	margin = 0.0625 * vg.Inch // six pixels, so that thin lines stay sharp
)

// drawPanels draws panels one below the other. Their legends are at the right, in a column of the given width, where
// they cover no curve.
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

// rows returns a panel for each curve of p. All panels have the same scale, and each has the name of its curve as the
// title.
func rows(p *experiment.Plot) (panels []panel, err error) {
	var x, y extent
	for _, c := range p.Curves {
		if len(c.X) == 0 {
			continue // no values, for example because the run was too short
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

// extent is the common range of several axes. The zero value is empty.
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

// WriteFile writes a file through the function write. An existing file is replaced only if write succeeds.
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
