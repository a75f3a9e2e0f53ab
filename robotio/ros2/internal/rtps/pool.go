package rtps

import "math/bits"

const (
	// One participant may use a quarter of Limits.Received, and a quarter may be kept for further samples.
	shareOfOne, shareOfSpare = 4, 4
	smallestBuffer           = 8 // log2 of the bytes
	// Bounds of the memory that is kept for further samples of writers.
	maxSpare      = 256
	maxSpareBytes = 64 << 10
)

// pool keeps received samples for further ones, with memory in sizes that are powers of two.
type pool struct {
	free        [64][]*sample
	used, spare int // bytes of samples, and of those that are kept
	limit       int
}

// newSample returns a sample of n bytes from a participant, or nil if the limits do not allow it.
func (p *Participant) newSample(r *remote, n int) *sample {
	b := &p.pool
	class := max(bits.Len(uint(max(n, 1)-1)), smallestBuffer)
	size := 1 << class
	if b.used+size > b.limit || r.bytes+size > b.limit/shareOfOne {
		p.stats.RefusedSamples++
		return nil
	}
	b.used += size
	r.bytes += size
	last := len(b.free[class]) - 1
	if last < 0 {
		return &sample{remote: r, buf: make([]byte, size), size: n}
	}
	s := b.free[class][last]
	b.free[class], b.spare = b.free[class][:last], b.spare-size
	*s = sample{remote: r, buf: s.buf, size: n, have: s.have[:0]}
	return s
}

// discard takes a sample's memory back.
func (p *Participant) discard(s *sample) {
	b, size := &p.pool, len(s.buf)
	b.used -= size
	s.remote.bytes -= size
	if b.spare+size <= b.limit/shareOfSpare {
		class := bits.Len(uint(size - 1))
		b.free[class], b.spare = append(b.free[class], s), b.spare+size
	}
}

// newOutSample returns an empty sample, perhaps with the memory of a freed one.
func (p *Participant) newOutSample() *outSample {
	if n := len(p.spareOut) - 1; n >= 0 {
		s := p.spareOut[n]
		p.spareOut = p.spareOut[:n]
		return s
	}
	return &outSample{}
}

// free releases a sample that has left the history.
func (p *Participant) free(s *outSample) {
	p.history -= s.size
	if s.release != nil {
		s.release()
	}
	if *s = (outSample{head: s.head[:0], tail: s.tail[:0], inline: s.inline[:0]}); len(p.spareOut) < maxSpare &&
		cap(s.head) <= maxSpareBytes {
		p.spareOut = append(p.spareOut, s)
	}
}
