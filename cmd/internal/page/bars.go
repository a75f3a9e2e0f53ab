package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

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
