package ros1

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxHeader bounds a connection header in bytes; it holds a message definition. A guess: definitions of ROS's
// largest messages take about 20 KB.
const maxHeader = 128 << 10

var le = binary.LittleEndian

// header is a TCPROS connection header.
type header map[string]string

// readHeader reads a header with its length.
func readHeader(r io.Reader) (header, error) {
	b, err := readBlock(r, nil, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("connection header: %w", err)
	}
	h := header{}
	for len(b) > 0 {
		if len(b) < 4 || uint64(le.Uint32(b)) > uint64(len(b)-4) {
			return nil, errors.New("connection header: a field must end before the header does")
		}
		field := b[4 : 4+le.Uint32(b)]
		b = b[4+len(field):]
		key, value, ok := bytes.Cut(field, []byte("="))
		if !ok {
			return nil, fmt.Errorf("connection header: field %.40q: must be key=value", field)
		}
		h[string(key)] = string(value)
	}
	return h, nil
}

// writeTo writes the header with its length, keys sorted.
func (h header) writeTo(w io.Writer) error {
	keys := make([]string, 0, len(h))
	for k := range h {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b := make([]byte, 4)
	for _, k := range keys {
		b = le.AppendUint32(b, uint32(len(k)+1+len(h[k])))
		b = append(b, k+"="+h[k]...)
	}
	le.PutUint32(b, uint32(len(b)-4))
	_, err := w.Write(b)
	return err
}

// readBlock reads a uint32 length and as many bytes, into buf where it is large enough. It fails on more than
// limit bytes, and takes memory only as bytes arrive.
func readBlock(r io.Reader, buf []byte, limit int) ([]byte, error) {
	if cap(buf) < 4 {
		buf = make([]byte, 512)
	}
	if _, err := io.ReadFull(r, buf[:4]); err != nil {
		return nil, err
	}
	n := le.Uint32(buf[:4])
	if uint64(n) > uint64(limit) {
		return nil, fmt.Errorf("length %d: must be at most %d bytes", n, limit)
	}
	buf = buf[:0]
	const chunk = 1 << 20
	for len(buf) < int(n) {
		have := len(buf)
		if cap(buf) < int(n) {
			buf = slices.Grow(buf, min(int(n)-have, max(chunk, have)))
		}
		buf = buf[:min(int(n), cap(buf))]
		if _, err := io.ReadFull(r, buf[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return buf, nil
}
