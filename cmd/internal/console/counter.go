package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Counter shows how many runs are done. On a terminal it uses the status line. Elsewhere it prints a line every few
// seconds. It may be used from any goroutine.
type Counter struct {
	out      io.Writer
	terminal *Terminal // nil without a terminal
	total    int
	stop     func()

	mu           sync.Mutex
	done, failed int
	predicts     bool          // print the rate of runs and the remaining time
	before       int           // runs done before the counter started
	printed      time.Duration // wall time of the last line
}

// NewCounter returns a counter for a command with this total number of runs. The caller must close the counter.
func NewCounter(con Streams, total int) *Counter {
	c := &Counter{out: con.Notes(), terminal: con.terminal(), total: total}
	c.stop = every(drawEvery, c.tick)
	return c
}

// Show takes the number of runs that are done, and the number of these runs that failed.
func (c *Counter) Show(done, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.failed = done, failed
}

// Predict makes the counter print the rate of runs and the remaining time, too. before is the number of runs that were
// done when the counter started. They do not count for the rate.
func (c *Counter) Predict(before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.predicts, c.before = true, before
}

// tick prints a line if one is due. now is the wall time since the start of the counter.
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
