package console

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/term"
)

// Terminal is a terminal whose last row is a status line. All other output appears above the status line. It may be
// used from any goroutine.
//
// The status line is cut to the current width of the terminal, because a line that wraps could not be erased. If the
// user makes the terminal narrower than the line, the line on the screen may wrap. The next status line then appears
// below the wrapped line. No row that may hold other output is erased.
type Terminal struct {
	file *os.File

	mu    sync.Mutex
	parts []part
	drawn bool // the status line is shown in the row of the cursor
	// midLine means that the last output did not end with a newline. The status line is not shown until an output ends
	// with a newline.
	midLine bool
}

// Control sequences. Source: ECMA-48, CR and EL.
const eraseRow = "\r\x1b[K"

// newTerminal returns nil if a status line is impossible, because f is a file or a pipe, or a terminal without cursor
// control.
func newTerminal(f *os.File) *Terminal {
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &Terminal{file: f}
}

// Write writes p to the terminal, above the status line.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write(t.file, p)
}

// write writes p to w. The caller holds mu.
func (t *Terminal) write(w *os.File, p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	t.erase()
	// If w is not a terminal, it is a pipe, for instance to tee. The terminal does not show this output yet. The next
	// redraw then restores the status line.
	if n, err = w.Write(p); n > 0 && term.IsTerminal(int(w.Fd())) {
		t.midLine = p[n-1] != '\n'
		t.redraw()
	}
	return n, err
}

// set sets the parts of the status line. If there are no parts, it removes the line.
func (t *Terminal) set(parts ...part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parts = parts
	if len(parts) == 0 {
		t.erase()
	}
	t.redraw()
}

// redraw draws the status line at the current width. The caller holds mu.
func (t *Terminal) redraw() {
	if len(t.parts) == 0 || t.midLine || !foreground(t.file) {
		return
	}
	columns, _, err := term.GetSize(int(t.file.Fd()))
	if err != nil || columns <= 0 { // for instance on serial lines
		columns = 80
	}
	// Leave the last column free: after a character in that column, some terminals wrap and others do not.
	_, _ = io.WriteString(t.file, eraseRow+fit(t.parts, columns-1))
	t.drawn = true
}

// erase erases the status line. The caller holds mu.
func (t *Terminal) erase() {
	if t.drawn {
		_, _ = io.WriteString(t.file, eraseRow)
		t.drawn = false
	}
}

// above is another output of the process, such as stdout or a pipe to tee. The terminal may show this output above the
// status line.
type above struct {
	terminal *Terminal
	file     *os.File
}

func (a *above) Write(p []byte) (int, error) {
	a.terminal.mu.Lock()
	defer a.terminal.mu.Unlock()
	return a.terminal.write(a.file, p)
}

// part is a part of a status line, in a long and a short form. If the line is too narrow for all parts, fit drops parts
// from the end.
type part struct{ long, short string }

// alike returns a part whose short form is the same as its long form.
func alike(text string) part { return part{text, text} }

// long joins all parts in their long form.
func long(parts []part) string {
	return join(parts, func(p part) string { return p.long })
}

// fit returns a line of at most the given number of columns. It prefers all parts in long form. If they do not fit, it
// takes all parts in short form, then only the first parts, and at last the start of the first part.
func fit(parts []part, columns int) string {
	if text := printable(long(parts)); width(text) <= columns {
		return text
	}
	for n := len(parts); n > 0; n-- {
		if text := printable(join(parts[:n], func(p part) string { return p.short })); width(text) <= columns {
			return text
		}
	}
	if len(parts) == 0 || columns <= 0 {
		return ""
	}
	return string([]rune(printable(parts[0].short))[:columns])
}

func join(parts []part, form func(part) string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = form(p)
	}
	return strings.Join(texts, ", ")
}

// width returns the number of columns that a printable text takes.
func width(text string) int { return len([]rune(text)) }

// firstWide is the first rune that may take two columns on a terminal: Hangul Jamo. Source: Unicode,
// EastAsianWidth.txt.
const firstWide = 0x1100

// printable replaces each rune whose width may differ from one column by a question mark. The name of a world may have
// such runes.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= firstWide || !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) {
			return '?'
		}
		return r
	}, text)
}
