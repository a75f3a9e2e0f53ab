package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Counter shows how many of a number of runs are done: a bar on a terminal, a line every few seconds elsewhere, also while none ends. It may be
// used from any goroutine.
type Counter struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	total int
	begun time.Time
	over  chan struct{}
	watch sync.WaitGroup

	mu           sync.Mutex
	done, failed int
	printed      time.Duration // wall time of the last line
}

// NewCounter returns a counter of runs; the caller closes it.
func NewCounter(out io.Writer, total int) *Counter {
	c := &Counter{out: out, bar: newBar(out, int64(total)), total: total, begun: time.Now(), over: make(chan struct{})}
	c.watch.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-c.over:
				return
			case <-tick.C:
				c.tick(time.Since(c.begun))
			}
		}
	})
	return c
}

// Show says how many runs are done, and how many of those have failed.
func (c *Counter) Show(done, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.failed = done, failed
	if c.bar != nil {
		c.bar.Set(done)
	}
}

// tick prints what is due at a wall time since the beginning.
func (c *Counter) tick(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := fmt.Sprintf("%d of %d runs, %d failed, %.0f s so far", c.done, c.total, c.failed, now.Seconds())
	switch {
	case c.bar != nil:
		c.bar.Describe(text)
	case now-c.printed >= LineEvery:
		c.printed = now
		fmt.Fprintln(c.out, text)
	}
}

// Close removes the bar.
func (c *Counter) Close() {
	close(c.over)
	c.watch.Wait()
	if c.bar != nil {
		c.bar.Finish()
	}
}
