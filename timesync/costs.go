package timesync

import "time"

// costs learns how much wall time work takes, by its kind.
type costs struct {
	memory float64 // times that an average is over
	kinds  map[uint64]average
	all    average // of any kind
	speed  float64 // what work took usually over what it took, lately
}

// average is what something takes, in ns.
type average struct{ mean, n float64 }

func (a average) add(ns, memory float64) average {
	n := min(a.n+1, memory)
	return average{a.mean + (ns-a.mean)/n, n}
}

const (
	recent    = 0.1  // share of the newest in the speed
	halfTrend = 64   // steps after which what is unusual now has gone by half
	oddCost   = 6    // times the usual: what takes more counts as this, and tells little of the next. Guess
	mostKinds = 4096 // bounds the memory of runs whose steps never repeat
)

func newCosts(memory float64) costs {
	return costs{memory: memory, kinds: map[uint64]average{}, speed: 1}
}

// usual returns what work of a kind takes usually, ns; of a kind that is not known, what any takes.
func (c *costs) usual(kind uint64) float64 {
	if a, ok := c.kinds[kind]; ok {
		return a.mean
	}
	return c.all.mean
}

// learn notes what work took.
func (c *costs) learn(kind uint64, took time.Duration) {
	ns := max(float64(took), 1)
	if a, ok := c.kinds[kind]; ok {
		ns = min(ns, oddCost*a.mean)
		c.speed += recent * (min(a.mean/ns, oddCost) - c.speed)
	}
	if len(c.kinds) >= mostKinds {
		clear(c.kinds)
	}
	c.kinds[kind], c.all = c.kinds[kind].add(ns, c.memory), c.all.add(ns, c.memory)
}

// trend returns by which factor so many coming steps will take longer than usual: as much as those of late at first,
// and less from then on.
func (c *costs) trend(steps int) float64 {
	return 1 + (1/c.speed-1)/(1+float64(steps)/halfTrend)
}
