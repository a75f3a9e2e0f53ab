package random

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is Random123's own table of known answers (kat_vectors, philox2x64 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		noise  Source
		index  uint64
		lo, hi uint64
	}{
		{Source{}, 0, 0xca00a0459843d731, 0x66c24222c9a845b5},
		{Source{key: math.MaxUint64, frame: math.MaxUint64}, math.MaxUint64, 0x65b021d60cd8310f, 0x4d02f3222f86df20},
		{Source{key: 0xa4093822299f31d0, frame: 0x13198a2e03707344}, 0x243f6a8885a308d3, 0x0a5e742c2997341c,
			0xb0f883d38000de5d},
	} {
		if lo, hi := c.noise.Bits(c.index); lo != c.lo || hi != c.hi {
			t.Errorf("%+v: %#x, %#x, want %#x, %#x", c.noise, lo, hi, c.lo, c.hi)
		}
	}
}

// The empirical distribution is normal (Kolmogorov–Smirnov), also in the tail, where layers end.
func TestNormalDistribution(t *testing.T) {
	const n = 500_000
	noise := New(2, "cyan1", "omni", 9)
	numbers := make([]float64, 0, 2*n)
	for i := range uint64(n) {
		a, b := noise.Normal(i)
		numbers = append(numbers, a, b)
	}
	slices.Sort(numbers)
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	most := 0.0
	for i, x := range numbers {
		most = max(most, math.Abs(below(x)-(float64(i)+0.5)/(2*n)))
	}
	// A distance beyond 2.5/√n has the probability 2·exp(−2·2.5²), which is that of 4.6σ.
	if !(most <= 2.5/math.Sqrt(2*n)) {
		t.Errorf("the distribution is %v off", most)
	}
	for _, from := range []float64{2, 3, tailFrom, 4} {
		first, _ := slices.BinarySearch(numbers, -from)
		last, _ := slices.BinarySearch(numbers, from)
		want := 2 * n * below(-from)
		for _, got := range []int{first, 2*n - last} {
			if !scalar.EqualWithinAbs(float64(got), want, 5*math.Sqrt(want)) {
				t.Errorf("%d numbers beyond %v, want %.0f", got, from, want)
			}
		}
	}
}

// The layers leave to the wedges and the tail the remaining density: the last layer ends where the density is 1.
func TestLayersHaveOneArea(t *testing.T) {
	for i := 1; i < layers; i++ {
		must.Near(t, fmt.Sprintf("layer %d", i), normal.width[i]*(normal.density[i+1]-normal.density[i]), layerArea,
			1e-9)
	}
	tail := math.Sqrt(math.Pi/2) * math.Erfc(tailFrom/math.Sqrt2)
	must.Near(t, "the lowest layer has", tailFrom*normal.density[1]+tail, layerArea, 1e-12)
}

func TestNoiseMoments(t *testing.T) {
	const n = 200_000
	noise := New(1, "cyan1", "omni", 7)
	var sum, sum2, sumU, cross float64
	for i := range uint64(n) {
		a, b := noise.Normal(i)
		sum += a + b
		sum2 += a*a + b*b
		cross += a * b
		sumU += noise.Uniform(i)
	}
	within := func(what string, got, want, sigma float64) {
		if !scalar.EqualWithinAbs(got, want, 5*sigma) {
			t.Errorf("%s = %v, want %v within %v", what, got, want, 5*sigma)
		}
	}
	within("mean", sum/(2*n), 0, 1/math.Sqrt(2*n))
	within("variance", sum2/(2*n), 1, math.Sqrt(2.0/(2*n)))
	within("covariance of a pair", cross/n, 0, 1/math.Sqrt(n))
	within("mean of Uniform", sumU/n, 0.5, 1/math.Sqrt(12*n))
}

func TestNoiseKeysAreApart(t *testing.T) {
	seen := map[uint64]string{}
	for _, robot := range []string{"a", "ab", "cyan1"} {
		for _, sensor := range []string{"b", "", "omni"} {
			for frame := range uint64(3) {
				lo, _ := New(1, robot, sensor, frame).Bits(Index(2, 5))
				key := robot + "/" + sensor
				if other, ok := seen[lo]; ok {
					t.Errorf("%s and %s share their noise", key, other)
				}
				seen[lo] = key
			}
		}
	}
}

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
		must.Near(t, fmt.Sprintf("lag %d: correlation", lag), stat.Mean(product, nil), rho, 5*math.Sqrt((1+rho*rho)/n))
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
