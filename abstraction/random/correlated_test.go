package random

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
)

// The autocorrelation of correlated noise is exp(−Δt/τ), at any frame and for any order of queries.
func TestCorrelatedNoise(t *testing.T) {
	const rate, tau, n = 30.0, 200 * time.Millisecond, 20_000
	c := NewCorrelated(tau, rate)
	for _, lag := range []uint64{0, 1, 3, 6, 18} {
		var first, second, product []float64
		for item := range uint64(n) {
			frame := 1000 + 7*(item%50) // at any position in a block
			a, _ := c.Normal(New(3, "r", "s", frame), 1, item)
			b, _ := c.Normal(New(3, "r", "s", frame+lag), 1, item)
			first, second, product = append(first, a), append(second, b), append(product, a*b)
		}
		for name, x := range map[string][]float64{"value": first, "value later": second} {
			if mean, sigma := stat.MeanStdDev(x, nil); !scalar.EqualWithinAbs(mean, 0, 5/math.Sqrt(n)) ||
				!scalar.EqualWithinAbs(sigma, 1, 5/math.Sqrt(2*n)) {
				t.Errorf("lag %d: %s: mean %v and σ %v, want 0 and 1", lag, name, mean, sigma)
			}
		}
		rho := math.Exp(-float64(lag) / (rate * tau.Seconds()))
		// The product of two normals with correlation ρ has the variance 1 + ρ².
		if got := stat.Mean(product, nil); !scalar.EqualWithinAbs(got, rho, 5*math.Sqrt((1+rho*rho)/n)) {
			t.Errorf("lag %d: correlation %v, want %v", lag, got, rho)
		}
	}
}

func TestCorrelatedNumbersDoNotDependOnTheOrder(t *testing.T) {
	c := NewCorrelated(time.Second, 30)
	source := New(1, "r", "s", 0)
	x, y := c.Normal(source.Frame(777), 2, 3)
	for f := uint64(0); f < 777; f++ {
		c.Normal(source.Frame(f), 2, 3)
	}
	if a, b := c.Normal(source.Frame(777), 2, 3); a != x || b != y {
		t.Errorf("(%v, %v) in turn, (%v, %v) at once", a, b, x, y)
	}
}
