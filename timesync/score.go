package timesync

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// ForecastScore describes the errors of a run's own forecasts over one horizon. A forecast does not count if a pause or
// a restart of the pace happened before its end.
type ForecastScore struct {
	Horizon     time.Duration // sim time
	N           int64         // number of finished forecasts
	Median, P90 float64       // median and 90th percentile of the relative errors of the last 512 forecasts
	WithinUpper float64       // fraction of the forecasts whose actual wall time was at most Forecast.Upper
}

// leastScored is the number of forecasts below which a score is not reported.
const leastScored = 20

// score compares consecutive forecasts over a horizon with what happened.
type score struct {
	horizon time.Duration
	pending
	upper  time.Duration
	recent [512]float64 // relative errors
	n      int64
	within int64
}

// newScores returns scores over 0.1 s and 1 s of sim time.
func newScores() [2]score {
	return [2]score{{horizon: 100 * time.Millisecond}, {horizon: time.Second}}
}

// observe is called at the start of each step. When the pending forecast is over, observe scores it and makes the next
// forecast.
func (s *score) observe(p *Pacer) {
	if took, over := s.stepBegan(p.sim, p.began); over && took > 0 {
		s.recent[s.n%int64(len(s.recent))] = (s.likely - took).Abs().Seconds() / took.Seconds()
		if s.n++; took <= s.upper {
			s.within++
		}
	}
	if !s.open {
		f := p.Predict(p.sim, s.horizon)
		s.expect(p.sim, p.sim+s.horizon, p.began, f.Likely)
		s.upper = f.Upper
	}
}

// Forecasts returns the errors of the run's forecasts, for each horizon with at least 20 finished forecasts.
func (p *Pacer) Forecasts() (scores []ForecastScore) {
	for i := range p.scores {
		if s := &p.scores[i]; s.n >= leastScored {
			recent := slices.Sorted(slices.Values(s.recent[:min(s.n, int64(len(s.recent)))]))
			n := len(recent)
			scores = append(scores, ForecastScore{s.horizon, s.n, recent[n/2], recent[n*9/10],
				float64(s.within) / float64(s.n)})
		}
	}
	return scores
}

// pending is a forecast whose outcome is not known yet.
type pending struct {
	open     bool
	from, to time.Duration // sim time
	began    time.Duration // wall time at which the forecast's first step began
	likely   time.Duration
}

// expect records a forecast. It does nothing if a forecast is pending already.
func (p *pending) expect(from, to, began, likely time.Duration) {
	if !p.open {
		*p = pending{true, from, to, began, likely}
	}
}

// stepBegan is called when a step begins. It reports whether the pending forecast is over with this step, and if so how
// much wall time the forecast sim time took.
func (p *pending) stepBegan(sim, now time.Duration) (took time.Duration, over bool) {
	if p.open && sim == p.from {
		p.began = now
	}
	if !p.open || sim < p.to {
		return 0, false
	}
	p.open = false
	return now - p.began, true
}

// exceeded estimates by how much the wall time exceeds forecasts of one length: the 95th percentile of the actual wall
// time minus the likely wall time. A difference above the estimate moves the estimate up by 19 parts. A difference
// below the estimate moves the estimate down by one part.
type exceeded struct {
	pending
	quantile float64 // ns
	scale    float64 // mean distance of the differences from quantile, in ns
}

const (
	upperQuantile = 0.95
	// step of the estimate, as a fraction of scale. 0.5 is a guess: the estimate must settle within 100 forecasts
	quantileStep   = 0.5
	outlierExcess  = 100 // an excess above 100 times scale counts as 100 times scale
	lengths        = 10  // number of length classes, which begin at 1, 2, 4, … 512 steps
	scaleSmoothing = 0.05
)

// lengthClass returns the index of the length class of a forecast over a number of steps.
func lengthClass(steps int) int { return min(bits.Len(uint(max(steps, 1)))-1, lengths-1) }

// observe updates the estimate when a step ends the pending forecast.
func (e *exceeded) observe(sim, now time.Duration) {
	if took, over := e.stepBegan(sim, now); over {
		e.add(float64(took - e.likely))
	}
}

func (e *exceeded) add(ns float64) {
	d := ns - e.quantile
	if e.scale == 0 {
		e.scale = math.Abs(d)
	}
	d = min(d, outlierExcess*e.scale)
	e.scale += scaleSmoothing * (math.Abs(d) - e.scale)
	if d < 0 {
		e.quantile -= quantileStep * (1 - upperQuantile) * e.scale
	} else {
		e.quantile += quantileStep * upperQuantile * e.scale
	}
}

// margin returns the duration to add to a likely wall time to get the 95th percentile of the wall time.
func (e *exceeded) margin() time.Duration { return time.Duration(max(e.quantile, 0)) }
