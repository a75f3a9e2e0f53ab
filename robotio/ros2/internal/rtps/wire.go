package rtps

import (
	"encoding/binary"
	"time"
)

// Kinds of submessages. Source: RTPS 2.3, 9.4.5.1.1.
const (
	idAckNack       = 0x06
	idHeartbeat     = 0x07
	idGap           = 0x08
	idInfoTS        = 0x09
	idInfoDst       = 0x0e
	idNackFrag      = 0x12
	idHeartbeatFrag = 0x13
	idData          = 0x15
	idDataFrag      = 0x16
)

// Flags of submessages.
const (
	flagLittle    = 0x01
	flagFinal     = 0x02 // HEARTBEAT, ACKNACK: no answer is needed
	flagNoTime    = 0x02 // INFO_TS
	flagInlineQoS = 0x02 // DATA, DATA_FRAG
	flagData      = 0x04 // DATA
	flagKey       = 0x08 // DATA: the payload is a key
)

const (
	headerSize = 20
	// fragmentSize is the number of bytes of a sample in a datagram. Few large datagrams lose least in the small
	// receive buffers of readers, and cost least.
	fragmentSize = 63_000
	maxDatagram  = 65_507 // largest payload of UDP on IPv4
	setSize      = 256    // largest number of bits in a set of sequence or fragment numbers
)

