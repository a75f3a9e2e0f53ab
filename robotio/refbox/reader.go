package refbox

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxMessage is the largest size of a message in bytes, without its NUL byte. Source: checkBasestationsMessages in the
// box's Comms, which drops longer ones.
const MaxMessage = 100_000

// ErrTooLong is returned by Reader.Next for a message longer than MaxMessage.
var ErrTooLong = errors.New("a message without a NUL byte in its first 100,000 bytes")

// Reader reads messages from a stream.
type Reader struct {
	in      *bufio.Reader
	message []byte
	skip    bool // within a message that is too long
}

// NewReader returns a reader of messages in a stream.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r)} }

// Next returns the next message that is not empty, without its NUL byte. It is valid until the next call. For a message
// that is too long, Next returns ErrTooLong once and drops it; the next call continues after the message. At the end of
// the stream, Next returns io.EOF, or io.ErrUnexpectedEOF within a message.
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

// foreign reports whether the stream starts like HTTP or TLS, as from a browser that a web page directs here.
func (r *Reader) foreign() bool {
	start, _ := r.in.Peek(4) // fewer at the end of the stream
	switch string(start) {
	case "GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PATC", "CONN":
		return true
	}
	return bytes.HasPrefix(start, []byte{0x16, 3})
}
