package console

import (
	"io"
	"sync"
)

// CheckedWriter writes to W until a write fails. It keeps the error of this write, so that callers need not check each
// write. It may be used from any goroutine.
type CheckedWriter struct {
	W io.Writer

	mu  sync.Mutex
	err error
}

func (c *CheckedWriter) Write(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		n, c.err = c.W.Write(p)
	}
	return n, c.err
}

// Err returns the error of the first write that failed, or nil.
func (c *CheckedWriter) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
