package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// Header says which states a block holds.
type Header struct {
	Episode  int           // the world's how manieth run, from 0: a restart begins the next
	States   int           // how many
	First    int64         // step of the first state
	Last     int64         // step of the last state
	From, To time.Duration // sim times of both
}

// version is the first byte of a block.
const version = 1

// Limits of a block, so that what is read from a damaged one is bounded.
const (
	MaxStates = 256     // of a block
	maxWords  = 1 << 23 // of all its states
	maxLists  = 1 << 20 // touches, and events, of all its states
	maxBodies = 1 << 16 // of each kind
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header returns what the table holds.
func (t *table) header(episode int) Header {
	first, last := t.row(0), t.row(t.rows-1)
	return Header{Episode: episode, States: t.rows, First: int64(first[stepColumn]), Last: int64(last[stepColumn]),
		From: time.Duration(first[timeColumn]), To: time.Duration(last[timeColumn])}
}

func appendHeader(out []byte, h *Header) []byte {
	out = append(out, version)
	out = binary.AppendUvarint(out, uint64(h.Episode))
	out = binary.AppendUvarint(out, uint64(h.States))
	for _, v := range [...]int64{h.First, h.Last, int64(h.From), int64(h.To)} {
		out = binary.AppendVarint(out, v)
	}
	return out
}

func (p *parser) header() (h Header) {
	if v := p.byte(); p.err == nil && v != version {
		p.err = fmt.Errorf("a block of states of format %d: this program reads format %d", v, version)
	}
	h.Episode = p.count(math.MaxInt32)
	h.States = p.count(MaxStates)
	h.First, h.Last = p.varint(), p.varint()
	h.From, h.To = time.Duration(p.varint()), time.Duration(p.varint())
	if p.err == nil && h.States == 0 {
		p.fail("it holds no states")
	}
	return h
}

// ReadHeader returns the header of a block, which it reads no further: the rest may be damaged.
func ReadHeader(block []byte) (Header, error) {
	p := parser{in: block}
	h := p.header()
	return h, p.err
}

func (s *shape) append(out []byte) []byte {
	out = binary.AppendVarint(out, int64(s.step))
	out = binary.AppendUvarint(out, uint64(s.robots))
	out = binary.AppendUvarint(out, uint64(s.obstacles))
	out = binary.AppendUvarint(out, uint64(len(s.kinds)))
	for i := range s.kinds {
		k := &s.kinds[i]
		out = appendFloat(out, k.com)
		out = append(out, byte(bit(k.arc)), byte(len(k.wheels)))
		for _, w := range k.wheels {
			out = appendFloat(appendFloat(appendFloat(out, w.x), w.y), w.omega)
		}
	}
	for _, k := range s.kindOf {
		out = binary.AppendUvarint(out, uint64(k))
	}
	return out
}

func appendFloat(out []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
}

func (p *parser) shape() (s shape) {
	s.step = time.Duration(p.varint())
	s.robots, s.obstacles = p.count(maxBodies), p.count(maxBodies)
	for range p.count(s.robots + s.obstacles) {
		k := kind{com: p.float(), arc: p.byte() != 0}
		for range p.count(physics.MaxWheels) {
			k.wheels = append(k.wheels, grip{p.float(), p.float(), p.float()})
		}
		if p.err != nil {
			return s
		}
		s.kinds = append(s.kinds, k)
	}
	for range s.robots + s.obstacles {
		k := p.count(len(s.kinds))
		if p.err == nil && k == len(s.kinds) {
			p.fail("a body of no kind")
		}
		if p.err != nil {
			return s
		}
		s.kindOf = append(s.kindOf, k)
	}
	return s
}
