package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Plain returns streams that show control characters as text, such as \u001b for Escape. Names and messages may come
// from files and programs of other people, and could otherwise control the user's terminal. Only newlines and tabs
// pass. Other characters stay as they are, in UTF-8. JSON stays JSON, because these escapes are JSON's own.
func (s Streams) Plain() Streams {
	s.status, s.data = s.terminal(), s.Out
	s.Out, s.Err = &plain{w: s.Out}, &plain{w: s.Err}
	return s
}

// Data returns the output for bytes that are not text of this program, such as an attached file. It writes them
// unchanged, unless Out is a terminal.
func (s Streams) Data() io.Writer {
	if s.data == nil || s.shown {
		return s.Out
	}
	return s.data
}

// plain is an output that escapes control characters. It may be used from any goroutine.
type plain struct {
	w io.Writer

	mu   sync.Mutex
	rest []byte // start of a character whose other bytes have not been written yet
}

func (p *plain) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(text)
	if len(p.rest) > 0 {
		text = append(p.rest, text...)
		p.rest = nil
	}
	if cut := incomplete(text); cut < len(text) {
		p.rest = append(p.rest, text[cut:]...)
		text = text[:cut]
	}
	_, err := p.w.Write(escape(text, "\n\t"))
	if err != nil {
		return 0, err
	}
	return n, nil
}

// incomplete returns the index at which the last character of a text begins if its last bytes are missing. Otherwise it
// returns the length of the text.
func incomplete(text []byte) int {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// controls reports whether a character may command a terminal or reorder its text. Such characters are the control
// characters of Unicode (category Cc), the directional characters of the Unicode Bidirectional Algorithm (UAX #9), and
// line and paragraph separators.
func controls(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// escape replaces control characters, except those that pass, and bytes that are no UTF-8. It returns the text itself
// if it has none.
func escape(text []byte, pass string) []byte {
	var out []byte
	done := 0 // number of bytes of text that are in out
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(append(out, text[done:i]...), `\x%02x`, text[i])
			done = i + 1
		case controls(r) && strings.IndexRune(pass, r) < 0:
			out = fmt.Appendf(append(out, text[done:i]...), `\u%04x`, r)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// OneLine returns a text without control characters, as [Streams.Plain] shows them. Newlines and tabs are escaped too,
// so that the text can neither begin a line of its own nor a column of a table.
func OneLine(text string) string { return string(escape([]byte(text), "")) }

// shows reports whether an output is a terminal.
func shows(f interface{ Fd() uintptr }) bool { return term.IsTerminal(int(f.Fd())) }
