// Package random provides counter-based random numbers. A number is a function of its key and not of earlier numbers,
// so adding a sensor does not change the noise of others, and runs are bit-identical. Any goroutine may call all
// functions.
//
//	source := random.New(seed, "cyan1", "omni", frame)
//	x, y := source.Normal(random.Index(streamPixel, object)) // standard normal
package random

import (
	"hash/fnv"
	"math"
	"math/bits"
)

// Source provides the random numbers of one frame of one sensor.
//
// The generator is Philox2x64 with 10 rounds, which passes TestU01's BigCrush. Its key identifies the sensor. Its
// counter consists of the index of the random number and the index of the frame. The index of the frame must be less
// than 2⁴⁸. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
type Source struct{ key, frame uint64 }

// New returns the source of one frame of a sensor. The arguments are the seed of the world, the names of the robot and
// the sensor, and the index of the frame.
func New(seed uint64, robot, sensor string, frame uint64) Source {
	h := fnv.New64a()
	h.Write([]byte(robot)) // hash.Hash never returns an error
	h.Write([]byte{0})
	h.Write([]byte(sensor))
	return Source{key: seed ^ h.Sum64(), frame: frame}
}

// Frame returns the source of another frame of the same sensor.
func (n Source) Frame(frame uint64) Source { return Source{key: n.key, frame: frame} }

// Bits returns 128 random bits for an index.
func (n Source) Bits(index uint64) (lo, hi uint64) {
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
func (n Source) Uniform(index uint64) float64 {
	lo, _ := n.Bits(index)
	return float64(lo>>11) / (1 << 53)
}

// Normal returns two independent standard normal numbers for an index.
func (n Source) Normal(index uint64) (a, b float64) {
	lo, hi := n.Bits(index)
	a, okA := normal.inner(lo)
	b, okB := normal.inner(hi)
	if !okA || !okB {
		return n.outer(index, 0, lo), n.outer(index, 1, hi)
	}
	return a, b
}

// outer returns the first or second normal number for an index. It draws further bits if the index's own bits do not
// suffice. Further bits use frame numbers of 2⁴⁸ and more, which no frame has.
func (n Source) outer(index uint64, which int, random uint64) float64 {
	return normal.outer(random, func(attempt uint64) (lo, hi uint64) {
		return n.Frame(n.frame ^ (2*attempt+uint64(which)+1)<<48).Bits(index)
	})
}

// Index returns the index of a random number, from its stream and its item. There is one stream for each purpose. The
// items, which must be less than 2⁴⁸, distinguish the numbers of a stream.
func Index(stream uint16, item uint64) uint64 {
	return bits.RotateLeft64(uint64(stream), 48) | item&(1<<48-1)
}

// Pixels provides the random numbers for the pixels of an image. Its generator is faster than that of Source and
// statistically weaker, because an image needs millions of numbers.
type Pixels struct{ base uint64 }

// Pixels returns the random numbers of one of the frame's images.
func (n Source) Pixels(stream uint64) Pixels {
	_, hi := n.Bits(stream ^ math.MaxUint64) // an index that Index never returns
	return Pixels{hi}
}

// Bits returns 64 random bits for an index (SplitMix64; Steele et al., OOPSLA 2014).
func (p Pixels) Bits(index uint64) uint64 {
	z := p.base + (index+1)*0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
