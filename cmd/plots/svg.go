package plots

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// Size of a plot in a page: two stand side by side.
const (
	pagePlotWidth  = 4.6 * vg.Inch
	pagePlotHeight = 2.7 * vg.Inch
)

// SVG draws one plot for a page: an svg element without a background, whose legend is in its upper left.
func SVG(p *experiment.Plot) ([]byte, error) {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, vg.Points(2)
	out, err := axes(p, &legend)
	if err != nil {
		return nil, err
	}
	out.BackgroundColor = color.Transparent
	if !p.LogY && positive(p) {
		out.Y.Min = 0
		if out.Y.Max <= 0 { // nothing but 0
			out.Y.Max = 1
		}
	}
	if len(p.Curves) > 1 {
		out.Legend = legend
		out.Y.Max += 0.12 * float64(len(p.Curves)) * (out.Y.Max - out.Y.Min) // room for it
	}
	canvas := vgsvg.New(pagePlotWidth, pagePlotHeight)
	out.Draw(draw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return nil, err
	}
	_, svg, ok := bytes.Cut(text.Bytes(), []byte("<svg")) // after what a file begins with
	if !ok {
		return nil, nil
	}
	return append([]byte("<svg"), svg...), nil
}

// positive tells whether no curve goes below 0.
func positive(p *experiment.Plot) bool {
	for _, c := range p.Curves {
		for _, y := range c.Y {
			if y < 0 {
				return false
			}
		}
	}
	return true
}
