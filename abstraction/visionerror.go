package abstraction

import (
	"math"
	"slices"
)

// VisionError is an entry of a table of errors by distance and bearing. Errors are normal, or have any other
// distribution given by quantiles.
type VisionError struct {
	Distance       float64   `toml:"distance_m" range:"[0, 100]" doc:"from the robot"`
	Bearing        float64   `toml:"bearing_deg" range:"[0, 180]" doc:"absolute bearing from straight ahead"`
	Bias           float64   `toml:"bias_m" range:"[-10, 10]" doc:"mean error of the distance"`
	Range          float64   `toml:"range_m" range:"[0, 10]" doc:"standard deviation of the distance"`
	Angle          float64   `toml:"angle_deg" range:"[0, 90]" doc:"standard deviation of the bearing"`
	RangeQuantiles Quantiles `toml:"range_quantiles_m" range:"[-20, 20]" maxlen:"49" doc:"quantiles of the error of the distance, ascending, instead of bias_m and range_m: at evenly spaced standard normal scores from -3 to 3, linear between and beyond"`
	AngleQuantiles Quantiles `toml:"angle_quantiles_deg" range:"[-180, 180]" maxlen:"49" doc:"quantiles of the error of the bearing, instead of angle_deg"`
	MissRate       float64   `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed there, in addition to other misses"`
}

// Quantiles describe a distribution by its values at evenly spaced standard normal scores from −3 to 3. Between these
// scores, and beyond the first and the last, the values are interpolated and extrapolated linearly. The quantiles of a
// normal distribution lie on a straight line. Those of a distribution with heavy tails lie on a curve.
type Quantiles []float64

// QuantilesTo is the standard normal score of the last quantile; that of the first is its negative.
const QuantilesTo = 3.0

const leastQuantiles = 3

// valid reports whether the quantiles are a distribution or empty.
func (q Quantiles) valid() bool {
	for i := 1; i < len(q); i++ {
		if !(q[i] >= q[i-1]) {
			return false
		}
	}
	return len(q) == 0 || len(q) >= leastQuantiles
}

// At returns the value of the distribution for a standard normal score.
func (q Quantiles) At(z float64) float64 {
	x := (z + QuantilesTo) / (2 * QuantilesTo) * float64(len(q)-1)
	i := min(max(int(x), 0), len(q)-2)
	return q[i] + (x-float64(i))*(q[i+1]-q[i])
}

// Score returns the standard normal score of a value, between those of the first and the last quantile.
func (q Quantiles) Score(x float64) float64 {
	i, _ := slices.BinarySearch(q, x) // first that is not less
	switch {
	case i == 0:
		return -QuantilesTo
	case i == len(q):
		return QuantilesTo
	}
	at := float64(i-1) + (x-q[i-1])/(q[i]-q[i-1])
	return QuantilesTo * (2*at/float64(len(q)-1) - 1)
}

// Sigma returns the standard deviation, to one per cent.
func (q Quantiles) Sigma() float64 {
	const step = 0.25
	var weight, sum, squares float64
	for z := -4.0; z <= 4; z += step {
		w, x := math.Exp(-z*z/2), q.At(z)
		weight, sum, squares = weight+w, sum+w*x, squares+w*x*x
	}
	mean := sum / weight
	return math.Sqrt(max(0, squares/weight-mean*mean))
}

// errors returns the errors of the distance, m, and the bearing, rad, for two standard normal scores.
func (e *VisionError) errors(a, b float64) (along, angle float64) {
	along, angle = e.Bias+a*e.Range, b*e.Angle
	if len(e.RangeQuantiles) > 0 {
		along = e.RangeQuantiles.At(a)
	}
	if len(e.AngleQuantiles) > 0 {
		angle = e.AngleQuantiles.At(b)
	}
	return along, angle
}

// sigmas returns the standard deviations of the distance, m, and of the bearing, rad.
func (e *VisionError) sigmas() (along, angle float64) {
	along, angle = e.Range, e.Angle
	if len(e.RangeQuantiles) > 0 {
		along = e.RangeQuantiles.Sigma()
	}
	if len(e.AngleQuantiles) > 0 {
		angle = e.AngleQuantiles.Sigma()
	}
	return along, angle
}

// tablePlace is a position in a table of errors: the entries around the position and their weights. It has no entries
// if the table is empty.
type tablePlace struct {
	entries [4]*VisionError
	weights [4]float64
	n       int
}

func (p *tablePlace) errors(a, b float64) (along, angle float64) {
	for i, e := range p.entries[:p.n] {
		x, y := e.errors(a, b)
		along, angle = along+p.weights[i]*x, angle+p.weights[i]*y
	}
	return along, angle
}

func (p *tablePlace) sigmas() (along, angle float64) {
	for i, e := range p.entries[:p.n] {
		x, y := e.sigmas()
		along, angle = along+p.weights[i]*x, angle+p.weights[i]*y
	}
	return along, angle
}

func (p *tablePlace) missRate() (rate float64) {
	for i, e := range p.entries[:p.n] {
		rate += p.weights[i] * e.MissRate
	}
	return rate
}

// tableRows returns the number of entries for each bearing in the table of errors.
func (m *ErrorModel) tableRows() int {
	n := 0
	for n < len(m.Errors) && m.Errors[n].Bearing == m.Errors[0].Bearing {
		n++
	}
	return n
}

// at returns the position in the table for a distance, m, and a bearing, rad, with bilinear weights.
func (m *ErrorModel) at(distance, bearing float64) (p tablePlace) {
	rows := m.tableRows()
	if rows == 0 {
		return p
	}
	bearing = math.Abs(bearing)
	upper := 1
	for upper < rows-1 && m.Errors[upper].Distance < distance {
		upper++
	}
	along := func(first int, weight float64) {
		near, far := &m.Errors[first+max(upper-1, 0)], &m.Errors[first+min(upper, rows-1)]
		share := 0.0
		if near != far {
			share = fraction(distance, near.Distance, far.Distance)
		}
		p.add(near, weight*(1-share))
		p.add(far, weight*share)
	}
	last := len(m.Errors) - rows
	if last == 0 {
		along(0, 1)
		return p
	}
	first := rows
	for first < last && m.Errors[first].Bearing < bearing {
		first += rows
	}
	share := fraction(bearing, m.Errors[first-rows].Bearing, m.Errors[first].Bearing)
	along(first-rows, 1-share)
	along(first, share)
	return p
}

// add adds an entry, unless its weight is 0.
func (p *tablePlace) add(e *VisionError, weight float64) {
	if weight > 0 {
		p.entries[p.n], p.weights[p.n] = e, weight
		p.n++
	}
}

// fraction returns the position of x between a and b, 0 to 1.
func fraction(x, a, b float64) float64 { return min(max((x-a)/(b-a), 0), 1) }
