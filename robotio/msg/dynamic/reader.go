package dynamic

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// errShort means that a message ends too early.
var errShort = errors.New("ends too early")

// maxEmpty is the maximum total weight (see maxWeight) of array elements that take no bytes. It is a guess.
const maxEmpty = 1 << 16

// reader reads an encoded message.
type reader struct {
	b     []byte
	empty int // total weight so far of elements that take no bytes

	cdr  bool  // whether the message is in CDR, as in ROS 2
	size int   // in CDR, the size of the message after its first 4 bytes, from which alignment counts
	bad  error // the error of the first 4 bytes
}

// cdrHeader begins each message of ROS 2 that is little-endian and in CDR.
const cdrHeader = "\x00\x01\x00\x00"

// reader returns a reader of an encoded message.
func (c *Codec) reader(b []byte) *reader {
	r := &reader{b: b, cdr: c.root.def.ROS2()}
	if !r.cdr {
		return r
	}
	if len(b) < len(cdrHeader) {
		r.bad = errShort
	} else if string(b[:2]) != cdrHeader[:2] {
		r.bad = fmt.Errorf("encapsulation = %d, %d: must be 0, 1: CDR in little-endian order", b[0], b[1])
	}
	r.b = b[min(len(b), len(cdrHeader)):]
	if r.bad != nil {
		r.b = nil
	}
	r.size = len(r.b)
	return r
}

// align skips the padding before a value that begins at a multiple of n bytes.
func (r *reader) align(n int) {
	if r.cdr {
		r.b = r.b[min((len(r.b)-r.size)&(n-1), len(r.b)):]
	}
}

// values returns the bytes of n elements of a field, which must not be strings or messages.
func (r *reader) values(f *field, n int) ([]byte, error) {
	if n > 0 {
		r.align(f.align)
	}
	return r.take(n * f.size)
}

// take returns the next n bytes.
func (r *reader) take(n int) ([]byte, error) {
	if n > len(r.b) {
		return nil, fmt.Errorf("%d bytes left: must be at least %d: %w", len(r.b), n, errShort)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b, nil
}

// text returns the bytes of a string.
func (r *reader) text() ([]byte, error) {
	r.align(4)
	b, err := r.take(4)
	if err != nil {
		return nil, err
	}
	n := le.Uint32(b)
	if uint64(n) > uint64(len(r.b)) {
		return nil, fmt.Errorf("string of %d bytes: %d bytes are left: %w", n, len(r.b), errShort)
	}
	b, err = r.take(int(n))
	if !r.cdr || n == 0 {
		return b, err
	}
	if b[n-1] != 0 {
		return nil, errors.New("a string must end with a byte 0")
	}
	return b[:n-1], nil
}

// length reads the number of elements of a field. It is 1 if the field is no array.
func (r *reader) length(f *field) (int, error) {
	switch {
	case !f.array:
		return 1, nil
	case f.n != msg.Variable:
		return f.n, nil
	}
	r.align(4)
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	return int(le.Uint32(b)), nil
}

// count is like length, and also checks that so many elements fit into the rest of the message.
func (r *reader) count(f *field) (int, error) {
	n, err := r.length(f)
	if err == nil && f.array {
		err = r.enough(f, n)
	}
	return n, err
}

// enough returns an error if n elements of a field do not fit the rest of the message.
func (r *reader) enough(f *field, n int) error {
	if f.size > 0 && n > len(r.b)/f.size {
		return fmt.Errorf("%d elements: %d bytes are left: %w", n, len(r.b), errShort)
	}
	if f.size == 0 {
		if n > maxEmpty || r.empty+n*f.weight > maxEmpty {
			return fmt.Errorf("%d elements without bytes: a message has at most %d", n, maxEmpty)
		}
		r.empty += n * f.weight
	}
	return nil
}

// end adds context to the error err. If err is nil, end returns an error if bytes are left. A message in CDR may be
// filled up to a multiple of 4 bytes.
func (c *Codec) end(r *reader, total int, err error) error {
	if r.bad != nil {
		err = r.bad
	} else if err == nil && len(r.b) != 0 && (!r.cdr || len(r.b) > 3) {
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(r.b))
	}
	if err != nil {
		return fmt.Errorf("message %s: %d bytes: %w", c.root.def.Name, total, err)
	}
	return nil
}

// Check checks that b is one complete encoded message.
func (c *Codec) Check(b []byte) error {
	r := c.reader(b)
	return c.end(r, len(b), c.root.check(r, nil))
}

// check checks a message. If s is not nil, check widens s for the message.
func (m *message) check(r *reader, s *shape) error {
	for i := range m.fields {
		f := &m.fields[i]
		n, err := r.count(f)
		var nested *shape
		if s != nil {
			s.longest[i], nested = max(s.longest[i], n), s.nested[i]
		}
		if err == nil {
			err = r.skip(f, n, nested)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// skip reads n elements of a field. If s is not nil, skip widens s for these elements.
func (r *reader) skip(f *field, n int, s *shape) (err error) {
	if f.fixed && s == nil {
		_, err = r.values(f, n)
		return err
	}
	for i := 0; i < n && err == nil; i++ {
		if f.kind == kString {
			_, err = r.text()
		} else {
			err = f.msg.check(r, s)
		}
	}
	return err
}
