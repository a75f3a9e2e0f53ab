package dashboard

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"
)

// pace returns the samples after a number.
func (s *served) samples(after int64) (p paceJSON) {
	s.t.Helper()
	status, _, body := s.send("GET", fmt.Sprintf("/api/pace?after=%d", after), "", nil)
	if err := json.Unmarshal(body, &p); err != nil || status != 200 {
		s.t.Fatalf("%d: %s: %v", status, body, err)
	}
	return p
}

// TestPaceIsSampled checks the samples of the pace: the speed of the run, the duration of steps, whose parts add up,
// and the quality of forecasts. A pause is in no sample. Sampling stops without viewers.
func TestPaceIsSampled(t *testing.T) {
	s := serve(t, small(t))
	s.samples(0)
	foretold := func() bool {
		for _, x := range s.samples(0).Samples {
			if x.Took != nil {
				return true
			}
		}
		return false
	}
	until(t, "a forecast to be over", foretold)
	p := s.samples(0)
	if p.Next == nil || !(*p.Next > 0.5 && *p.Next <= *p.Most) {
		t.Errorf("the next second takes %v s, %v s at most", p.Next, p.Most)
	}
	for _, x := range p.Samples {
		if sum := x.Physics + x.Sensors + x.Waiting + x.Rest; !(math.Abs(sum-x.Step) < 1e-3+1e-9 && x.Step > 0 &&
			x.Worst >= x.Step && x.Physics > 0 && x.Sensors > 0) || x.Steps < 1 {
			t.Errorf("parts of a step of %g ms, %g ms at worst, sum up to %g ms: %+v", x.Step, x.Worst, sum, x)
		}
		// The command bench timesync measures the quality of forecasts.
		if x.Took != nil && !(*x.Forecast > 0.2 && *x.Forecast < 20 && *x.Took > 0.2 && *x.Took < 20) {
			t.Errorf("a second was to take %g s, and took %g s", *x.Forecast, *x.Took)
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
			for _, x := range s.samples(last.Number).Samples {
				if x.Paused {
					after = &x
				}
			}
		}
		return after != nil
	})
	if !(after.Time > last.Time) {
		t.Errorf("the first sample after the pause is of %g s, the last before it of %g s", after.Time, last.Time)
	}
	if status, _, body := s.send("GET", "/api/pace?after=x", "", nil); status != 400 {
		t.Errorf("%d: %s", status, body)
	}
}
