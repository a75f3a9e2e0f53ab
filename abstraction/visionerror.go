package abstraction

import (
	"math"
	"slices"
)

// VisionError is an entry of a table of errors by distance and bearing. Errors are normal, or distributed in any other
// way, by their quantiles.
type VisionError struct {
	Distance       float64   `toml:"distance_m" range:"[0, 100]" doc:"from the robot"`
	Bearing        float64   `toml:"bearing_deg" range:"[0, 180]" doc:"off straight ahead, to either side"`
	Bias           float64   `toml:"bias_m" range:"[-10, 10]" doc:"mean error of the distance"`
	Range          float64   `toml:"range_m" range:"[0, 10]" doc:"standard deviation of the distance"`
	Angle          float64   `toml:"angle_deg" range:"[0, 90]" doc:"standard deviation of the bearing"`
	RangeQuantiles Quantiles `toml:"range_quantiles_m" range:"[-20, 20]" maxlen:"49" doc:"errors of the distance, rising, in place of bias_m and range_m: those at -3 to 3 standard deviations of a normal distribution, in even steps, straight lines between and beyond"`
	AngleQuantiles Quantiles `toml:"angle_quantiles_deg" range:"[-180, 180]" maxlen:"49" doc:"the same of the bearing, in place of angle_deg"`
	MissRate       float64   `toml:"miss_rate" range:"[0, 1]" doc:"share of visible objects missed there, of those that are not missed anyway"`
}

// Quantiles are a distribution by the values whose ranks are those of even steps of a standard normal number from −3 to
// 3: straight lines between and beyond make a value of any such number. The quantiles of a normal distribution lie on
// one line, and heavy tails bend it.
type Quantiles []float64

// QuantilesTo is how many standard deviations the last quantile stands for, and the first below the middle.
const QuantilesTo = 3.0

const leastQuantiles = 3

// valid reports whether they are a distribution, or none.
func (q Quantiles) valid() bool {
	for i := 1; i < len(q); i++ {
		if !(q[i] >= q[i-1]) {
			return false
		}
	}
	return len(q) == 0 || len(q) >= leastQuantiles
}

// At returns the value for a standard normal number.
func (q Quantiles) At(z float64) float64 {
	x := (z + QuantilesTo) / (2 * QuantilesTo) * float64(len(q)-1)
	i := min(max(int(x), 0), len(q)-2)
	return q[i] + (x-float64(i))*(q[i+1]-q[i])
}

// Score returns the standard normal number, between those of the first and the last quantile, for which the value is x.
func (q Quantiles) Score(x float64) float64 {
	i, _ := slices.BinarySearch(q, x) // the first that is not less
	switch {
	case i == 0:
		return -QuantilesTo
	case i == len(q):
		return QuantilesTo
	}
	at := float64(i-1) + (x-q[i-1])/(q[i]-q[i-1])
	return QuantilesTo * (2*at/float64(len(q)-1) - 1)
}

// Sigma returns the standard deviation, to a percent.
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

// errors returns those of the distance, metres, and the bearing, rad, for two standard normal numbers.
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

// sigmas returns the standard deviations of the distance, metres, and of the bearing, rad.
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

// tablePlace is a place in a table: the entries around it, and by how much each counts. It has none in an empty table.
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

// at returns the table's place for a distance, metres, and a bearing, rad: straight lines between the entries.
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

// add adds an entry, unless it does not count.
func (p *tablePlace) add(e *VisionError, weight float64) {
	if weight > 0 {
		p.entries[p.n], p.weights[p.n] = e, weight
		p.n++
	}
}

// fraction returns where x is from a to b, 0 to 1.
func fraction(x, a, b float64) float64 { return min(max((x-a)/(b-a), 0), 1) }
