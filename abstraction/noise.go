package abstraction

import (
	"hash/fnv"
	"math"
	"math/bits"
)

// Noise is a source of random numbers addressed by counters instead of drawn in turn: the number at an index never
// depends on what else was asked for, so adding a sensor leaves the others' noise alone and a run repeats to the bit.
//
// The generator is Philox2x64 with 10 rounds, which like all of its family passes TestU01's BigCrush with rounds to spare, and takes
// as many multiplications as rounds. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Its counter is the
// index and the frame; frames stay below 2⁴⁸.
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
	const m, w = 0xD2B74407B1CE6E93, 0x9E3779B97F4A7C15
	lo, hi = index, n.frame
	key := n.key
	for range 10 {
		up, down := bits.Mul64(m, lo)
		lo, hi = up^key^hi, down
		key += w
	}
	return lo, hi
}

// Uniform returns a number in [0, 1) for an index.
func (n Noise) Uniform(index uint64) float64 {
	lo, _ := n.Bits(index)
	return float64(lo>>11) / (1 << 53)
}

// Normal returns two independent standard normal numbers for an index.
func (n Noise) Normal(index uint64) (a, b float64) {
	lo, hi := n.Bits(index)
	a, okA := normal.inner(lo)
	b, okB := normal.inner(hi)
	if !okA || !okB {
		return n.outer(index, 0, lo), n.outer(index, 1, hi)
	}
	return a, b
}

// outer returns the first or second normal number for an index whose random bits may not do alone: further ones are those of frames
// that there are not.
func (n Noise) outer(index uint64, which int, random uint64) float64 {
	return normal.outer(random, func(attempt uint64) (lo, hi uint64) {
		return n.Frame(n.frame ^ (2*attempt+uint64(which)+1)<<48).Bits(index)
	})
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
