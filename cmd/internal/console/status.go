package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Status shows what a command is doing, if it takes longer than a second: in the status line of a terminal, otherwise
// in a line every few seconds. It may be used from any goroutine.
type Status struct {
	out      io.Writer
	terminal *Terminal // nil: none
	world    string
	stop     func()
	once     sync.Once

	mu      sync.Mutex
	text    string        // current activity; empty: nothing that takes long
	since   time.Duration // wall time at which the activity started
	printed time.Duration // wall time of the last line, 0 before it
}

// silence is the wall time before an activity is shown.
const silence = time.Second

// NewStatus returns a status without a text. The caller closes it.
func NewStatus(con Streams, world string) *Status {
	s := &Status{out: con.Notes(), terminal: con.terminal(), world: world}
	s.stop = every(drawEvery, s.tick)
	return s
}

// Set sets the current activity. An empty text means nothing that takes long.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// tick prints the line that is due at a wall time since the start.
func (s *Status) tick(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == "" {
		if s.since = now; s.printed > 0 {
			s.printed = 0
			s.clear()
		}
		return
	}
	if now-s.since < silence {
		return
	}
	text := fmt.Sprintf("%s: %s, %.0f s so far", s.world, s.text, (now - s.since).Seconds())
	switch {
	case s.terminal != nil:
		s.printed = now
		s.terminal.set(part{text, s.text})
	case s.printed == 0 || now-s.printed >= LineEvery:
		s.printed = now
		fmt.Fprintln(s.out, text)
	}
}

// clear clears the status line.
func (s *Status) clear() {
	if s.terminal != nil {
		s.terminal.set()
	}
}

// Close stops the output. It may be called again.
func (s *Status) Close() {
	s.once.Do(func() {
		s.stop()
		if s.printed > 0 {
			s.clear()
		}
	})
}
