package main

import (
	"io"
	"sync"
)

// checkedWriter remembers the first error of writing to w, and writes nothing after it: a command that prints need not look at each
// error. It may be used from any goroutine.
type checkedWriter struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

func (c *checkedWriter) Write(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		n, c.err = c.w.Write(p)
	}
	return n, c.err
}

// failed returns the first error, nil without one.
func (c *checkedWriter) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
