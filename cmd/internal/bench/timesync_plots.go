package bench

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
)

// plots plots speed over time and errors over intervals.
func (t *timing) plots() []experiment.Plot {
	name := fmt.Sprintf("timesync-%s-%v", t.load, t.Speed)
	speed := experiment.Plot{
		Name: name, Title: fmt.Sprintf("speed, load %s, --speed %v", t.load, t.Speed),
		XLabel: "wall time, s", YLabel: "real-time factor", LogY: t.Speed == timesync.Max, Rows: true,
	}
	for _, n := range []int{1, 20, 200} {
		speed.Curves = append(speed.Curves, t.speedOver(n))
	}
	errors := experiment.Plot{
		Name: name + "-errors", Title: fmt.Sprintf("mean error, load %s, --speed %v", t.load, t.Speed),
		XLabel: "interval, ms of sim time", YLabel: "error, %", LogY: true,
	}
	for _, d := range t.Spans {
		errors.Names = append(errors.Names, intervals.Millis(d))
	}
	for i := range intervals.Methods {
		curve := experiment.Curve{Name: intervals.Methods[i].Does}
		for k := range t.Spans {
			if len(t.Errors[i][k]) > 0 {
				// the axis is logarithmic, so it cannot show 0
				curve.X, curve.Y = append(curve.X, float64(k)), append(curve.Y, math.Max(t.Mean(i, k), 1e-6))
			}
		}
		errors.Curves = append(errors.Curves, curve)
	}
	theirs := experiment.Curve{Name: "Beck et al. 2008: below this", Steps: true}
	for k, d := range append(t.Spans, t.Spans[len(t.Spans)-1]) {
		theirs.X, theirs.Y = append(theirs.X, float64(k)-0.5), append(theirs.Y, intervals.Reported(d))
	}
	errors.Curves = append(errors.Curves, theirs)
	return []experiment.Plot{speed, errors}
}

// shown is the wall time after the warm-up that the speed plots show.
const shown = time.Second

// speedOver returns a curve of the real-time factor over n consecutive steps, sampled ten times in n steps. X is the
// wall time at which the last of the n steps begins.
func (t *timing) speedOver(n int) experiment.Curve {
	curve := experiment.Curve{Name: fmt.Sprintf("mean of %d steps", n), Steps: true}
	if n == 1 {
		curve.Name = "each step"
	}
	for i := n; i < len(t.Begins); i += max(1, n/10) {
		from := t.Begins[i-1] - t.Begins[0] - t.Warmup
		if from < 0 || from > shown {
			continue
		}
		curve.X = append(curve.X, from.Seconds())
		curve.Y = append(curve.Y, float64(n)*t.Step.Seconds()/(t.Begins[i]-t.Begins[i-n]).Seconds())
	}
	return curve
}
