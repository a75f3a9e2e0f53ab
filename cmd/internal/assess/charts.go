package assess

import (
	"fmt"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// mostTicks is the largest number of bin labels on an axis. More labels would overlap.
const mostTicks = 6

// charts plots the channel's errors and misses over each axis with at least two bins.
func (c *Channel) charts() ([]page.Chart, error) {
	var all []experiment.Plot
	for i := range c.Axes {
		x := &c.Axes[i]
		if len(x.Bins) < 2 {
			continue
		}
		label := x.Name + ", " + x.Unit
		errs := experiment.Plot{Title: fmt.Sprintf("Error of %s over %s", c.Kind.words(), x.Name), XLabel: label,
			YLabel: "cm", Names: x.ticks()}
		for _, q := range []struct {
			name string
			of   func(g *Group) Figure
		}{
			{"95 % within", func(g *Group) Figure { return g.Position.P95 }},
			{"median", func(g *Group) Figure { return g.Position.Median }},
			{biasName(c.Kind), func(g *Group) Figure { return g.Along.Mean }},
		} {
			errs.Curves = append(errs.Curves, x.curve(q.name, 100, q.of))
		}
		if anyKnown(errs.Curves) {
			all = append(all, errs)
		}
		misses := experiment.Plot{Title: fmt.Sprintf("Misses of %s over %s", c.Kind.words(), x.Name), XLabel: label,
			YLabel: "%", Names: x.ticks()}
		if misses.Curves = []experiment.Curve{x.curve("missed", 100,
			func(g *Group) Figure { return g.MissRate })}; c.Kind != Self && anyKnown(misses.Curves) {
			all = append(all, misses)
		}
	}
	return page.Charts(all)
}

// words returns a kind's name in a sentence.
func (k Kind) words() string {
	switch k {
	case Self:
		return "the robot's own position"
	case Ball:
		return "the ball"
	}
	return string(k)
}

// biasName returns a name for the mean of Along, a component of the errors, for things of a kind.
func biasName(k Kind) string {
	if k == Self {
		return "mean, along its heading"
	}
	return "mean, of the distance"
}

// ticks returns labels of the bins: their intervals, or, for an axis with negative values, their centres. Of many bins
// only some have labels.
func (x *Axis) ticks() []string {
	every := (len(x.Bins) + mostTicks - 1) / mostTicks
	names := make([]string, len(x.Bins))
	for i := range x.Bins {
		switch b := &x.Bins[i]; {
		case i%every != 0:
		case x.Bins[0].From < 0: // an interval with minus signs would be hard to read
			names[i] = fmt.Sprintf("%.4g", (b.From+b.To)/2)
		default:
			names[i] = fmt.Sprintf("%.4g–%.4g", b.From, b.To)
		}
	}
	return names
}

// curve returns a curve of a quantity over the bins.
func (x *Axis) curve(name string, unit float64, of func(g *Group) Figure) experiment.Curve {
	c := experiment.Curve{Name: name}
	for i := range x.Bins {
		y := math.NaN()
		if f := of(&x.Bins[i].Group); f.Known() {
			y = unit * float64(f)
		}
		c.X, c.Y = append(c.X, float64(i)), append(c.Y, y)
	}
	return c
}

func anyKnown(all []experiment.Curve) bool {
	return slices.ContainsFunc(all, func(c experiment.Curve) bool {
		return slices.ContainsFunc(c.Y, func(y float64) bool { return !math.IsNaN(y) })
	})
}
