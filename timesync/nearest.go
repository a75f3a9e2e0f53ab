package timesync

import "time"

// nearest follows by which factor forecasts of each length come closest, in per cent of what it takes. What disturbs steps makes some of
// them longer and none shorter, so that most take less than the mean.
type nearest struct{ of [lengths]nearing }

// nearing is that of one length, and a forecast whose end is waited for.
type nearing struct {
	less       float64 // 1 less the factor
	open       bool
	sim, began time.Duration
	takes      time.Duration
}

// nearer is how far a forecast moves the factor. Of 0.0005 to 0.008 the best on recorded runs.
const nearer = 0.002

// expect notes a forecast of so many steps that ends at a sim time, unless one of that length is being waited for.
func (n *nearest) expect(sim, began, takes time.Duration, steps int) {
	if q := &n.of[length(steps)]; !q.open && takes > 0 {
		q.open, q.sim, q.began, q.takes = true, sim, began, takes
	}
}

// arrive tells that a step began.
func (n *nearest) arrive(sim, now time.Duration) {
	for i := range n.of {
		q := &n.of[i]
		if !q.open || sim < q.sim {
			continue
		}
		q.open = false
		// The slope of the error over the factor: what was foretold against what it took.
		told, took := float64(q.takes), float64(now-q.began)
		move := nearer * min(told/max(took, 1), 2)
		if told*(1-q.less) <= took {
			move = -move
		}
		q.less = min(max(q.less+move, -0.5), 0.5)
	}
}

// forget drops the forecasts that are waited for.
func (n *nearest) forget() {
	for i := range n.of {
		n.of[i].open = false
	}
}

// factor returns that of forecasts of so many steps.
func (n *nearest) factor(steps int) float64 { return 1 - n.of[length(steps)].less }
