package ros1

import (
	"context"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// Limits on what waits for one of several subscribers. Guesses: kernels buffer as many bytes for a connection.
const (
	maxWaiting      = 1024    // messages
	maxWaitingBytes = 8 << 20 // the newest message is kept, however large
)

// A queue is long from a quarter of these limits on. A connection then waits for it, so that a burst of messages costs
// none; after slowTime, wall time, the subscriber counts as slow until its queue is empty, so that others of the node
// need not wait. Guesses.
const (
	longShare = 4
	slowTime  = 100 * time.Millisecond
)

// queue holds the messages that wait for a subscriber. The zero value is empty.
type queue struct {
	mu      sync.Mutex
	items   []waiting
	first   int // of items, what waits longest
	bytes   int
	dropped int64
	busy    bool // with what waited longest before
	slow    bool
	closed  bool

	// Both hold one; nil before a message has waited.
	wake    chan struct{} // a message waits; closed with the queue
	shorter chan struct{} // the queue is not long any more
}

// waiting is a message that waits; the queue holds a reference.
type waiting struct {
	m    *tcpros.Message
	from *outlet
}

// wait queues a message, whose reference it takes over, and drops the oldest beyond the limits.
func (s *Subscriber) wait(m *tcpros.Message, from *outlet) {
	begun, lost := s.waiting.add(m, from)
	if begun {
		s.node.spawn(s.work)
	}
	if lost {
		s.node.warnPeer("subscriber is slow: it loses its oldest messages", "topic", s.name)
	}
}

// work handles what waits for the subscriber, until it is closed.
func (s *Subscriber) work() {
	for range s.waiting.wake {
		for m, from := s.waiting.next(); m != nil; m, from = s.waiting.next() {
			s.handle(m.Head, from)
			m.Drop()
		}
	}
}

// add queues a message, and tells whether it is the first and whether it is the first that costs another.
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

// take removes what waits longest; the caller holds mu.
func (q *queue) take() *tcpros.Message {
	m := q.items[q.first].m
	q.items[q.first] = waiting{}
	q.bytes -= cap(m.Head)
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return m
}

// next returns what waits longest; m is nil where nothing waits.
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

// long says whether the queue is long; the caller holds mu.
func (q *queue) long() bool {
	return (len(q.items)-q.first)*longShare > maxWaiting || q.bytes*longShare > maxWaitingBytes
}

// idle says whether nothing waits, and nothing that waited is being handled.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy && q.first == len(q.items)
}

// pace waits until the queue is not long, or its subscriber is found to be slow.
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
	signal(q.shorter) // another connection may wait, too
}

// pressed says whether a connection is to wait for the queue.
func (q *queue) pressed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.long() && !q.slow
}

// close drops what waits.
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

// signal leaves a signal in a channel that holds one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
