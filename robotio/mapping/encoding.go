package mapping

import (
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// encoding is the format of messages on the wire: CDR, as in ROS 2, or else that of ROS 1. In CDR, every number is
// aligned to its size, a text ends with a zero, and a message without fields has one byte. Messages begin with four
// bytes, which tell the version and the byte order, and from whose end alignment counts. Source: OMG, DDS-RTPS 2.3,
// section 10.2; DDS-XTypes 1.3, section 7.4.1.
type encoding struct{ cdr bool }

// cdrStart begins a message: version 1, little-endian.
const cdrStart = "\x00\x01\x00\x00"

var padding [8]byte

// align appends zeros until the next byte is at a multiple of size, which is a power of 2. b must begin with the
// message.
func (e encoding) align(b []byte, size int) []byte {
	if !e.cdr {
		return b
	}
	return append(b, padding[:(len(cdrStart)-len(b))&(size-1)]...)
}

// count appends the number of elements of an array of variable length.
func (e encoding) count(b []byte, n int) []byte { return le.AppendUint32(e.align(b, 4), uint32(n)) }

// appender is like the function appender, with alignment.
func (e encoding) appender(base string) func(b []byte, x float64) []byte {
	put, size := appender(base), msg.Size(base)
	if put == nil || !e.cdr || size == 1 {
		return put
	}
	return func(b []byte, x float64) []byte { return put(e.align(b, size), x) }
}

// zero returns the writer of a field whose value is zero or empty.
func (e encoding) zero(def *msg.Definition, f msg.Field) writer {
	switch {
	case !e.cdr:
		return constant(zero(def, f))
	case f.Len == msg.Variable:
		return func(b []byte, _ *quantity.Context) []byte { return e.count(b, 0) }
	}
	one := e.zeroValue(def, f.Base)
	return func(b []byte, c *quantity.Context) []byte {
		b = one(b, c)
		for range f.Len - 1 { // f.Len is negative for a field that is not an array
			b = one(b, c)
		}
		return b
	}
}

// zeroValue returns the writer of a value that is zero or empty, in CDR.
func (e encoding) zeroValue(def *msg.Definition, base string) writer {
	if nested := def.Nested(base); nested != nil {
		var parts []writer
		for _, f := range nested.Fields {
			parts = append(parts, e.zero(nested, f))
		}
		return sequence(parts)
	}
	if base == "string" {
		return func(b []byte, _ *quantity.Context) []byte { return append(e.count(b, 1), 0) }
	}
	size := msg.Size(base)
	return func(b []byte, _ *quantity.Context) []byte { return append(e.align(b, size), padding[:size]...) }
}
