package timesync

import "time"

// Costs learns, while a run goes on, how much wall time its steps take. Steps of one kind do the same work, so that they cost alike; by how
// much the coming ones will differ from what is usual is told from how much those before did, over several time scales, by a regression for
// each length of what is to be foretold.
type Costs struct {
	kinds map[uint64]*usual
	all   usual // of any kind

	known  known
	strain func(*Spans) float64 // of Plan
	steps  uint
	sums   [lengths]regression
}

const (
	lengths  = 10 // 1 to 512 steps, each twice the one before
	seldom   = 16 // steps between two cases that a length is learned from: as good as from all of them, and cheaper
	oddRatio = 6  // a step that takes more than so many times the usual tells about itself, and not about the next
)

// NewCosts returns costs that know nothing.
func NewCosts() *Costs {
	c := &Costs{kinds: map[uint64]*usual{}, known: known{ratios: ratios{off: 0.1}}}
	for i := range c.sums {
		c.sums[i].init()
	}
	return c
}

// usual returns what a step of a kind takes usually, in ns.
func (c *Costs) usual(kind uint64) float64 {
	if u := c.kinds[kind]; u != nil {
		return u.mean
	}
	if u := c.kinds[rested(kind)]; u != nil { // at least something is known of such steps
		return u.mean
	}
	return c.all.mean
}

// Learn tells what a step took.
func (c *Costs) Learn(kind uint64, cost time.Duration) {
	ns := max(float64(cost), 1)
	before := c.usual(kind)
	if before == 0 {
		before = ns
	}
	clipped := min(ns, oddRatio*before)
	c.remember(before, clipped)
	u := c.kinds[kind]
	if u == nil {
		if len(c.kinds) >= mostKinds {
			clear(c.kinds)
		}
		u = &usual{}
		c.kinds[kind] = u
		clipped = ns
	}
	u.learn(clipped)
	c.all.learn(clipped)
}

// mostKinds bounds the memory of runs whose steps never repeat.
const mostKinds = 4096

// remember compares a step with what was usual, and what came after earlier steps with what was foretold.
func (c *Costs) remember(usual, cost float64) {
	for i := range c.sums {
		c.sums[i].add(usual, cost)
	}
	c.known.ratios.learn(cost/usual - 1)
	c.steps++
	if c.steps%seldom != 0 {
		return
	}
	known := c.look()
	for i := range c.sums {
		if r := &c.sums[i]; !r.open {
			r.begin(known.features(i), int64(1)<<i)
		}
	}
}

// look returns what the regressions foretell from.
func (c *Costs) look() *known {
	if c.strain != nil {
		c.known.now = c.strain(&c.known.ahead)
	}
	return &c.known
}

// excess returns by how much the next steps, so many, will cost more than usual, as a share.
func (c *Costs) excess(steps int) float64 {
	i, known := length(steps), c.look()
	e := c.sums[i].foretell(known.features(i))
	if i+1 < lengths { // between two lengths, between what they say
		k := float64(steps)/float64(int(1)<<i) - 1
		e += min(k, 1) * (c.sums[i+1].foretell(known.features(i+1)) - e)
	}
	return min(max(e, -0.9), oddRatio)
}
