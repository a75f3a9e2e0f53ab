package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Status shows what a command is busy with once that has taken a second: on a terminal by a spinner, elsewhere by a line
// every few seconds. It may be used from any goroutine.
type Status struct {
	out   io.Writer
	world string
	bar   *progressbar.ProgressBar // nil without a terminal
	over  chan struct{}
	once  sync.Once
	watch sync.WaitGroup

	mu      sync.Mutex
	text    string        // what the command does now; empty: nothing that takes long
	since   time.Duration // wall time at which the silence began
	printed time.Duration // wall time of the last line, 0 before it
}

// silence is the wall time for which nothing is printed about long work.
const silence = time.Second

// NewStatus returns a status without a text; the caller closes it.
func NewStatus(out io.Writer, world string) *Status {
	s := &Status{out: out, world: world, bar: newBar(out, -1), over: make(chan struct{})}
	begun := time.Now()
	s.watch.Go(func() {
		tick := time.NewTicker(silence / 4)
		defer tick.Stop()
		for {
			select {
			case <-s.over:
				return
			case <-tick.C:
				s.tick(time.Since(begun))
			}
		}
	})
	return s
}

// Set says what the command does from now on; an empty text is nothing that takes long.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// tick prints what is due at a wall time since the beginning.
func (s *Status) tick(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.text == "":
		s.since, s.printed = now, 0
	case now-s.since < silence:
	case s.bar != nil:
		s.bar.Describe(s.world + ": " + s.text)
		s.bar.Add(1)
	case s.printed == 0 || now-s.printed >= LineEvery:
		s.printed = now
		fmt.Fprintf(s.out, "%s: %s, %.0f s so far\n", s.world, s.text, (now - s.since).Seconds())
	}
}

// Close ends the printing. It may be called again.
func (s *Status) Close() {
	s.once.Do(func() {
		close(s.over)
		s.watch.Wait()
		if s.bar != nil {
			s.bar.Finish()
		}
	})
}
