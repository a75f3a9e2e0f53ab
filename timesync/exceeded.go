package timesync

import (
	"math"
	"math/bits"
	"time"
)

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
	scale    float64 // ns, mean distance of the differences from quantile
}

const (
	upperQuantile  = 0.95
	quantileStep   = 0.5 // fraction of scale. 0.5 is a guess: the estimate must settle within 100 forecasts
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
