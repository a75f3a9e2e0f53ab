package master

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// callbackTime bounds a call to a node, wall time. A guess: roscpp answers within milliseconds, and a stopped node does
// not delay others.
const callbackTime = 5 * time.Second

// maxQueues bounds the number of processes with a running queue, and maxUnconfirmedQueues that of unconfirmed ones.
// Guesses, far above any team.
const (
	maxQueues            = 1024
	maxUnconfirmedQueues = maxQueues / 2
)

// callback is a queued call to a node.
type callback struct {
	uri, method, key string
	args             []any
}

// callbacks calls nodes. Each process has a queue, and a goroutine while its queue is not empty. A newer call replaces
// a queued one of the same node, method and key, because both carry a state and not a change.
type callbacks struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	queues map[string][]callback // by the address of the process; present while its goroutine runs
}

func newCallbacks(log *slog.Logger) *callbacks {
	c := &callbacks{log: log, queues: map[string][]callback{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// queue queues a call of method at uri, whose process is at addr. The master's name precedes args.
func (c *callbacks) queue(addr string, confirmed bool, uri, method, key string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	q, running := c.queues[addr]
	if !running && (len(c.queues) >= maxQueues || !confirmed && len(c.queues) >= maxUnconfirmedQueues) {
		c.log.Warn("ros master: callback dropped: too many nodes do not answer", "node", uri, "method", method)
		return
	}
	next := callback{uri, method, key, append([]any{"/master"}, args...)}
	replaced := false
	for i := range q {
		if q[i].uri == uri && q[i].method == method && q[i].key == key {
			q[i], replaced = next, true
		}
	}
	if !replaced {
		q = append(q, next)
	}
	c.queues[addr] = q
	if !running {
		c.wait.Go(func() { c.run(addr) })
	}
}

// run calls one process until its queue is empty.
func (c *callbacks) run(addr string) {
	for {
		c.mu.Lock()
		q := c.queues[addr]
		if len(q) == 0 || c.ctx.Err() != nil {
			delete(c.queues, addr)
			c.mu.Unlock()
			return
		}
		next := q[0]
		c.queues[addr] = q[1:]
		c.mu.Unlock()
		ctx, cancel := context.WithTimeout(c.ctx, callbackTime)
		if _, err := xmlrpc.Call(ctx, next.uri, next.method, next.args...); err != nil {
			c.log.Debug("ros master: callback failed", "error", err)
		}
		cancel()
	}
}

// close drops all queues and waits for the goroutines.
func (c *callbacks) close() {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.wait.Wait()
}
