package refbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// Message is a message from a box.
type Message struct {
	Command    Command `json:"command"`
	TargetTeam string  `json:"targetTeam"`        // the box's name for the team; empty for both teams
	RobotID    *int    `json:"robotID,omitempty"` // the number of a robot of the team
}

// Append appends the encoded message with its NUL byte.
func (m Message) Append(b []byte) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // cannot happen, because the fields are strings and a number
	}
	return append(append(b, text...), 0)
}

// ParseMessage parses a message without its NUL byte. It also returns the names of unknown fields, sorted. It fails if
// the text is no JSON object in UTF-8, or if a field is missing or has the wrong type.
func ParseMessage(text []byte) (m Message, unknown []string, err error) {
	fields, err := parseObject(text)
	if err != nil {
		return m, nil, err
	}
	err = errors.Join(parseField(fields, "command", &m.Command, "must be a text"), parseField(fields, "targetTeam",
		&m.TargetTeam, "must be a text"))
	if _, ok := fields["robotID"]; ok {
		err = errors.Join(err, parseField(fields, "robotID", &m.RobotID, "must be a whole number"))
	}
	if err != nil {
		return Message{}, nil, err
	}
	return m, slices.Sorted(maps.Keys(fields)), nil
}

func parseObject(text []byte) (fields map[string]json.RawMessage, err error) {
	if !utf8.Valid(text) {
		return nil, errors.New("must be UTF-8")
	}
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, errors.New("must be a JSON object")
	}
	return fields, nil
}

// parseField parses a field, which must exist and not be null, and removes it from fields.
func parseField(fields map[string]json.RawMessage, name string, value any, rule string) error {
	text, ok := fields[name]
	if !ok {
		return fmt.Errorf("%s is missing", name)
	}
	delete(fields, name)
	if string(text) == "null" || json.Unmarshal(text, value) != nil {
		return fmt.Errorf("%s = %.40s: %s", name, text, rule)
	}
	return nil
}

// MaxMessage is the largest size of a message in bytes, without its NUL byte. Source: checkBasestationsMessages in the
// box's Comms, which drops longer messages.
const MaxMessage = 100_000

// ErrTooLong is returned by Reader.Next for a message longer than MaxMessage.
var ErrTooLong = errors.New("a message without a NUL byte in its first 100,000 bytes")

// Reader reads messages from a stream.
type Reader struct {
	in      *bufio.Reader
	message []byte
	skip    bool // whether the reader is within a message that is too long
}

// NewReader returns a reader of messages in a stream.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r)} }

// Next returns the next message that is not empty, without its NUL byte. The message is valid until the next call. For
// a message that is too long, Next returns ErrTooLong once and drops it; the next call continues after the message. At
// the end of the stream, Next returns io.EOF, or io.ErrUnexpectedEOF within a message.
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

// foreign reports whether the stream starts like HTTP or TLS. A web page may make a browser connect here.
func (r *Reader) foreign() bool {
	start, _ := r.in.Peek(4) // returns fewer bytes at the end of the stream
	switch string(start) {
	case "GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PATC", "CONN":
		return true
	}
	return bytes.HasPrefix(start, []byte{0x16, 3})
}
