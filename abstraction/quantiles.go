package abstraction

import (
	"math"
	"slices"
)

// Quantiles describe a distribution by its values at evenly spaced standard normal scores from −3 to 3. Between these
// scores, and beyond the first and the last, the values are interpolated and extrapolated linearly. The quantiles of a
// normal distribution lie on a straight line. Those of a distribution with heavy tails lie on a curve.
type Quantiles []float64

// QuantilesTo is the standard normal score of the last quantile. The score of the first quantile is −QuantilesTo.
const QuantilesTo = 3.0

const leastQuantiles = 3

// valid reports whether the quantiles are a valid distribution, or empty.
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

// Score returns the standard normal score of a value. It is limited to the scores of the first and the last quantile.
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

// Sigma returns the standard deviation of the distribution, with an error of one per cent.
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
