package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"gonum.org/v1/gonum/stat"
)

var encircle = &Experiment{
	Name:   "encircle",
	Title:  "Chasers drive fleeing robots into a prison",
	Source: "Zhou et al., Simatch, section VII.C and figure 11",
	World:  "encirclement",
	Setup: "In the paper nine cyan robots round up seven magenta ones, until all are in the prison area; it shows a " +
		"first and a last picture. Here scripted players do so, from places that several seeds draw, within the time " +
		"that the world gives. " +
		"A magenta robot is caught when it is in the area prison_yard.",
	run: runEncircle,
}

// encircleYard is the area in which a robot is caught.
const encircleYard = "prison_yard"

func runEncircle(ctx context.Context, t *Trial) error {
	draws := 20
	switch {
	case t.brief:
		draws = 1
	case t.Quick:
		draws = 4
	}
	var all, ends []float64
	targets, caught, kept, judged := 0, 0, 0, 0
	count := experiment.Plot{Name: "caught", Title: "Robots that have been caught", XLabel: "time, s", YLabel: "robots"}
	var ways experiment.Plot
	for draw := range draws {
		c, err := t.chase(ctx, draw)
		if err != nil {
			return err
		}
		n := 0
		curve := experiment.Curve{Name: fmt.Sprintf("seed %d", c.seed), X: []float64{0}, Y: []float64{0}, Steps: true}
		for _, at := range c.order {
			n++
			curve.X, curve.Y = append(curve.X, at), append(curve.Y, float64(n))
			all = append(all, at)
		}
		targets, caught, kept, judged = targets+c.targets, caught+n, kept+c.kept, judged+c.judged
		if n == c.targets {
			ends = append(ends, c.order[n-1])
		}
		if draw < 6 {
			count.Curves = append(count.Curves, curve)
		}
		if draw == 0 {
			ways = c.ways
		}
		t.Progress(float64(draw+1) / float64(draws))
	}
	won := float64(len(ends))
	low, high := proportion(len(ends), draws)
	t.Add(Trend("runs in which all are caught", 100*won/float64(draws), "%", "all are driven into the prison",
		"at least 95 %", won >= 0.95*float64(draws)).within(100*low, 100*high))
	t.Add(Aside("robots that are caught", 100*float64(caught)/float64(targets), "%"))
	mean, spread := meanAndSpread(ends)
	t.Add(Aside("time until all are caught, mean", mean, "s").within(mean-spread, mean+spread))
	first, spread := meanAndSpread(all)
	t.Add(Aside("time until a robot is caught, mean", first, "s").within(first-spread, first+spread))
	if judged > 0 {
		t.Add(Aside("expectations of the world that are met", 100*float64(kept)/float64(judged), "%"))
	}
	t.Plot(count)
	t.Plot(ways)
	return nil
}

// chase is one run.
type chase struct {
	seed         uint64
	targets      int
	order        []float64 // s, when each has been caught
	kept, judged int       // expectations
	ways         experiment.Plot
}

// chase has the robots of the draw-th world chase each other.
func (t *Trial) chase(ctx context.Context, draw int) (c chase, err error) {
	w, err := t.Load(draw)
	if err != nil {
		return c, err
	}
	yard := -1
	for i := range w.Areas {
		if w.Areas[i].Name == encircleYard {
			yard = i
		}
	}
	if yard < 0 {
		return c, t.unfit("has no area %q, in which robots are caught", encircleYard)
	}
	c.seed = w.Seed
	c.ways = experiment.Plot{Name: "ways", Title: "Ways of the magenta robots, first seed", XLabel: "x, m",
		YLabel: "y, m", Square: true}
	var hunted []int
	for i := range w.Robots {
		if w.Robots[i].Team == physics.Magenta {
			hunted = append(hunted, i)
			c.ways.Curves = append(c.ways.Curves, experiment.Curve{Name: w.Robots[i].Name})
		}
	}
	if c.targets = len(hunted); c.targets == 0 {
		return c, t.unfit("has no robot of team magenta, which would be caught")
	}
	border := experiment.Curve{Name: encircleYard}
	for _, p := range w.Areas[yard].Border(72) {
		border.X, border.Y = append(border.X, p[0]), append(border.Y, p[1])
	}
	border.X, border.Y = append(border.X, border.X[0]), append(border.Y, border.Y[0])
	in := make([]bool, len(hunted))
	watch := func(_ *omnipitch.Sim, s *physics.Snapshot) {
		for k, i := range hunted {
			at := s.Robots[i].PoseWB.Pos
			if !in[k] && w.Areas[yard].Contains(at) {
				in[k] = true
				c.order = append(c.order, s.Time.Seconds())
			}
			if s.Step%20 == 0 {
				curve := &c.ways.Curves[k]
				curve.X, curve.Y = append(curve.X, at[0]), append(curve.Y, at[1])
			}
		}
	}
	report, err := t.run(ctx, w, watch)
	if err != nil {
		return c, err
	}
	for _, v := range report.Verdicts {
		if c.judged++; v.Outcome == expectation.Passed {
			c.kept++
		}
	}
	c.ways.Curves = append(c.ways.Curves, border)
	return c, nil
}

// proportion returns the 95 % interval of a share of which k of n have been seen (Wilson 1927).
func proportion(k, n int) (low, high float64) {
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return math.Max(0, (middle-half)/(1+z*z/m)), math.Min(1, (middle+half)/(1+z*z/m))
}

// meanAndSpread returns the mean of values, NaN of none, and half the width of its 95 % interval.
func meanAndSpread(x []float64) (mean, half float64) {
	mean, deviation := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		return mean, 0
	}
	return mean, 1.96 * deviation / math.Sqrt(float64(len(x)))
}
