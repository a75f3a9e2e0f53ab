package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/foxglove/mcap/go/mcap"
)

// source is the file from which a Reader reads.
type source struct {
	io.ReaderAt
	path   string
	size   int64
	limits limits
}

// errorf returns an error about the data at an offset of the file.
func (s *source) errorf(at int64, format string, args ...any) error {
	return fmt.Errorf("%s: byte %d: %w", s.path, at, fmt.Errorf(format, args...))
}

// cutError means that the file ends within a record.
type cutError struct {
	at   int64 // offset of the record
	what string
	left int64 // number of bytes of the record that exist
}

func (e *cutError) Error() string {
	return fmt.Sprintf("byte %d: %s: only %d bytes of it are there", e.at, e.what, e.left)
}

// bytes reads n bytes at an offset. It reads into buf if buf is large enough, else into new memory. It returns an error
// if n exceeds limit. what names the data in errors.
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

// headLen is the length of the head of a record in bytes: the opcode and the length of the content.
const headLen = 1 + 8

// head reads the head of the record at an offset. It returns an error if the file ends before the content of the record
// does.
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

// record reads the content of the record at an offset. It returns an error if the record is not of the kind want, or if
// its content is longer than limit bytes.
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

// named returns the name of a kind of record.
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

// checkMagic checks that the file begins with the magic bytes of MCAP. It returns the offset of the first record.
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

// pages reads small pieces of a file through a buffer, so that a scan of many small records is fast. Only one goroutine
// may use it.
type pages struct {
	io.ReaderAt
	at  int64 // offset of buf
	buf []byte
}

// pageSize is the size of the buffer in bytes, as that of pages of common file systems.
const pageSize = 4096

func (p *pages) ReadAt(b []byte, at int64) (int, error) {
	if len(b) > pageSize/2 {
		return p.ReaderAt.ReadAt(b, at)
	}
	if at < p.at || at+int64(len(b)) > p.at+int64(len(p.buf)) {
		p.buf = slices.Grow(p.buf[:0], pageSize)[:pageSize]
		n, err := p.ReaderAt.ReadAt(p.buf, at)
		if p.at, p.buf = at, p.buf[:n]; err != nil && err != io.EOF {
			return 0, err
		}
	}
	n := copy(b, p.buf[at-p.at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// limits holds the limits of what a reader accepts in a file. They are in bytes, unless the comment says something
// else.
type limits struct {
	chunk      int64 // size of a chunk, compressed or not
	open       int64 // total size of the chunks that are in memory together because their times overlap
	summary    int64 // size of the index and the summary of a file
	listed     int64 // total size of the schemas, channels and metadata of a file
	unpacked   int64 // total size of the chunks after decompression, for each file
	ratio      int64 // additional size of the chunks after decompression, for each byte of the file
	loaded     int64 // total size of the chunks that a Reader decompresses
	attachment int64
	chunks     int // number of chunks
	attached   int // number of attachments
	records    int // number of records outside of chunks
}

// openIn and chunkIn return the limits open and chunk for a file of some size. A small file cannot take much memory.
func (l *limits) openIn(size int64) int64  { return min(l.open, l.unpacked/4+16*size) }
func (l *limits) chunkIn(size int64) int64 { return min(l.chunk, l.unpacked/4+l.ratio*size) }

// standard holds the default limits. A chunk can hold at least the largest message. The other values are guesses: a
// recording of a day in real time has 90,000 chunks. Chunks of our own recordings decompress to 3 to 10 times their
// size. Zeros decompress to 255 times their size with lz4, and to thousands of times with zstd. At the limit, a file
// takes about 0.2 s of processor time to read for each of its megabytes.
var standard = limits{chunk: MaxMessage + 64<<20, open: 2 * (MaxMessage + 64<<20), summary: 256 << 20, listed: 64 << 20,
	unpacked: 256 << 20, ratio: 64, loaded: math.MaxInt64, attachment: 256 << 20, chunks: 1 << 20, attached: 1 << 16,
	records: math.MaxInt}

// brief holds the limits of Peek. A recording of four hours in real time has 2^18 records.
var brief = func() limits {
	l := standard
	l.loaded, l.records = 64<<20, 1<<18
	return l
}()

// ErrTooLong is the error of Peek if the recording takes too long to read.
var ErrTooLong = errors.New("takes too long to read for an overview")
