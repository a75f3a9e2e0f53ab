package bench

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

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

func writePlot(path string, p *experiment.Plot) error {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.XLabel, p.YLabel
	out.Legend.Top = true
	out.Add(plotter.NewGrid())
	for i, c := range p.Curves {
		xy := make(plotter.XYs, len(c.X))
		for k := range xy {
			xy[k].X, xy[k].Y = c.X[k], c.Y[k]
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return err
		}
		line.Color, line.Dashes, line.Width = plotutil.Color(i), plotutil.Dashes(i/7), vg.Points(1.2)
		out.Add(line)
		out.Legend.Add(c.Name, line)
	}
	switch {
	case p.Square:
		square(out)
	case p.LogY:
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{}
	default:
		widen(&out.Y, 0.05)
	}
	return out.Save(plotWidth, plotHeight, path)
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
