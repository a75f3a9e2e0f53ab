package rosbridge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
)

// split sends text in fragments of at most size bytes. A fragment has at least one character, even if the character is
// longer.
func split(text []byte, size int, id string, send func([]byte) error) error {
	var parts [][]byte
	for len(text) > 0 {
		n := min(size, len(text))
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		if n == 0 { // a character is longer than a fragment
			_, n = utf8.DecodeRune(text)
		}
		parts = append(parts, text[:n])
		text = text[n:]
	}
	for i, p := range parts {
		b := dynamic.AppendString([]byte(`{"op":"fragment","id":`), id)
		b = dynamic.AppendString(append(b, `,"data":`...), p)
		b = strconv.AppendInt(append(b, `,"num":`...), int64(i), 10)
		b = strconv.AppendInt(append(b, `,"total":`...), int64(len(parts)), 10)
		if err := send(append(b, '}')); err != nil {
			return err
		}
	}
	return nil
}

// Limits of fragmented messages from clients. Guesses, except for the age, which is that of rosbridge_library.
const (
	maxParts    = 1 << 16
	maxOpen     = 8 // incomplete messages
	fragmentAge = 10 * time.Minute
)

// fragments reassembles a client's fragmented messages.
type fragments struct {
	most int // limit of the field size
	size int // total size of all incomplete messages, bytes
	open map[string]*fragmented
}

// fragmented is an incomplete message.
type fragmented struct {
	parts []string
	have  []bool
	left  int
	size  int
	since time.Time
}

// add adds a fragment. It returns the whole message if this was the last fragment, else nil.
func (f *fragments) add(r *request) ([]byte, error) {
	id, n := r.id(), int(r.Num)
	var data string
	if err := json.Unmarshal(r.Data, &data); err != nil || id == "" {
		return nil, fmt.Errorf("op fragment: must have an id and data that is a string")
	}
	if !(r.Total >= 1 && r.Total <= maxParts) || r.Total != float64(int(r.Total)) || !(r.Num >= 0 && r.Num < r.Total) {
		return nil, fmt.Errorf("op fragment: num = %v of total = %v: total must be in [1, %d], num below it", r.Num,
			r.Total, maxParts)
	}
	if f.open == nil {
		f.open = map[string]*fragmented{}
	}
	for key, old := range f.open {
		if time.Since(old.since) > fragmentAge {
			f.drop(key)
		}
	}
	m := f.open[id]
	if m == nil || len(m.parts) != int(r.Total) {
		f.drop(id)
		if len(f.open) >= maxOpen {
			return nil, fmt.Errorf("op fragment: %d messages are incomplete: must be at most %d", len(f.open), maxOpen)
		}
		m = &fragmented{parts: make([]string, int(r.Total)), have: make([]bool, int(r.Total)), left: int(r.Total),
			since: time.Now()}
		f.open[id] = m
	}
	if m.have[n] {
		return nil, fmt.Errorf("op fragment: num = %d: has been received already", n)
	}
	m.parts[n], m.have[n] = data, true
	m.left--
	m.size += len(data)
	if f.size += len(data); f.size > f.most {
		f.drop(id)
		return nil, fmt.Errorf("op fragment: incomplete messages have more than %d bytes", f.most)
	}
	if m.left > 0 {
		return nil, nil
	}
	whole := make([]byte, 0, m.size)
	for _, p := range m.parts {
		whole = append(whole, p...)
	}
	f.drop(id)
	return whole, nil
}

func (f *fragments) drop(id string) {
	if m := f.open[id]; m != nil {
		f.size -= m.size
		delete(f.open, id)
	}
}
