package master

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
)

// callbackTime bounds one call to a node, wall time. A guess: roscpp answers within milliseconds, and a node
// that is stopped holds up nobody but itself.
const callbackTime = 5 * time.Second

// maxNodes bounds how many nodes' queues run at once. A guess, far above any team.
const maxNodes = 1024

// callback is one call to a node that is due.
type callback struct {
	method, key string
	args        []any
}

// callbacks calls nodes back, one queue per node and one goroutine per queue that is not empty. A newer call
// replaces an older one of the same method and key that has not gone out: both tell a state, not a change.
type callbacks struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	queues map[string][]callback // by URI; present while its goroutine runs
}

func newCallbacks(log *slog.Logger) *callbacks {
	c := &callbacks{log: log, queues: map[string][]callback{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// queue notes a call of method at uri; the master's name goes in front of args.
func (c *callbacks) queue(uri, method, key string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	q, running := c.queues[uri]
	if !running && len(c.queues) >= maxNodes {
		c.log.Warn("ros master: callback dropped: too many nodes do not answer", "node", uri, "method", method)
		return
	}
	next := callback{method, key, append([]any{"/master"}, args...)}
	replaced := false
	for i := range q {
		if q[i].method == method && q[i].key == key {
			q[i], replaced = next, true
		}
	}
	if !replaced {
		q = append(q, next)
	}
	c.queues[uri] = q
	if !running {
		c.wait.Go(func() { c.run(uri) })
	}
}

// run calls one node until its queue is empty.
func (c *callbacks) run(uri string) {
	for {
		c.mu.Lock()
		q := c.queues[uri]
		if len(q) == 0 || c.ctx.Err() != nil {
			delete(c.queues, uri)
			c.mu.Unlock()
			return
		}
		next := q[0]
		c.queues[uri] = q[1:]
		c.mu.Unlock()
		ctx, cancel := context.WithTimeout(c.ctx, callbackTime)
		if _, err := xmlrpc.Call(ctx, uri, next.method, next.args...); err != nil {
			c.log.Debug("ros master: callback failed", "error", err)
		}
		cancel()
	}
}

// close drops what is queued and waits for the goroutines.
func (c *callbacks) close() {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.wait.Wait()
}
