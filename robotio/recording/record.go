package recording

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
)

// source is the file that a Reader reads.
type source struct {
	io.ReaderAt
	path   string
	size   int64
	limits limits
}

// errorf returns an error about the data at an offset.
func (s *source) errorf(at int64, format string, args ...any) error {
	return fmt.Errorf("%s: byte %d: %w", s.path, at, fmt.Errorf(format, args...))
}

// cutError says that the file ends inside a record.
type cutError struct {
	at   int64 // offset of the record
	what string
	left int64 // number of its bytes that exist
}

func (e *cutError) Error() string {
	return fmt.Sprintf("byte %d: %s: only %d bytes of it are there", e.at, e.what, e.left)
}

// bytes reads n bytes at an offset into buf, if that is large enough. It fails if n exceeds limit.
func (s *source) bytes(what string, at, n, limit int64, buf []byte) ([]byte, error) {
	if n < 0 || n > limit {
		return nil, s.errorf(at, "%s: size = %d: must be at most %d", what, uint64(n), limit)
	}
	if at < 0 || at > s.size || n > s.size-at {
		return nil, &cutError{at, what, max(0, s.size-at)}
	}
	buf = slices.Grow(buf[:0], int(n))[:n]
	if _, err := s.ReadAt(buf, at); err != nil && err != io.EOF {
		return nil, s.errorf(at, "%s: %w", what, err)
	}
	return buf, nil
}

// headLen is the length of a record's head: opcode and length.
const headLen = 1 + 8

// head reads the head of a record, and checks that its content lies in the file.
func (s *source) head(at int64) (op mcap.OpCode, length int64, err error) {
	b, err := s.bytes("a record", at, headLen, headLen, nil)
	if err != nil {
		return 0, 0, err
	}
	op, length = mcap.OpCode(b[0]), int64(le.Uint64(b[1:]))
	if op == mcap.OpReserved {
		return 0, 0, s.errorf(at, "a record: opcode = 0: must not be 0")
	}
	if length < 0 || length > s.size-at-headLen {
		return 0, 0, &cutError{at, named(op), s.size - at}
	}
	return op, length, nil
}

// record reads the content of a record of the given kind, at most limit bytes.
func (s *source) record(at int64, want mcap.OpCode, limit int64) ([]byte, error) {
	op, length, err := s.head(at)
	if err != nil {
		return nil, err
	}
	if op != want {
		return nil, s.errorf(at, "%s: must be %s", named(op), named(want))
	}
	return s.bytes(named(op), at+headLen, length, limit, nil)
}

// named returns a name for a kind of record.
func named(op mcap.OpCode) string {
	name := op.String()
	switch name[0] {
	case 'a', 'i':
		return "an " + name
	case '<':
		return fmt.Sprintf("a record of kind %d", byte(op))
	}
	return "a " + name
}

// checkMagic checks that the file begins as MCAP files do, and returns the offset of its first record.
func (s *source) checkMagic() (int64, error) {
	b, err := s.bytes("the file's beginning", 0, min(s.size, int64(len(mcap.Magic))), int64(len(mcap.Magic)), nil)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(b, mcap.Magic) {
		return 0, fmt.Errorf("%s: begins with %.40q: must be an MCAP file, which begins with %q", s.path, b, mcap.Magic)
	}
	return int64(len(b)), nil
}
