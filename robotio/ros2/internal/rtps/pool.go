package rtps

import "math/bits"

// Bounds of the memory that is kept for further samples.
const (
	maxSpare      = 256
	maxSpareBytes = 64 << 10
	// One participant may use a quarter of Limits.Received, and a quarter may be kept for further samples.
	shareOfOne, shareOfSpare = 4, 4
	smallestBuffer           = 8 // log2 of the bytes
)

// pool keeps memory for samples, in sizes that are powers of two.
type pool struct {
	free        [64][][]byte
	used, spare int // bytes of samples, and of memory that is kept for others
	limit       int
}

// grab gives a sample memory, and reports whether the limits allow that.
func (p *Participant) grab(s *sample, n int) bool {
	b := &p.pool
	class := max(bits.Len(uint(max(n, 1)-1)), smallestBuffer)
	size := 1 << class
	if b.used+size > b.limit || s.remote.bytes+size > b.limit/shareOfOne {
		return false
	}
	if list := b.free[class]; len(list) > 0 {
		s.buf, b.free[class] = list[len(list)-1], list[:len(list)-1]
		b.spare -= size
	} else {
		s.buf = make([]byte, size)
	}
	s.size = n
	b.used += size
	s.remote.bytes += size
	return true
}

// discard takes a sample's memory back.
func (p *Participant) discard(s *sample) {
	if s.buf != nil {
		b, size := &p.pool, len(s.buf)
		b.used -= size
		s.remote.bytes -= size
		if b.spare+size <= b.limit/shareOfSpare {
			class := bits.Len(uint(size - 1))
			b.free[class] = append(b.free[class], s.buf)
			b.spare += size
		}
	}
	if len(p.spareIn) < maxSpare {
		*s = sample{have: s.have[:0]}
		p.spareIn = append(p.spareIn, s)
	}
}

func (p *Participant) newSample() *sample {
	if n := len(p.spareIn); n > 0 {
		s := p.spareIn[n-1]
		p.spareIn = p.spareIn[:n-1]
		return s
	}
	return &sample{}
}

// newOutSample returns an empty sample, perhaps with the memory of a freed one.
func (p *Participant) newOutSample() *outSample {
	n := len(p.spareOut)
	if n == 0 {
		return &outSample{}
	}
	s := p.spareOut[n-1]
	p.spareOut = p.spareOut[:n-1]
	*s = outSample{head: s.head[:0], tail: s.tail[:0], inline: s.inline[:0]}
	return s
}

// free releases a sample that has left the history.
func (p *Participant) free(s *outSample) {
	p.history -= s.size
	if s.release != nil {
		s.release()
	}
	s.body, s.release = nil, nil
	if len(p.spareOut) < maxSpare && cap(s.head) <= maxSpareBytes {
		p.spareOut = append(p.spareOut, s)
	}
}
