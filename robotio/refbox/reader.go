package refbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxMessage bounds a message in bytes, without its NUL byte. Source: checkBasestationsMessages in the box's Comms,
// which forgets longer ones.
const MaxMessage = 100_000

// ErrTooLong is what Reader.Next returns for a message that is longer than MaxMessage.
var ErrTooLong = errors.New("a message without a NUL byte in its first 100,000 bytes")

// Reader reads messages from a stream.
type Reader struct {
	in      *bufio.Reader
	message []byte
	skip    bool // until the end of a message that is too long
}

// NewReader returns a reader of a stream.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r)} }

// Next returns the next message that is not empty, without its NUL byte; it is valid until the next call. It returns
// ErrTooLong once for a message that is too long, of which it keeps nothing: the one after that can be read as soon as
// the NUL byte has come. At the end of the stream it returns io.EOF, or io.ErrUnexpectedEOF in the middle of a message.
func (r *Reader) Next() ([]byte, error) {
	r.message = r.message[:0]
	for {
		part, err := r.in.ReadSlice(0)
		ended := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && (r.skip || len(r.message)+len(part) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if ended {
			part = part[:len(part)-1]
		}
		switch {
		case r.skip:
			r.skip = !ended
		case len(r.message)+len(part) > MaxMessage:
			r.skip, r.message = !ended, r.message[:0]
			return nil, ErrTooLong
		default:
			if r.message = append(r.message, part...); ended && len(r.message) > 0 {
				return r.message, nil
			}
		}
	}
}

// foreign tells whether the stream begins as HTTP or TLS do, as a web page has a browser send them.
func (r *Reader) foreign() bool {
	begin, _ := r.in.Peek(4) // fewer at the end of the stream
	switch string(begin) {
	case "GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PATC", "CONN":
		return true
	}
	return bytes.HasPrefix(begin, []byte{0x16, 3})
}
