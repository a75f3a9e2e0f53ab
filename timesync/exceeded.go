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
	began    time.Duration // wall time at which the step at from began
	likely   time.Duration
}

// expect records a forecast, unless one is pending already.
func (p *pending) expect(from, to, began, likely time.Duration) {
	if !p.open {
		*p = pending{true, from, to, began, likely}
	}
}

// stepBegan reports whether a step ends the pending forecast, and if so how long its sim time took.
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

// exceeded estimates by how much forecasts of one length are exceeded: the 95th percentile of what happened minus what
// was likely. It moves the estimate up by 19 parts when it is exceeded, and down by one part when it is not.
type exceeded struct {
	pending
	quantile float64 // ns
	scale    float64 // ns, the mean distance from the quantile
}

const (
	upperQuantile  = 0.95
	quantileStep   = 0.5 // of the scale. Guess: a run of 100 forecasts has to find its bound
	outlierExcess  = 100 // an excess above this many times the scale counts as this many
	lengths        = 10  // classes of length: 1 to 512 steps, each twice the one before
	scaleSmoothing = 0.05
)

// lengthClass returns the class of a forecast over a number of steps.
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

// margin returns what to add to a likely duration for the 95th percentile.
func (e *exceeded) margin() time.Duration { return time.Duration(max(e.quantile, 0)) }
