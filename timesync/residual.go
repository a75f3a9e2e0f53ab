package timesync

import (
	"math/bits"
	"time"
)

// residuals follow by how much forecasts are exceeded, for each length of what they foretell.
type residuals struct{ of [lengths]residual }

// residual is that of one length: the quantile of the excess, and a forecast whose end is waited for.
type residual struct {
	quantile float64 // ns by which one forecast in twenty is exceeded
	scale    float64 // ns, the mean distance from it
	open     bool
	sim, due time.Duration
}

const (
	upperQuantile = 0.95
	oddExcess     = 20 // times the usual: what is more counts as this
)

func length(steps int) int { return min(bits.Len(uint(max(steps, 1)))-1, lengths-1) }

// expect notes when the step from a sim time is foretold to begin, unless a forecast of that length is being waited for.
func (r *residuals) expect(sim, due time.Duration, steps int) {
	if q := &r.of[length(steps)]; !q.open {
		q.open, q.sim, q.due = true, sim, due
	}
}

// arrive tells that a step began.
func (r *residuals) arrive(sim, now time.Duration) {
	for i := range r.of {
		if q := &r.of[i]; q.open && sim >= q.sim {
			q.open = false
			q.learn(float64(now - q.due))
		}
	}
}

// learn moves the quantile: up by 19 parts when it is exceeded, down by one when it is not.
func (q *residual) learn(excess float64) {
	d := excess - q.quantile
	if q.scale > 0 {
		d = min(d, oddExcess*q.scale)
	}
	if d < 0 {
		q.scale += 0.05 * (-d - q.scale)
		q.quantile -= 0.1 * (1 - upperQuantile) * q.scale
	} else {
		q.scale += 0.05 * (d - q.scale)
		q.quantile += 0.1 * upperQuantile * q.scale
	}
}

// forget drops the forecasts that are waited for.
func (r *residuals) forget() {
	for i := range r.of {
		r.of[i].open = false
	}
}

// upper returns by how much a forecast over so many steps is exceeded in one of twenty cases.
func (r *residuals) upper(steps int) time.Duration {
	return time.Duration(max(r.of[length(steps)].quantile, 0))
}
