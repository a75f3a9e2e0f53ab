package console

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Terminal is a terminal whose last row is a status line: what is written stands above it. It may be used from any
// goroutine.
//
// The line is one row at every width, or else it could not be erased: it is cut to the width that the terminal has when
// it is drawn. A terminal that is made narrower than the line may wrap what is there; the next line is drawn below
// then, since no row that might be another's is erased.
type Terminal struct {
	file *os.File

	mu      sync.Mutex
	parts   []part
	drawn   bool // the line stands in the cursor's row
	midLine bool // what was written last has no end of line yet: the line waits for it
}

// Control sequences. Source: ECMA-48, CR and EL.
const eraseRow = "\r\x1b[K"

// newTerminal returns nil unless a status line can be drawn: in a file or pipe, and on terminals that only print.
func newTerminal(f *os.File) *Terminal {
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &Terminal{file: f}
}

// Write writes above the status line.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write(t.file, p)
}

// write writes to a file that may show on the terminal. The caller has mu.
func (t *Terminal) write(w *os.File, p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	t.erase()
	// else tee may be about to print it: the line comes back with the next draw
	if n, err = w.Write(p); n > 0 && term.IsTerminal(int(w.Fd())) {
		t.midLine = p[n-1] != '\n'
		t.redraw()
	}
	return n, err
}

// set draws a status line; without parts there is none any more.
func (t *Terminal) set(parts ...part) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parts = parts
	if len(parts) == 0 {
		t.erase()
	}
	t.redraw()
}

// redraw draws the status line as it fits now. The caller has mu.
func (t *Terminal) redraw() {
	if len(t.parts) == 0 || t.midLine || !foreground(t.file) {
		return
	}
	columns, _, err := term.GetSize(int(t.file.Fd()))
	if err != nil || columns <= 0 { // as on serial lines
		columns = 80
	}
	// In the last column some terminals begin a new row, and others do not.
	_, _ = io.WriteString(t.file, eraseRow+fit(t.parts, columns-1))
	t.drawn = true
}

// erase removes the line. The caller has mu.
func (t *Terminal) erase() {
	if t.drawn {
		_, _ = io.WriteString(t.file, eraseRow)
		t.drawn = false
	}
}

// above is another stream of a process beside its Terminal, which may be shown there too: as stdout is, or the pipe to
// tee.
type above struct {
	terminal *Terminal
	file     *os.File
}

func (a *above) Write(p []byte) (int, error) {
	a.terminal.mu.Lock()
	defer a.terminal.mu.Unlock()
	return a.terminal.write(a.file, p)
}
