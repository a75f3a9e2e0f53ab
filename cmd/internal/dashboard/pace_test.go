package dashboard

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// TestPaceIsSampled checks the samples of the pace: the speed of the run, the duration of steps, whose parts add up,
// and the quality of forecasts. A pause is in no sample. Sampling stops without viewers.
func TestPaceIsSampled(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	samples := func(after int64) paceJSON { return get[paceJSON](s, fmt.Sprintf("/api/pace?after=%d", after)) }
	var p paceJSON
	until(t, "a forecast to be over", func() bool {
		p = samples(0)
		return slices.ContainsFunc(p.Samples, func(x paceSampleJSON) bool { return x.Took != nil })
	})
	if p.Next == nil || !(*p.Next > 0.5 && *p.Next <= *p.Most) {
		t.Errorf("forecast of the next second: got %v s, %v s at most, want more than 0.5 s", p.Next, p.Most)
	}
	for _, x := range p.Samples {
		if sum := x.Physics + x.Sensors + x.Waiting + x.Rest; !(math.Abs(sum-x.Step) < 1e-3+1e-9 && x.Step > 0 &&
			x.Worst >= x.Step && x.Physics > 0 && x.Sensors > 0) || x.Steps < 1 {
			t.Errorf("got %+v, want parts that add up to %g ms, got %g ms", x, x.Step, sum)
		}
		// The command bench timesync measures the quality of forecasts.
		if x.Took != nil && !(*x.Forecast > 0.2 && *x.Forecast < 20 && *x.Took > 0.2 && *x.Took < 20) {
			t.Errorf("a second of sim time: got a forecast of %g s and %g s, want about 1 s", *x.Forecast, *x.Took)
		}
	}
	last := p.Samples[len(p.Samples)-1]
	var after *paceSampleJSON
	until(t, "samples after the pause", func() bool {
		s.do(`{"pause": {}}`)
		for range 2 { // the first may finish in the last step; the second finishes while the run waits
			s.do(`{"place": {"name": "ball", "x_m": 1, "y_m": 0}}`)
		}
		s.do(`{"resume": {}}`)
		// Sampling restarts after a period without requests.
		for begun := time.Now(); after == nil && time.Since(begun) < 2*time.Second; time.Sleep(50 * time.Millisecond) {
			for _, x := range samples(last.Number).Samples {
				if x.Paused {
					after = &x
				}
			}
		}
		return after != nil
	})
	if !(after.Time > last.Time) {
		t.Errorf("the first sample after the pause: got %g s, want more than %g s", after.Time, last.Time)
	}
	s.refuses("/api/pace?after=x", "", 400, "must be an integer")
}
