package assess

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Figure is a number that may be unknown, NaN: JSON has null for it.
type Figure float64

// MarshalJSON implements json.Marshaler.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// Known tells whether it is a number.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

var unknown = Figure(math.NaN())

// Spread is how values are spread: of none all but N is unknown.
type Spread struct {
	N     int    `json:"n"`
	Mean  Figure `json:"mean"`
	Sigma Figure `json:"sigma"` // standard deviation, of two and more
	// Of the values without their signs:
	Median Figure `json:"median"`
	P95    Figure `json:"p95"`
	Max    Figure `json:"max"`
}

// spreadOf sums up values; it leaves out those that are no numbers.
func spreadOf(values []float64) Spread {
	s := Spread{Mean: unknown, Sigma: unknown, Median: unknown, P95: unknown, Max: unknown}
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if s.N = len(known); s.N == 0 {
		return s
	}
	mean, sigma := stat.MeanStdDev(known, nil) // of one value sigma is NaN: unknown
	s.Mean, s.Sigma = Figure(mean), Figure(sigma)
	sizes := known
	for i, x := range known {
		sizes[i] = math.Abs(x)
	}
	slices.Sort(sizes)
	s.Median, s.P95, s.Max = Figure(quantile(sizes, 0.5)), Figure(quantile(sizes, 0.95)), Figure(sizes[s.N-1])
	return s
}

// quantile is that of sorted values, between two of them on the straight line.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// ratio is a share, unknown of nothing.
func ratio(n, of int) Figure {
	if of == 0 {
		return unknown
	}
	return Figure(float64(n) / float64(of))
}
