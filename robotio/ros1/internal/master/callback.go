package master

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// callbackTime is the maximum wall time of a call to a node. It is a guess: roscpp answers within milliseconds, and a
// stopped node does not delay others.
const callbackTime = 5 * time.Second

// maxQueues is the maximum number of processes with a running queue, and maxUnconfirmedQueues is the maximum for
// processes that are not confirmed (see processes). Guesses, far above the needs of any team.
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
// a queued call of the same node, method and key. Nothing is lost, because a call transmits a state and not a change.
type callbacks struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	queues map[string][]callback // queues by address of the process; a queue exists while its goroutine runs
}

func newCallbacks(log *slog.Logger) *callbacks {
	c := &callbacks{log: log, queues: map[string][]callback{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// queue queues a call of method at uri, whose process is at addr. The arguments of the call are the master's name and
// args.
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

// Wall times for the checks whether processes answer. Guesses.
const (
	reachTime = 1500 * time.Millisecond // timeout of connecting to a process
	againTime = time.Second             // pause between two attempts to reach the same process
	// pause between two attempts to reach a confirmed process, while there are many registrations
	reviewTime = 10 * time.Second
	// time after which a process counts as dead if its machine does not answer; a process that refuses the connection
	// counts as dead at once
	deadTime = time.Minute
)

// maxDials is the maximum number of concurrent attempts to reach other machines. It is a guess.
const maxDials = 64

// If there are at least manyRegistrations registrations, confirmed processes are checked again.
const manyRegistrations = maxRegistrations / 2

// confirm starts a check whether the process at a node's address answers. It does so if the process is unconfirmed, or
// if there are many registrations. The caller holds the lock.
func (m *Master) confirm(uri string) {
	now := m.now()
	if p := m.reg.processes.byAddr[address(uri)]; p != nil && !p.confirmed {
		m.dial(p, now, againTime)
	}
	if m.reg.processes.confirmed < manyRegistrations || now.Sub(m.reviewed) < reviewTime {
		return
	}
	m.reviewed = now
	for _, p := range m.reg.processes.byAddr {
		if p.confirmed {
			m.dial(p, now, reviewTime)
		}
	}
}

// dial tries to reach a process. It does nothing if it tried within the pause, or if too many attempts are running.
func (m *Master) dial(p *process, now time.Time, pause time.Duration) {
	host, _, err := net.SplitHostPort(p.addr)
	if err != nil || p.dialing || !p.dialed.IsZero() && now.Sub(p.dialed) < pause || m.ctx.Err() != nil {
		return
	}
	elsewhere := 0
	if !local(host) {
		elsewhere = 1
	}
	if m.dials+elsewhere > maxDials {
		return
	}
	m.dials += elsewhere
	p.dialing, p.dialed = true, now
	m.wait.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, reachTime)
		defer cancel()
		err := m.reach(ctx, p.addr)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.dials -= elsewhere
		p.dialing = false
		m.reached(p, err)
	})
}

// reached stores the result of an attempt to reach a process. The caller holds the lock.
func (m *Master) reached(p *process, err error) {
	s := &m.reg.processes
	switch {
	case s.byAddr[p.addr] != p: // the process was removed meanwhile
	case err == nil:
		if p.alive = m.now(); !p.confirmed {
			s.confirm(p, true)
		}
	case p.confirmed && (errors.Is(err, syscall.ECONNREFUSED) || m.now().Sub(p.alive) > deadTime):
		s.confirm(p, false)
		for s.unconfirmed > maxUnconfirmed {
			m.evict(s.oldest(nil))
		}
	}
}

// evict removes an unconfirmed process and its registrations. The caller holds the lock.
func (m *Master) evict(p *process) {
	m.log.Warn("ros master: too many registrations: dropped those of a process that does not answer",
		"at", p.addr, "names", p.registrations)
	for name := range p.nodes {
		for _, t := range m.reg.purge(name) {
			m.publishersChanged(t)
		}
	}
}

// reach returns an error if nothing listens at an address.
func reach(ctx context.Context, addr string) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err == nil {
		c.Close()
	}
	return err
}
