package dynamic

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// errShort says that a message ends too early.
var errShort = errors.New("ends too early")

// maxEmpty bounds the weight of array elements that take no bytes. A guess.
const maxEmpty = 1 << 16

// reader reads an encoded message.
type reader struct {
	b     []byte
	empty int // weight of elements without bytes so far
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

// count reads the number of elements of an array.
func (r *reader) count(f *field) (int, error) {
	n := uint64(f.n)
	if f.n == msg.Variable {
		b, err := r.take(4)
		if err != nil {
			return 0, err
		}
		n = uint64(le.Uint32(b))
	}
	if f.size > 0 && n > uint64(len(r.b)/f.size) {
		return 0, fmt.Errorf("%d elements: %d bytes are left: %w", n, len(r.b), errShort)
	}
	if f.size == 0 {
		if n > maxEmpty || r.empty+int(n)*f.weight > maxEmpty {
			return 0, fmt.Errorf("%d elements without bytes: a message has at most %d", n, maxEmpty)
		}
		r.empty += int(n) * f.weight
	}
	return int(n), nil
}

// end adds context to the error err, or fails if bytes are left.
func (c *Codec) end(r *reader, total int, err error) error {
	if err == nil && len(r.b) != 0 {
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(r.b))
	}
	if err != nil {
		return fmt.Errorf("message %s: %d bytes: %w", c.def.Name, total, err)
	}
	return nil
}

// Check checks that b is one complete encoded message.
func (c *Codec) Check(b []byte) error {
	r := &reader{b: b}
	return c.end(r, len(b), c.root.check(r))
}

func (m *message) check(r *reader) error {
	for i := range m.fields {
		f := &m.fields[i]
		n, err := 1, error(nil)
		if f.array {
			n, err = r.count(f)
		}
		switch {
		case err != nil:
		case f.kind == kMessage || f.kind == kString:
			for j := 0; j < n && err == nil; j++ {
				if f.kind == kString {
					_, err = r.text()
				} else {
					err = f.msg.check(r)
				}
			}
		default:
			_, err = r.take(n * f.size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}
