package timesync

import (
	"math"
	"math/bits"
	"time"
)

// pending is a forecast whose end is waited for.
type pending struct {
	open     bool
	from, to time.Duration // sim time
	began    time.Duration // wall time at from, or of the present step
	likely   time.Duration
}

// expect notes a forecast, unless one is being waited for.
func (p *pending) expect(from, to, began, likely time.Duration) {
	if !p.open {
		*p = pending{true, from, to, began, likely}
	}
}

// arrive notes that a step began, and returns how long the forecast sim time took once it is over.
func (p *pending) arrive(sim, now time.Duration) (took time.Duration, over bool) {
	if p.open && sim == p.from {
		p.began = now
	}
	if !p.open || sim < p.to {
		return 0, false
	}
	p.open = false
	return now - p.began, true
}

// excess follows by how much forecasts of a length are exceeded.
type excess struct {
	pending
	quantile float64 // ns by which one in twenty is exceeded
	scale    float64 // ns, the mean distance from it
}

const (
	upperQuantile = 0.95
	quantileStep  = 0.5 // of the scale. Guess: a run of 100 forecasts is to find its bound
	oddExcess     = 100 // times the usual: what is more counts as this
	lengths       = 10  // of forecasts: 1 to 512 steps, each twice the one before
)

func length(steps int) int { return min(bits.Len(uint(max(steps, 1)))-1, lengths-1) }

// begin notes that a step began.
func (e *excess) begin(sim, now time.Duration) {
	if took, over := e.arrive(sim, now); over {
		e.learn(float64(took - e.likely))
	}
}

// learn moves the quantile: up by 19 parts when it is exceeded, down by one when it is not.
func (e *excess) learn(ns float64) {
	d := ns - e.quantile
	if e.scale == 0 {
		e.scale = math.Abs(d)
	}
	d = min(d, oddExcess*e.scale)
	e.scale += 0.05 * (math.Abs(d) - e.scale)
	if d < 0 {
		e.quantile -= quantileStep * (1 - upperQuantile) * e.scale
	} else {
		e.quantile += quantileStep * upperQuantile * e.scale
	}
}

// upper returns by how much a forecast is exceeded in one of twenty cases.
func (e *excess) upper() time.Duration { return time.Duration(max(e.quantile, 0)) }
