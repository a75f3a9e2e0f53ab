package console

import (
	"io"
	"os"
	"sync"

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
	// midLine means that the last output did not end with a newline. The status line is not shown until it does.
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

// write writes to w, whose content may be shown on the terminal. The caller holds mu.
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

// set sets the parts of the status line. Without parts it removes the line.
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

// above is another output of the process, such as stdout or a pipe to tee. What is written to it may be shown on the
// terminal, above the status line.
type above struct {
	terminal *Terminal
	file     *os.File
}

func (a *above) Write(p []byte) (int, error) {
	a.terminal.mu.Lock()
	defer a.terminal.mu.Unlock()
	return a.terminal.write(a.file, p)
}
