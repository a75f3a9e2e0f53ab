package rtps

import (
	"math/bits"
	"sync"
)

const (
	shareOfOne     = 4 // one participant may use a quarter of Limits.Received
	smallestBuffer = 8 // log2 of the bytes
)

// pool keeps received samples for further ones, with memory in sizes that are powers of two.
type pool struct {
	free  [64]sync.Pool
	used  int // bytes of samples
	limit int
}

// newSample returns a sample of n bytes from a participant, or nil if the limits do not allow it.
func (p *Participant) newSample(r *remote, n int) *sample {
	class := max(bits.Len(uint(max(n, 1)-1)), smallestBuffer)
	size := 1 << class
	if p.pool.used+size > p.pool.limit || r.bytes+size > p.pool.limit/shareOfOne {
		p.stats.RefusedSamples++
		return nil
	}
	p.pool.used += size
	r.bytes += size
	s, ok := p.pool.free[class].Get().(*sample)
	if !ok {
		s = &sample{buf: make([]byte, size)}
	}
	*s = sample{remote: r, buf: s.buf, size: n, have: s.have[:0]}
	return s
}

// discard takes a sample's memory back.
func (p *Participant) discard(s *sample) {
	p.pool.used -= len(s.buf)
	s.remote.bytes -= len(s.buf)
	p.pool.free[bits.Len(uint(len(s.buf)-1))].Put(s)
}

// outSamples keeps samples that were sent, for further ones.
var outSamples = sync.Pool{New: func() any { return &outSample{} }}

// free releases a sample that has left the history.
func (p *Participant) free(s *outSample) {
	p.history -= s.size
	if s.release != nil {
		s.release()
	}
	*s = outSample{head: s.head[:0], tail: s.tail[:0], inline: s.inline[:0]}
	outSamples.Put(s)
}
