package zenoh

import (
	"errors"
	"fmt"
)

var errShort = errors.New("ends too early")

// reader decodes a batch. After an error, all its results are zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.b = nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail(errShort)
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

// uint reads a number of up to 64 bits: seven bits a byte, the lowest first. A ninth byte has eight bits.
func (r *reader) uint() uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if shift == 56 {
			return v | uint64(c)<<shift
		}
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			return v
		}
	}
}

func (r *reader) uint32() uint32 {
	v := r.uint()
	if v > 1<<32-1 {
		r.fail(fmt.Errorf("number %d: must be below 2^32", v))
		return 0
	}
	return uint32(v)
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail(errShort)
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// bytes reads a length and that many bytes. The result shares the batch's memory.
func (r *reader) bytes() []byte { return r.take(r.uint()) }

// extension is one optional part of a message. Value holds a number, and body holds bytes.
type extension struct {
	id        byte
	mandatory bool
	value     uint64
	body      []byte
}

// Kinds of extensions, and the bits of their first byte.
const (
	extNumber    = 1 << 5
	extBytes     = 2 << 5
	extKind      = 3 << 5
	extMandatory = 1 << 4
	extID        = 0x0f
	more         = 1 << 7 // another extension follows; in the header of a message: extensions follow
)

// extension reads an extension, and reports whether another one follows.
func (r *reader) extension() (e extension, another bool) {
	h := r.byte()
	e.id, e.mandatory = h&extID, h&extMandatory != 0
	switch h & extKind {
	case extNumber:
		e.value = r.uint()
	case extBytes:
		e.body = r.bytes()
	case extKind:
		r.fail(fmt.Errorf("extension %#02x has an unknown kind", h))
	}
	return e, r.err == nil && h&more != 0
}

// skip reads the extensions of a message that knows none.
func (r *reader) skip(header byte) {
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		r.unknown(e)
	}
}

// unknown refuses an extension without which the message has another meaning.
func (r *reader) unknown(e extension) {
	if e.mandatory {
		r.fail(fmt.Errorf("unknown extension %d is mandatory", e.id))
	}
}

func appendUint(b []byte, v uint64) []byte {
	for range 8 {
		if v < 0x80 {
			return append(b, byte(v))
		}
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendBytes[T string | []byte](b []byte, v T) []byte {
	return append(appendUint(b, uint64(len(v))), v...)
}
