package program

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// How much of a program's output is kept: its last lines, each cut into pieces.
const (
	keptLines = 40
	pieceSize = 4 << 10
)

// output is what a program has printed, on stdout and stderr together.
type output struct {
	line    func(text string) // gets each line
	awaited string            // text of a line that somebody waits for

	mu   sync.Mutex
	last []string
	more bool // there were lines before them
	seen bool // the awaited text
}

// read takes lines until the output ends or fails.
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

// printed tells whether a line had the awaited text.
func (o *output) printed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.seen || o.awaited == ""
}

// again forgets the awaited text, of a program that is started again.
func (o *output) again() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = false
}

// text returns the last lines, for users.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.last) == 0:
		return "it has printed nothing"
	case o.more:
		return "the last that it printed:\n    …\n    " + strings.Join(o.last, "\n    ")
	}
	return "it printed:\n    " + strings.Join(o.last, "\n    ")
}