// cursor reads numbers from bytes of a peer. After a read beyond the end it is bad, and all reads return 0.
type cursor struct {
	b   []byte
	big bool
	bad bool
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.bad, c.b = true, nil
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

// number returns the next n bytes, at most 8, or zeros if they are missing.
func (c *cursor) number(n int) []byte {
	if v := c.take(n); v != nil {
		return v
	}
	return make([]byte, 8)
}

func (c *cursor) order() binary.ByteOrder {
	if c.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (c *cursor) u16() uint16    { return c.order().Uint16(c.number(2)) }
func (c *cursor) u32() uint32    { return c.order().Uint32(c.number(4)) }
func (c *cursor) entity() uint32 { return binary.BigEndian.Uint32(c.number(4)) }

func (c *cursor) guid() (g GUID) { copy(g[:], c.take(16)); return g }

func (c *cursor) seq() int64 {
	high := c.u32()
	return int64(int32(high))<<32 | int64(c.u32())
}

// set reads a SequenceNumberSet, or a FragmentNumberSet if its numbers have 32 bits.
func (c *cursor) set(wide bool) (s set) {
	if wide {
		s.base = c.seq()
	} else {
		s.base = int64(c.u32())
	}
	n := c.u32()
	if n > setSize || s.base < 0 || s.base > maxSeq {
		c.bad = true
		return set{}
	}
	s.n = int(n)
	for i := range (s.n + 31) / 32 {
		s.bits[i] = c.u32()
	}
	return s
}

// maxSeq is the largest sequence number that is accepted. It leaves room for sums.
const maxSeq = int64(1) << 62

// set is a set of up to 256 numbers from base on.
type set struct {
	base int64
	n    int // number of valid bits
	bits [setSize / 32]uint32
}

// add adds a number, if it is near enough to base.
func (s *set) add(v int64) {
	if i := v - s.base; i >= 0 && i < setSize {
		s.bits[i/32] |= 1 << (31 - i%32)
		s.n = max(s.n, int(i)+1)
	}
}

func (s *set) remove(v int64) {
	if i := v - s.base; i >= 0 && i < setSize {
		s.bits[i/32] &^= 1 << (31 - i%32)
	}
}

func (s *set) has(v int64) bool {
	i := v - s.base
	return i >= 0 && i < int64(s.n) && s.bits[i/32]&(1<<(31-i%32)) != 0
}

// next returns the lowest member that is at least v.
func (s *set) next(v int64) (int64, bool) {
	for v = max(v, s.base); v < s.base+int64(s.n); v++ {
		if s.has(v) {
			return v, true
		}
	}
	return 0, false
}

// message is an RTPS message under construction, in little endian.
type message []byte

func (m *message) u16(v uint16)    { *m = binary.LittleEndian.AppendUint16(*m, v) }
func (m *message) u32(v uint32)    { *m = binary.LittleEndian.AppendUint32(*m, v) }
func (m *message) entity(v uint32) { *m = binary.BigEndian.AppendUint32(*m, v) }
func (m *message) seq(v int64)     { m.u32(uint32(v >> 32)); m.u32(uint32(v)) }

func (m *message) set(s *set, wide bool) {
	if wide {
		m.seq(s.base)
	} else {
		m.u32(uint32(s.base))
	}
	m.u32(uint32(s.n))
	for _, v := range s.bits[:(s.n+31)/32] {
		m.u32(v)
	}
}

// start replaces the message by an empty one, addressed to a participant; the zero Prefix means any.
func (m *message) start(from, to Prefix) {
	*m = append((*m)[:0], 'R', 'T', 'P', 'S', 2, 3, ourVendor[0], ourVendor[1])
	*m = append(*m, from[:]...)
	if to != (Prefix{}) {
		m.submessage(idInfoDst, 0, 12)
		*m = append(*m, to[:]...)
	}
}

// submessage adds a header. All submessages have a length that is a multiple of 4: CycloneDDS refuses others.
func (m *message) submessage(id, flags byte, size int) {
	*m = append(*m, id, flags|flagLittle)
	m.u16(uint16(size))
}

func (m *message) time(t time.Time) {
	m.submessage(idInfoTS, 0, 8)
	m.duration(t.Unix(), t.Nanosecond())
}

// duration adds whole seconds and a binary fraction, rounded so that a reader's nanoseconds are the same.
func (m *message) duration(sec int64, nsec int) {
	m.u32(uint32(sec))
	m.u32(uint32((uint64(nsec)<<32 + 999_999_999) / 1_000_000_000))
}

// about adds the header of a submessage of size bytes, and its first part, which names a reader and a writer.
func (m *message) about(id, flags byte, size int, reader, writer uint32) {
	m.submessage(id, flags, size)
	m.entity(reader)
	m.entity(writer)
}

func (m *message) heartbeat(reader, writer uint32, first, last int64, count uint32) {
	m.about(idHeartbeat, 0, 28, reader, writer)
	m.seq(first)
	m.seq(last)
	m.u32(count)
}

func (m *message) ackNack(reader, writer uint32, s *set, count uint32, final bool) {
	flags := byte(0)
	if final {
		flags = flagFinal
	}
	m.about(idAckNack, flags, 24+(s.n+31)/32*4, reader, writer)
	m.set(s, true)
	m.u32(count)
}

func (m *message) nackFrag(reader, writer uint32, seq int64, s *set, count uint32) {
	m.about(idNackFrag, 0, 28+(s.n+31)/32*4, reader, writer)
	m.seq(seq)
	m.set(s, false)
	m.u32(count)
}

// gap says that the samples from first to before end will not come.
func (m *message) gap(reader, writer uint32, first, end int64) {
	m.about(idGap, 0, 28, reader, writer)
	m.seq(first)
	m.set(&set{base: end}, true)
}

// sample adds the header of a DATA or DATA_FRAG, up to the sequence number. skip is the number of bytes from the
// entities to the inline QoS.
func (m *message) sample(id, flags byte, skip int, reader, writer uint32, seq int64, inline message, size int) {
	if len(inline) > 0 {
		flags |= flagInlineQoS
	}
	m.submessage(id, flags, 4+skip+len(inline)+padded(size))
	m.u16(0)
	m.u16(uint16(skip))
	m.entity(reader)
	m.entity(writer)
	m.seq(seq)
}

// data adds the header of a DATA whose payload of size bytes, padded to a multiple of 4, the caller adds.
func (m *message) data(reader, writer uint32, seq int64, flags byte, inline message, size int) {
	m.sample(idData, flags, 16, reader, writer, seq, inline, size)
	*m = append(*m, inline...)
}

// fragment is like data for a fragment of a sample of total bytes; the first one is number 1.
func (m *message) fragment(reader, writer uint32, seq int64, number, total int, inline message, size int) {
	m.sample(idDataFrag, 0, 28, reader, writer, seq, inline, size)
	m.u32(uint32(number))
	m.u16(1)
	m.u16(fragmentSize)
	m.u32(uint32(total))
	*m = append(*m, inline...)
}

func (m *message) pad() {
	for len(*m)%4 != 0 {
		*m = append(*m, 0)
	}
}

func padded(n int) int { return (n + 3) &^ 3 }
