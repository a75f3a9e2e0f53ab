package refbox

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// read returns all messages of a reader, with "too long" for ErrTooLong.
func read(r io.Reader) (all []string, end error) {
	for in := NewReader(r); ; {
		m, err := in.Next()
		switch {
		case err == nil:
			all = append(all, string(m))
		case errors.Is(err, ErrTooLong):
			all = append(all, "too long")
		default:
			return all, err
		}
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", MaxMessage)
	for _, c := range []struct {
		name, in string
		want     []string
		end      error
	}{
		{"nothing", "", nil, io.EOF},
		{"two at once", "a\x00bc\x00", []string{"a", "bc"}, io.EOF},
		{"empty ones", "\x00\x00a\x00\x00", []string{"a"}, io.EOF},
		{"the end in the middle", "a\x00b", []string{"a"}, io.ErrUnexpectedEOF},
		{"as long as may be", long + "\x00a\x00", []string{long, "a"}, io.EOF},
		{"one byte longer", long + "x\x00a\x00", []string{"too long", "a"}, io.EOF},
		{"10 MB without an end", strings.Repeat("x", 10_000_000), []string{"too long"}, io.ErrUnexpectedEOF},
		{"10 MB, and another", strings.Repeat("x", 10_000_000) + "\x00a\x00", []string{"too long", "a"}, io.EOF},
	} {
		for way, r := range map[string]io.Reader{"whole": strings.NewReader(c.in),
			"half":     iotest.HalfReader(strings.NewReader(c.in)),
			"one byte": iotest.OneByteReader(strings.NewReader(c.in))} {
			if got, end := read(r); !slices.Equal(got, c.want) || end != c.end {
				t.Errorf("%s, %s at a time: %d messages, %v, want %d, %v", c.name, way, len(got), end, len(c.want),
					c.end)
			}
		}
	}
}

// The reader does not buffer more than MaxMessage of a message that is too long.
func TestReaderForgets(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("x", 10_000_000)))
	for {
		if _, err := r.Next(); errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
	}
	if n := cap(r.message); n > 2*MaxMessage {
		t.Errorf("keeps %d bytes", n)
	}
}

// The messages do not depend on how the stream is split into reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\x00\x00bc\x00d"), 3)
	f.Add([]byte{0}, 1)
	f.Fuzz(func(t *testing.T, in []byte, part int) {
		if part < 1 || part > 1<<16 {
			return
		}
		parts := slices.Collect(slices.Chunk(in, part))
		readers := make([]io.Reader, len(parts))
		for i, p := range parts {
			readers[i] = bytes.NewReader(p)
		}
		got, end := read(io.MultiReader(readers...))
		var want []string
		all := bytes.Split(in, []byte{0})
		for _, m := range all[:len(all)-1] {
			switch {
			case len(m) > MaxMessage:
				want = append(want, "too long")
			case len(m) > 0:
				want = append(want, string(m))
			}
		}
		wantEnd := io.EOF
		if rest := all[len(all)-1]; len(rest) > 0 {
			wantEnd = io.ErrUnexpectedEOF
			if len(rest) > MaxMessage {
				want = append(want, "too long")
			}
		}
		if !slices.Equal(got, want) || end != wantEnd {
			t.Errorf("%q, %v, want %q, %v", got, end, want, wantEnd)
		}
	})
}
