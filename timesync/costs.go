package timesync

import "time"

// costs keeps the mean wall time of work, by its kind.
type costs struct {
	memory float64 // measurements in a mean
	kinds  map[uint64]average
	all    average // of all kinds
	speed  float64 // moving mean of the mean cost over the actual cost
}

// average is a moving mean, ns.
type average struct{ mean, n float64 }

func (a average) add(ns, memory float64) average {
	n := min(a.n+1, memory)
	return average{a.mean + (ns-a.mean)/n, n}
}

const (
	speedGain   = 0.1  // weight of the newest measurement in speed
	halfTrend   = 64   // steps after which half of an unusual speed is expected to be gone
	outlierCost = 6    // a measurement above this many times the mean counts as this many. Guess
	mostKinds   = 4096 // bounds the memory of runs whose steps never repeat
)

func newCosts(memory float64) costs {
	return costs{memory: memory, kinds: map[uint64]average{}, speed: 1}
}

// mean returns the mean of a kind, ns. For an unknown kind it returns the mean of all kinds.
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

// slowdown returns the factor by which the next n units of work are expected to exceed their mean. Recent slowness
// decays with n.
func (c *costs) slowdown(n int) float64 {
	return 1 + (1/c.speed-1)/(1+float64(n)/halfTrend)
}
