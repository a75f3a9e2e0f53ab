package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Status shows the current activity of a command, if it lasts longer than a second. On a terminal it uses the status
// line. Elsewhere it prints a line every few seconds. It may be used from any goroutine.
type Status struct {
	out      io.Writer
	terminal *Terminal // nil without a terminal
	world    string
	stop     func()
	once     sync.Once

	mu      sync.Mutex
	text    string        // current activity; empty if nothing takes long
	since   time.Duration // wall time at which the current activity started
	printed time.Duration // wall time of the last line; 0 before the first line
}

// silence is the wall time for which an activity must last before it is shown.
const silence = time.Second

// NewStatus returns a status that shows no activity yet. The caller must close it.
func NewStatus(con Streams, world string) *Status {
	s := &Status{out: con.Notes(), terminal: con.terminal(), world: world}
	s.stop = every(drawEvery, s.tick)
	return s
}

// Set sets the text that describes the current activity. An empty text means that nothing takes long.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// tick prints a line if one is due. now is the wall time since the start of the status.
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
