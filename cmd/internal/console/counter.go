package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Counter shows how many runs are done: in the status line of a terminal, otherwise in a line every few seconds. It may
// be used from any goroutine.
type Counter struct {
	out      io.Writer
	terminal *Terminal // nil: none
	total    int
	stop     func()

	mu           sync.Mutex
	done, failed int
	predicts     bool          // prints the rate and the remaining time
	before       int           // runs done before the counter started
	printed      time.Duration // wall time of the last line
}

// NewCounter returns a counter of runs. The caller closes it.
func NewCounter(con Streams, total int) *Counter {
	c := &Counter{out: con.Notes(), terminal: con.terminal(), total: total}
	c.stop = every(drawEvery, c.tick)
	return c
}

// Show sets how many runs are done, and how many of them failed.
func (c *Counter) Show(done, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.failed = done, failed
}

// Predict makes the counter print the rate of runs and the remaining time. before is the number of runs that were done
// when it started.
func (c *Counter) Predict(before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.predicts, c.before = true, before
}

// tick prints the line that is due at a wall time since the start.
func (c *Counter) tick(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := []part{
		{fmt.Sprintf("%d of %d runs", c.done, c.total), fmt.Sprintf("%d/%d", c.done, c.total)},
		alike(fmt.Sprintf("%d failed", c.failed)),
		{fmt.Sprintf("%.0f s so far", now.Seconds()), fmt.Sprintf("%.0f s", now.Seconds())},
	}
	if ended := c.done - c.before; c.predicts && ended > 0 {
		rate := float64(ended) / now.Seconds()
		left := float64(c.total-c.done) / rate
		parts = append(parts, part{fmt.Sprintf("%.3g runs/s", rate), fmt.Sprintf("%.3g/s", rate)},
			alike(fmt.Sprintf("%.0f s left", left)))
	}
	switch {
	case c.terminal != nil:
		c.terminal.set(parts...)
	case now-c.printed >= LineEvery:
		c.printed = now
		fmt.Fprintln(c.out, long(parts))
	}
}

// Close stops the output.
func (c *Counter) Close() {
	c.stop()
	if c.terminal != nil {
		c.terminal.set()
	}
}
