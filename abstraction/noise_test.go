package abstraction

import (
	"math"
	"testing"
)

// The oracle is Random123's own table of known answers (kat_vectors, philox4x32 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		noise Noise
		index uint64
		want  [4]uint32
	}{
		{Noise{}, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{Noise{key: math.MaxUint64, frame: math.MaxUint64}, math.MaxUint64, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	} {
		lo, hi := c.noise.Bits(c.index)
		if got := [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)}; got != c.want {
			t.Errorf("%+v: %#x, want %#x", c.noise, got, c.want)
		}
	}
}

func TestNoiseMoments(t *testing.T) {
	const n = 200_000
	noise := NewNoise(1, "cyan1", "omni", 7)
	var sum, sum2, sumU, cross float64
	for i := range uint64(n) {
		a, b := noise.Normal(i)
		sum += a + b
		sum2 += a*a + b*b
		cross += a * b
		sumU += noise.Uniform(i)
	}
	within := func(what string, got, want, sigma float64) {
		if math.Abs(got-want) > 5*sigma {
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
				lo, _ := NewNoise(1, robot, sensor, frame).Bits(Index(2, 5))
				key := robot + "/" + sensor
				if other, ok := seen[lo]; ok {
					t.Errorf("%s and %s share their noise", key, other)
				}
				seen[lo] = key
			}
		}
	}
}
