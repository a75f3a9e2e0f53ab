package console

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Counter shows how many of a number of runs are done: a bar on a terminal, a line every few seconds elsewhere.
type Counter struct {
	out     io.Writer
	bar     *progressbar.ProgressBar // nil without a terminal
	total   int
	printed time.Duration // wall time of the last line
}

// NewCounter returns a counter of runs.
func NewCounter(out io.Writer, total int) *Counter {
	return &Counter{out: out, bar: newBar(out, int64(total)), total: total}
}

// Show says how many runs are done, and how many of those have failed, at a wall time since the beginning.
func (c *Counter) Show(done, failed int, wall time.Duration) {
	text := fmt.Sprintf("%d of %d runs, %d failed, %.1f runs/s", done, c.total, failed, float64(done)/wall.Seconds())
	switch {
	case c.bar != nil:
		c.bar.Describe(text)
		c.bar.Set(done)
	case wall-c.printed >= LineEvery:
		c.printed = wall
		fmt.Fprintln(c.out, text)
	}
}

// Close removes the bar.
func (c *Counter) Close() {
	if c.bar != nil {
		c.bar.Finish()
	}
}
