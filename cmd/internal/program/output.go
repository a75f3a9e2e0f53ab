package program

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// keptLines is the number of lines that are kept of the output of a program. A line longer than pieceSize bytes is cut
// into pieces.
const (
	keptLines = 40
	pieceSize = 4 << 10
)

// output collects what a program prints on stdout and stderr.
type output struct {
	line    func(text string) // called with each line
	awaited string            // text that must appear in a line before the program counts as ready

	mu   sync.Mutex
	last []string
	more bool // earlier lines were dropped
	seen bool // the awaited text has appeared
}

// read reads lines until the output ends or fails.
func (o *output) read(from io.Reader) {
	r := bufio.NewReaderSize(from, pieceSize)
	for {
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 {
			o.add(strings.ToValidUTF8(strings.TrimRight(string(piece), "\r\n"), "\uFFFD"))
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

func (o *output) add(line string) {
	o.mu.Lock()
	if o.awaited != "" && strings.Contains(line, o.awaited) {
		o.seen = true
	}
	if len(o.last) == keptLines {
		copy(o.last, o.last[1:])
		o.last, o.more = o.last[:keptLines-1], true
	}
	o.last = append(o.last, line)
	o.mu.Unlock()
	o.line(line)
}

// printed reports whether the program has printed a line with the awaited text.
func (o *output) printed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen || o.awaited == ""
}

// reset prepares for a restart of the program: it forgets that the awaited text has appeared.
func (o *output) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = false
}

// text returns the last lines of the output, for an error message.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.last) == 0:
		return "it printed nothing"
	case o.more:
		return "the last lines that it printed:\n    …\n    " + strings.Join(o.last, "\n    ")
	}
	return "it printed:\n    " + strings.Join(o.last, "\n    ")
}
