package timesync

import "time"

// costs keeps the mean wall time of each kind of work.
type costs struct {
	memory float64 // number of measurements in a mean
	kinds  map[uint64]average
	all    average // mean over all kinds
	speed  float64 // moving mean of the quotient: mean cost of a kind / actual cost of the work
}

// average is a moving mean, in ns, over n measurements.
type average struct{ mean, n float64 }

func (a average) add(ns, memory float64) average {
	n := min(a.n+1, memory)
	return average{a.mean + (ns-a.mean)/n, n}
}

const (
	speedGain   = 0.1 // weight of the newest measurement in speed
	halfTrend   = 64  // steps after which half of an unusual speed is expected to be gone
	outlierCost = 6   // a measurement above 6 times the mean counts as 6 times the mean; the 6 is a guess
	// largest number of kinds, which bounds the memory of runs whose steps are all of different kinds
	mostKinds = 4096
)

func newCosts(memory float64) costs {
	return costs{memory: memory, kinds: map[uint64]average{}, speed: 1}
}

// mean returns the mean wall time of a kind of work, in ns. For an unknown kind it returns the mean over all kinds.
func (c *costs) mean(kind uint64) float64 {
	if a, ok := c.kinds[kind]; ok {
		return a.mean
	}
	return c.all.mean
}

// add records how long work of a kind took.
func (c *costs) add(kind uint64, took time.Duration) {
	ns := max(float64(took), 1)
	if a, ok := c.kinds[kind]; ok {
		ns = min(ns, outlierCost*a.mean)
		c.speed += speedGain * (min(a.mean/ns, outlierCost) - c.speed)
	}
	if len(c.kinds) >= mostKinds {
		clear(c.kinds)
	}
	c.kinds[kind], c.all = c.kinds[kind].add(ns, c.memory), c.all.add(ns, c.memory)
}

// slowdown returns the factor by which the cost of the next n units of work is expected to exceed its mean. The more
// units, the less the recent slowness counts.
func (c *costs) slowdown(n int) float64 {
	return 1 + (1/c.speed-1)/(1+float64(n)/halfTrend)
}
