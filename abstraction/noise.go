package abstraction

import (
	"hash/fnv"
	"math"
	"math/bits"
)

// Noise is a source of random numbers addressed by counters instead of drawn in turn: the number at an index never
// depends on what else was asked for, so adding a sensor leaves the others' noise alone and a run repeats to the bit.
//
// The generator is Philox4x32 with 10 rounds. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011.
type Noise struct{ key, frame uint64 }

// NewNoise returns the source of one sensor's one frame. The seed is the world's; robot and sensor are names.
func NewNoise(seed uint64, robot, sensor string, frame uint64) Noise {
	h := fnv.New64a()
	h.Write([]byte(robot)) // hash.Hash never returns an error
	h.Write([]byte{0})
	h.Write([]byte(sensor))
	return Noise{key: seed ^ h.Sum64(), frame: frame}
}

// Frame returns the source of another frame of the same sensor.
func (n Noise) Frame(frame uint64) Noise { return Noise{key: n.key, frame: frame} }

// Bits returns 128 random bits for an index.
func (n Noise) Bits(index uint64) (lo, hi uint64) {
	const (
		m0, m1 = 0xD2511F53, 0xCD9E8D57
		w0, w1 = 0x9E3779B9, 0xBB67AE85
	)
	c0, c1 := uint32(index), uint32(index>>32)
	c2, c3 := uint32(n.frame), uint32(n.frame>>32)
	k0, k1 := uint32(n.key), uint32(n.key>>32)
	for range 10 {
		p0, p1 := uint64(m0)*uint64(c0), uint64(m1)*uint64(c2)
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0, k1 = k0+w0, k1+w1
	}
	return uint64(c1)<<32 | uint64(c0), uint64(c3)<<32 | uint64(c2)
}

// Uniform returns a number in [0, 1) for an index.
func (n Noise) Uniform(index uint64) float64 {
	lo, _ := n.Bits(index)
	return float64(lo>>11) / (1 << 53)
}

// Normal returns two independent standard normal numbers for an index (Box–Muller).
func (n Noise) Normal(index uint64) (a, b float64) {
	lo, hi := n.Bits(index)
	r := math.Sqrt(-2 * math.Log(float64(lo>>11+1)/(1<<53))) // of (0, 1]: never infinite
	s, c := math.Sincos(2 * math.Pi * float64(hi>>11) / (1 << 53))
	return r * c, r * s
}

// Index packs what a number is for and which one it is into one index: streams never meet while item < 2⁴⁸.
func Index(stream uint16, item uint64) uint64 {
	return bits.RotateLeft64(uint64(stream), 48) | item&(1<<48-1)
}

// Pixels is a faster, weaker source for the millions of numbers of an image.
type Pixels struct{ base uint64 }

// Pixels returns the source of one of the frame's images.
func (n Noise) Pixels(stream uint64) Pixels {
	_, hi := n.Bits(stream ^ math.MaxUint64) // indices that Index never makes
	return Pixels{hi}
}

// Bits returns 64 random bits for an index (SplitMix64; Steele et al., OOPSLA 2014).
func (p Pixels) Bits(index uint64) uint64 {
	z := p.base + (index+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
