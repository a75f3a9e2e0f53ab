package bench

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
)

// plots shows speed over time and errors over intervals.
func (t *timing) plots() []experiment.Plot {
	name := fmt.Sprintf("timesync-%s-%v", t.load, t.speed)
	speed := experiment.Plot{
		Name: name, Title: fmt.Sprintf("speed, load %s, --speed %v", t.load, t.speed),
		XLabel: "wall time, s", YLabel: "real-time factor", LogY: t.speed == timesync.Max, Rows: true,
	}
	for _, n := range []int{1, 20, 200} {
		speed.Curves = append(speed.Curves, t.speedOver(n))
	}
	errors := experiment.Plot{
		Name: name + "-errors", Title: fmt.Sprintf("mean error, load %s, --speed %v", t.load, t.speed),
		XLabel: "interval, ms of sim time", YLabel: "error, %", LogY: true,
	}
	for _, d := range t.spans {
		errors.Names = append(errors.Names, millis(d))
	}
	for i := range methods {
		curve := experiment.Curve{Name: methods[i].does}
		for k := range t.spans {
			if len(t.errors[i][k]) > 0 {
				curve.X, curve.Y = append(curve.X, float64(k)), append(curve.Y, math.Max(t.mean(i, k), 1e-6)) // the axis has no 0
			}
		}
		errors.Curves = append(errors.Curves, curve)
	}
	theirs := experiment.Curve{Name: "Beck et al. 2008: below this", Steps: true}
	for k, d := range append(t.spans, t.spans[len(t.spans)-1]) {
		theirs.X, theirs.Y = append(theirs.X, float64(k)-0.5), append(theirs.Y, reported(d))
	}
	errors.Curves = append(errors.Curves, theirs)
	return []experiment.Plot{speed, errors}
}

// shown is how much wall time after the warm-up the plots of speed show.
const shown = time.Second

// speedOver returns the real-time factor of n steps on end, from the wall time at which the last of them begins, ten times in n steps.
func (t *timing) speedOver(n int) experiment.Curve {
	curve := experiment.Curve{Name: fmt.Sprintf("mean of %d steps", n), Steps: true}
	if n == 1 {
		curve.Name = "each step"
	}
	for i := n; i < len(t.begins); i += max(1, n/10) {
		from := t.begins[i-1] - t.begins[0] - t.warmup
		if from < 0 || from > shown {
			continue
		}
		curve.X = append(curve.X, from.Seconds())
		curve.Y = append(curve.Y, float64(n)*t.step.Seconds()/(t.begins[i]-t.begins[i-n]).Seconds())
	}
	return curve
}
