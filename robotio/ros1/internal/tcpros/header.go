package tcpros

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"time"
)

// MaxHeader is the maximum size of a connection header in bytes. The header includes a message definition. It is a
// guess: ROS's largest definitions take about 20 KB.
const MaxHeader = 128 << 10

var le = binary.LittleEndian

// Header is a TCPROS connection header.
type Header map[string]string

// ReadHeader reads the length of a header and then the header.
func ReadHeader(r io.Reader) (Header, error) {
	b, err := ReadBlock(r, nil, MaxHeader)
	if err != nil {
		return nil, fmt.Errorf("connection header: %w", err)
	}
	h := Header{}
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

// Write writes the length and the header, with sorted keys.
func (h Header) Write(w io.Writer) error {
	b := make([]byte, 4)
	for _, k := range slices.Sorted(maps.Keys(h)) {
		b = le.AppendUint32(b, uint32(len(k)+1+len(h[k])))
		b = append(b, k+"="+h[k]...)
	}
	le.PutUint32(b, uint32(len(b)-4))
	_, err := w.Write(b)
	return err
}

// HandshakeTime is the wall time that a peer has to send its header. A guess.
const HandshakeTime = 10 * time.Second

// RefusedError means that a peer refused the connection. Text is the field error of the peer's header.
type RefusedError struct{ Text string }

func (e *RefusedError) Error() string { return "peer refused: " + e.Text }

// Handshake sends our header and reads the header of the peer. It returns a RefusedError if the peer refuses the
// connection.
func Handshake(conn net.Conn, r io.Reader, ours Header) (Header, error) {
	_ = conn.SetDeadline(time.Now().Add(HandshakeTime))
	if err := ours.Write(conn); err != nil {
		return nil, err
	}
	theirs, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if text := theirs["error"]; text != "" {
		return nil, &RefusedError{text}
	}
	return theirs, conn.SetDeadline(time.Time{})
}

// ReadBlock reads a length as uint32 and then as many bytes. It uses the memory of buf if buf is large enough. It fails
// if the length exceeds limit. It allocates memory only as bytes arrive.
func ReadBlock(r io.Reader, buf []byte, limit int) ([]byte, error) {
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
