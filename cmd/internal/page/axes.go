package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// axes draws all curves of p on common axes. If legend is not nil, it adds an entry for each curve to the legend.
func axes(p *experiment.Plot, legend *plot.Legend) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.XLabel, p.YLabel
	out.X.Tick.Marker, out.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	for _, style := range []*draw.TextStyle{&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle,
		&out.X.Tick.Label, &out.Y.Tick.Label} {
		style.Font.Variant = sans
	}
	out.Add(plotter.NewGrid())
	var above []plot.Plotter // marks, which are drawn last, over every line
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
			drawn = drawn || len(finiteParts(&p.Curves[i])) > 0
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
	case !drawn: // no curve has values, for example because runs were too short
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
	for i, dashes := range dashPatterns(out, p.LogY, curves) {
		for _, line := range curves[i] {
			line.Dashes = dashes
		}
	}
	return out, nil
}

// widen extends an axis at both ends by a fraction of its length.
func widen(a *plot.Axis, share float64) {
	room := share * (a.Max - a.Min)
	a.Min, a.Max = a.Min-room, a.Max+room
}

// square extends one of the two axes so that a metre is equally long in both directions. It neglects the space that
// labels take.
func square(p *plot.Plot) {
	const aspect = 1.61 // width over height of the drawing area of a plot of plotWidth and plotHeight
	widen(&p.Y, 0.05)
	w, h := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	if grow := h*aspect - w; grow > 0 {
		p.X.Min, p.X.Max = p.X.Min-grow/2, p.X.Max+grow/2
	} else {
		grow = w/aspect - h
		p.Y.Min, p.Y.Max = p.Y.Min-grow/2, p.Y.Max+grow/2
	}
}
