package timesync

import "math"

// ratios follow by which share steps take more than usual. What disturbs single steps says little about the next, but how often it comes
// does: the same is averaged twice, over all scales without what is odd, and over the longer ones with it.
type ratios struct {
	even [scales]float64
	all  [scales]float64
	off  float64 // mean deviation of a step
}

const (
	scales    = 5 // 2, 8, 32, 128 and 512 steps
	longer    = 3 // scale from which on odd steps tell something
	features  = scales + 1 + scales - longer + 2
	evenSteps = 5 // times the mean deviation: what is more is odd
)

func (r *ratios) learn(excess float64) {
	most := evenSteps * r.off
	even := min(max(excess, -most), most)
	r.off = max(r.off+0.02*(min(math.Abs(excess), 4*most)-r.off), 1e-3) // or what never varied could never be followed
	k := 0.5
	for i := range scales {
		r.even[i] += k * (even - r.even[i])
		r.all[i] += k * (excess - r.all[i])
		k /= 4
	}
}

// known is what is known before steps: how much longer than usual those before took, and what strains those to come.
type known struct {
	ratios ratios
	now    float64
	ahead  Spans
}

// strained brings contacts, a dozen or two, to the size of the ratios.
const strained = 0.02

// features returns what a regression of a length foretells from.
func (k *known) features(length int) (x [features]float64) {
	copy(x[:], k.ratios.even[:])
	x[scales] = 0.1
	copy(x[scales+1:], k.ratios.all[longer:])
	x[features-2], x[features-1] = strained*k.now, strained*k.ahead[length]
	return x
}

// regression foretells the excess of the next steps from those of the last by recursive least squares. Cases that are far off count less.
type regression struct {
	weights [features]float64
	p       [features][features]float64

	off float64 // mean error, as a share

	open        bool // a case is being waited for
	x           [features]float64
	left        int64
	usual, cost float64
}

const (
	forget = 0.998 // the weight that a case has after one more
	farOff = 4     // mean errors from which on a case counts less. Of 1 to 8 the best on recorded runs
)

func (r *regression) init() {
	for i := range r.p {
		r.p[i][i] = 1 // trust in the weights to begin with
	}
	// To begin with, half of the excess goes on that the last 32 steps had, and a quarter of that of 512 with what was odd.
	r.weights[2], r.weights[features-3], r.off = 0.5, 0.25, 0.1
}

func (r *regression) foretell(x [features]float64) float64 {
	sum := 0.0
	for i := range x {
		sum += r.weights[i] * x[i]
	}
	return sum
}

// begin notes what is known before the next steps.
func (r *regression) begin(x [features]float64, steps int64) {
	r.open, r.x, r.left, r.usual, r.cost = true, x, steps, 0, 0
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
	var px [features]float64
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
	weight := 1.0 // Huber's
	if a := math.Abs(e); a > farOff*r.off {
		weight = farOff * r.off / a
	}
	r.off += 0.02 * (min(math.Abs(e), oddOff*r.off) - r.off)
	d = forget + weight*(d-forget)
	trace := 0.0
	for i := range r.p {
		trace += r.p[i][i]
	}
	old := forget
	if trace > mostTrust {
		old = 1 // what never varies is not forgotten, or its weights would grow without end
	}
	for i := range r.x {
		r.weights[i] += weight * px[i] / d * e
		for j := range i + 1 {
			v := (r.p[i][j] - weight*px[i]*px[j]/d) / old
			r.p[i][j], r.p[j][i] = v, v
		}
	}
}

// mostTrust bounds how quickly weights may change: the trace of the matrix.
const mostTrust = 20
