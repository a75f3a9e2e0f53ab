package timesync

import "time"

// Costs learns, while a run goes on, how much wall time its steps take. Steps of one kind do the same work, so that they cost alike; by how
// much the coming ones will differ from what is usual is told from how much those before did, over five time scales, by a regression for
// each length of what is to be foretold.
type Costs struct {
	kinds map[uint64]*usual
	all   usual // of any kind

	ratio [scales]float64 // cost over what is usual, decaying averages, less 1
	sums  [lengths]regression
}

// usual is what a kind of step takes, in ns.
type usual struct{ mean, n float64 }

const (
	scales   = 5   // 2, 8, 32, 128 and 512 steps
	lengths  = 10  // 1 to 512 steps, each twice the one before
	memory   = 256 // steps of a kind over which what is usual is averaged
	oddRatio = 6   // a step that takes more than so many times the usual tells about itself, and not about the next
)

// NewCosts returns costs that know nothing.
func NewCosts() *Costs {
	c := &Costs{kinds: map[uint64]*usual{}}
	for i := range c.sums {
		c.sums[i].init()
	}
	return c
}

func (u *usual) learn(cost float64) {
	u.n = min(u.n+1, memory)
	u.mean += (cost - u.mean) / u.n
}

// usual returns what a step of a kind takes usually, in ns.
func (c *Costs) usual(kind uint64) float64 {
	if u := c.kinds[kind]; u != nil {
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
	k := 0.5
	for i := range c.ratio {
		c.ratio[i] += k * (cost/usual - 1 - c.ratio[i])
		k /= 4
	}
	for i := range c.sums {
		// Each length is looked at every half of it, so that all learn from all steps.
		if r := &c.sums[i]; !r.open {
			r.begin(&c.ratio, int64(1)<<i)
		}
	}
}

// excess returns by how much the next steps, so many, will cost more than usual, as a share.
func (c *Costs) excess(steps int) float64 {
	i := length(steps)
	e := c.sums[i].foretell(&c.ratio)
	if i+1 < lengths { // between two lengths, between what they say
		k := float64(steps)/float64(int(1)<<i) - 1
		e += min(k, 1) * (c.sums[i+1].foretell(&c.ratio) - e)
	}
	return min(max(e, -0.9), oddRatio)
}

// regression foretells the excess of the next steps from those of the last by recursive least squares.
type regression struct {
	weights [scales + 1]float64
	p       [scales + 1][scales + 1]float64

	open        bool // a case is being waited for
	x           [scales + 1]float64
	left        int64
	usual, cost float64
}

// forget is the weight that a case has after one more.
const forget = 0.998

func (r *regression) init() {
	for i := range r.p {
		r.p[i][i] = 0.05 // trust in weights of 0 to begin with: nothing is unusual
	}
	r.weights[2] = 0.5
}

func (r *regression) features(ratio *[scales]float64) (x [scales + 1]float64) {
	copy(x[:], ratio[:])
	x[scales] = 0.1
	return x
}

func (r *regression) foretell(ratio *[scales]float64) float64 {
	x, sum := r.features(ratio), 0.0
	for i := range x {
		sum += r.weights[i] * x[i]
	}
	return sum
}

// begin notes what is known before the next steps.
func (r *regression) begin(ratio *[scales]float64, steps int64) {
	r.open, r.x, r.left, r.usual, r.cost = true, r.features(ratio), steps, 0, 0
}

// add adds a step to the case that is waited for, and learns from it once it is whole.
func (r *regression) add(usual, cost float64) {
	if !r.open {
		return
	}
	r.usual, r.cost = r.usual+usual, r.cost+cost
	if r.left--; r.left > 0 {
		return
	}
	r.open = false
	var px [scales + 1]float64
	d, e := forget, min(r.cost/r.usual-1, oddRatio)
	for i := range r.x {
		for j := range r.x {
			px[i] += r.p[i][j] * r.x[j]
		}
	}
	for i := range r.x {
		d += r.x[i] * px[i]
		e -= r.weights[i] * r.x[i]
	}
	trace := 0.0
	for i := range r.p {
		trace += r.p[i][i]
	}
	old := forget
	if trace > mostTrust {
		old = 1 // what never varies is not forgotten, or its weights would grow without end
	}
	for i := range r.x {
		r.weights[i] += px[i] / d * e
		for j := range i + 1 {
			v := (r.p[i][j] - px[i]*px[j]/d) / old
			r.p[i][j], r.p[j][i] = v, v
		}
	}
}

// mostTrust bounds how quickly weights may change: the trace of the matrix.
const mostTrust = 20
