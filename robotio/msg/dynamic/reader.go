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
	b, err := r.take(4)
	if err != nil {
		return nil, err
	}
	n := le.Uint32(b)
	if uint64(n) > uint64(len(r.b)) {
		return nil, fmt.Errorf("string of %d bytes: %d bytes are left: %w", n, len(r.b), errShort)
	}
	return r.take(int(n))
}

// length reads the number of elements of a field. It is 1 if the field is no array.
func (r *reader) length(f *field) (int, error) {
	switch {
	case !f.array:
		return 1, nil
	case f.n != msg.Variable:
		return f.n, nil
	}
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

// end adds context to the error err. If err is nil, end returns an error if bytes are left.
func (c *Codec) end(r *reader, total int, err error) error {
	if err == nil && len(r.b) != 0 {
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(r.b))
	}
	if err != nil {
		return fmt.Errorf("message %s: %d bytes: %w", c.root.def.Name, total, err)
	}
	return nil
}

// Check checks that b is one complete encoded message.
func (c *Codec) Check(b []byte) error {
	r := &reader{b: b}
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
		_, err = r.take(n * f.size)
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
