package track

import (
	"encoding/binary"
	"fmt"
	"math"
)

// parser reads a block. After the first error all that it reads is 0.
type parser struct {
	in  []byte
	err error
}

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("damaged block of states: %s", what)
	}
	p.in = nil
}

func (p *parser) bytes(n int) []byte {
	if n < 0 || n > len(p.in) {
		p.fail("it ends too soon")
		return nil
	}
	b := p.in[:n]
	p.in = p.in[n:]
	return b
}

func (p *parser) byte() byte {
	if b := p.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (p *parser) uvarint() uint64 {
	v, n := binary.Uvarint(p.in)
	if n <= 0 {
		p.fail("it ends too soon")
		return 0
	}
	p.in = p.in[n:]
	return v
}

func (p *parser) varint() int64 { return int64(unzigzag(p.uvarint())) }

// count reads a number that is at most most.
func (p *parser) count(most int) int {
	v := p.uvarint()
	if v > uint64(most) {
		p.fail(fmt.Sprintf("a count of %d, where at most %d can be", v, most))
		return 0
	}
	return int(v)
}

func (p *parser) word() uint64 {
	if b := p.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (p *parser) float() float64 { return math.Float64frombits(p.word()) }
