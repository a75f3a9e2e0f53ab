package chip

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
)

// shares returns the exact probability of each sum of four independent, uniform bytes: the Irwin-Hall distribution.
func shares() []float64 {
	sum := []float64{1}
	for range 4 {
		next := make([]float64, len(sum)+255)
		for i, p := range sum {
			for b := range 256 {
				next[i+b] += p / 256
			}
		}
		sum = next
	}
	return sum
}

// The first four moments of a noise number are those of a standard normal one, by enumeration.
func TestNormalHasTheMomentsOfANormal(t *testing.T) {
	for power, want := range []float64{1, 0, 1, 0, 3} {
		got := 0.0
		for sum, p := range shares() {
			got += p * math.Pow(float64(normal(uint32(sum))), float64(power))
		}
		if !scalar.EqualWithinAbs(got, want, 1e-6) {
			t.Errorf("moment %d = %v, want %v", power, got, want)
		}
	}
	for sum := uint32(1); sum < steps; sum++ {
		if !(normal(sum) > normal(sum-1)) {
			t.Fatalf("the number of %d is not more than that of %d", sum, sum-1)
		}
	}
}

const drawn = 1 << 20

// numbers returns the noise numbers of a key for the drawn indices.
func numbers(k uint64) []float64 {
	x := make([]float64, drawn)
	for i := range x {
		x[i] = float64(normal(byteSum(newKey(k).bits(uint32(i)))))
	}
	return x
}

var keys = []uint64{0, 0x0123456789abcdef}

// Each moment of n numbers differs from the distribution's by at most a multiple of its standard error.
func TestNoiseIsNormal(t *testing.T) {
	for _, k := range keys {
		x := numbers(k)
		mean, sigma := stat.MeanStdDev(x, nil)
		for _, c := range []struct {
			name              string
			got, want, spread float64
		}{
			{"mean", mean, 0, 1}, {"σ", sigma, 1, math.Sqrt(0.5)}, {"skewness", stat.Skew(x, nil), 0, math.Sqrt(6)},
			{"excess kurtosis", stat.ExKurtosis(x, nil), 0, math.Sqrt(24)},
		} {
			if !scalar.EqualWithinAbs(c.got, c.want, 5*c.spread/math.Sqrt(drawn)) {
				t.Errorf("key %#x: %s = %v, want %v ± %v", k, c.name, c.got, c.want, c.spread/math.Sqrt(drawn))
			}
		}
	}
}

// χ² of counts of n kinds has the mean n − 1 and the variance 2(n − 1).
func TestNoiseIsDistributedAsItsSums(t *testing.T) {
	want := shares()
	for _, k := range keys {
		got, bytes := make([]float64, steps), make([]float64, 4*256)
		for i := range uint32(drawn) {
			bits := newKey(k).bits(i)
			got[byteSum(bits)]++
			for b := range 4 {
				bytes[b<<8|int(bits>>(8*b)&255)]++
			}
		}
		chi, kinds, rest, restWant := 0.0, 0, 0.0, 0.0
		for sum, p := range want {
			if p*drawn < 10 { // combine rare ones
				rest, restWant = rest+got[sum], restWant+p*drawn
				continue
			}
			chi, kinds = chi+math.Pow(got[sum]-p*drawn, 2)/(p*drawn), kinds+1
		}
		chi += math.Pow(rest-restWant, 2) / restWant
		if !scalar.EqualWithinAbs(chi, float64(kinds), 5*math.Sqrt(2*float64(kinds))) {
			t.Errorf("key %#x: sums: χ² = %v of %d", k, chi, kinds)
		}
		chi = 0
		for _, n := range bytes {
			chi += math.Pow(n-drawn/256, 2) / (drawn / 256)
		}
		if !scalar.EqualWithinAbs(chi, 4*255, 5*math.Sqrt(2*4*255)) {
			t.Errorf("key %#x: bytes: χ² = %v of %d", k, chi, 4*255)
		}
	}
}

// Numbers and their squares are uncorrelated between neighbours in a row (three colours apart), colours, rows, and
// images whose keys differ in one bit: |ρ| of n independent pairs is below 5/√n.
func TestNoiseIsIndependent(t *testing.T) {
	for _, k := range keys {
		x := numbers(k)
		check := func(name string, a, b []float64) {
			t.Helper()
			n := min(len(a), len(b))
			var product, squares []float64
			for i := range n {
				product, squares = append(product, a[i]*b[i]), append(squares, (a[i]*a[i]-1)*(b[i]*b[i]-1)/2)
			}
			for kind, p := range map[string][]float64{"numbers": product, "squares": squares} {
				if rho := stat.Mean(p, nil); !scalar.EqualWithinAbs(rho, 0, 5/math.Sqrt(float64(n))) {
					t.Errorf("key %#x: %s of %s: correlation %v", k, kind, name, rho)
				}
			}
		}
		for name, lag := range map[string]int{"colours": 1, "other colours": 2, "neighbours": 3, "rows of 640 px": 1920,
			"rows of 512 px": 1536, "rows of 4096 px": 12288, "the next but one": 6} {
			check(name, x, x[lag:])
		}
		for _, bit := range []int{0, 1, 20, 31, 32, 33, 52, 63} {
			check("another image", x, numbers(k^1<<bit))
		}
	}
}

func BenchmarkNormal(b *testing.B) {
	k, sum := newKey(1), float32(0)
	for i := range b.N {
		sum += normal(byteSum(k.bits(uint32(i))))
	}
	_ = sum
}
