package assess

import (
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Figure is a number that may be unknown: NaN, null in JSON.
type Figure float64

// MarshalJSON implements json.Marshaler.
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// Known reports whether the figure is known, that is, a finite number.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

var unknown = Figure(math.NaN())

// Spread describes a distribution of values. Without values, everything but N is unknown.
type Spread struct {
	N     int    `json:"n"`
	Mean  Figure `json:"mean"`
	Sigma Figure `json:"sigma"` // standard deviation, of at least two values
	// Of the absolute values:
	Median Figure `json:"median"`
	P95    Figure `json:"p95"`
	Max    Figure `json:"max"`
}

// spreadOf summarizes values, ignoring NaN and infinity.
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

// quantile returns a linearly interpolated quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// ratio returns the first argument divided by the second. If the second is 0, the result is unknown.
func ratio(n, of int) Figure {
	if of == 0 {
		return unknown
	}
	return Figure(float64(n) / float64(of))
}
