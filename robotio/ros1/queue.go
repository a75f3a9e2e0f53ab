package ros1

import (
	"context"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Limits of the queue of one of several subscribers. Guesses: kernels buffer as many bytes for a connection.
const (
	maxWaiting      = 1024    // messages
	maxWaitingBytes = 8 << 20 // but the newest message is always kept
)

// A queue is long if it exceeds 1/longShare of its limits. Then the connection waits for it, so that a burst drops no
// messages. After slowTime of wall time, the subscriber counts as slow until its queue is empty, and the connection no
// longer waits for it. So it cannot block other subscribers of the node. Guesses.
const (
	longShare = 4
	slowTime  = 100 * time.Millisecond
)

// queue is the queue of messages of one subscriber. The zero value is empty.
type queue struct {
	mu      sync.Mutex
	items   []waiting
	first   int // index of the oldest item
	bytes   int
	dropped int64
	busy    bool // the subscriber is handling a message
	slow    bool
	closed  bool

	// Both channels have capacity 1. They are nil before the first message.
	wake    chan struct{} // gets a token with each message; closed with the queue
	shorter chan struct{} // gets a token when the queue is no longer long
}

// waiting is a queued message. The queue holds a reference to it.
type waiting struct {
	m    *tcpros.Message
	from *outlet
}

// wait queues a message and takes over its reference. Beyond the limits it drops the oldest messages.
func (s *Subscriber) wait(m *tcpros.Message, from *outlet) {
	begun, lost := s.waiting.add(m, from)
	if begun {
		s.node.spawn(s.work)
	}
	if lost {
		s.node.warnPeer("subscriber is slow: it loses its oldest messages", "topic", s.name)
	}
}

// work handles queued messages until the subscriber is closed.
func (s *Subscriber) work() {
	for range s.waiting.wake {
		for m, from := s.waiting.next(); m != nil; m, from = s.waiting.next() {
			s.handle(m.Head, from)
			m.Drop()
		}
	}
}

// add queues a message. begun reports the first message, and lost the first one that made the queue drop another.
func (q *queue) add(m *tcpros.Message, from *outlet) (begun, lost bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		m.Drop()
		return false, false
	}
	if begun = q.wake == nil; begun {
		q.wake, q.shorter = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	before := q.dropped
	q.bytes += cap(m.Head)
	for q.first < len(q.items) && (len(q.items)-q.first >= maxWaiting || q.bytes > maxWaitingBytes) {
		q.take().Drop()
		q.dropped++
	}
	if len(q.items) == cap(q.items) && q.first > 0 {
		left := copy(q.items, q.items[q.first:])
		clear(q.items[left:])
		q.items, q.first = q.items[:left], 0
	}
	q.items = append(q.items, waiting{m, from})
	signal(q.wake)
	return begun, before == 0 && q.dropped > 0
}

// take removes and returns the oldest message. The caller holds mu.
func (q *queue) take() *tcpros.Message {
	m := q.items[q.first].m
	q.items[q.first] = waiting{}
	q.bytes -= cap(m.Head)
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return m
}

// next removes and returns the oldest message. m is nil if the queue is empty.
func (q *queue) next() (m *tcpros.Message, from *outlet) {
	q.mu.Lock()
	defer q.mu.Unlock()
	long := q.long()
	if q.busy = q.first < len(q.items); q.busy {
		from = q.items[q.first].from
		m = q.take()
	} else {
		q.slow = false
	}
	if long && !q.long() {
		signal(q.shorter)
	}
	return m, from
}

// long reports whether the queue is long. The caller holds mu.
func (q *queue) long() bool {
	return (len(q.items)-q.first)*longShare > maxWaiting || q.bytes*longShare > maxWaitingBytes
}

// idle reports whether no message is queued or being handled.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy && q.first == len(q.items)
}

// pace waits until the queue is not long, or its subscriber counts as slow.
func (q *queue) pace(ctx context.Context) {
	if !q.pressed() {
		return
	}
	end := time.NewTimer(slowTime)
	defer end.Stop()
	for q.pressed() {
		select {
		case <-q.shorter:
		case <-end.C:
			q.mu.Lock()
			q.slow = q.long()
			q.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
	signal(q.shorter) // for other connections that wait
}

// pressed reports whether a connection should wait for the queue.
func (q *queue) pressed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.long() && !q.slow
}

// close drops all messages.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	for q.first < len(q.items) {
		q.take().Drop()
	}
	if q.wake != nil {
		close(q.wake)
		signal(q.shorter)
	}
}

// signal puts a token into a channel of capacity 1, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
