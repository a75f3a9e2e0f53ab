package ros1

import (
	"context"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Limits of the queue of a subscriber, if the node has several subscribers of a topic. The values are guesses: kernels
// buffer about as many bytes for a connection.
const (
	maxWaiting      = 1024    // messages
	maxWaitingBytes = 8 << 20 // size of the messages in bytes; the newest message is kept even if it is larger
)

// A queue is long if it exceeds 1/longShare of its limits. Then the connection waits for the queue, so that no message
// of a burst is dropped. After slowTime of wall time, the subscriber counts as slow until its queue is empty. The
// connection does not wait for a slow subscriber, which therefore cannot block other subscribers of the node. The
// values are guesses.
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
	busy    bool // whether the subscriber is handling a message
	slow    bool
	closed  bool

	// Both channels have capacity 1. They are nil before the first message is queued.
	wake    chan struct{} // receives a value with each message; is closed together with the queue
	shorter chan struct{} // receives a value when the queue is no longer long
}

// waiting is a message in a queue. The queue holds a reference to the message.
type waiting struct {
	m    *tcpros.Message
	from *outlet
}

// wait queues a message and takes over the caller's reference to it. If the queue exceeds its limits, wait drops the
// oldest messages.
func (s *Subscriber) wait(m *tcpros.Message, from *outlet) {
	begun, lost := s.waiting.add(m, from)
	if begun {
		s.node.spawn(s.work)
	}
	if lost {
		s.node.warnPeer("subscriber is slow: it loses its oldest messages", "topic", s.name)
	}
}

// work handles the messages in the queue until the subscriber is closed.
func (s *Subscriber) work() {
	for range s.waiting.wake {
		for m, from := s.waiting.next(); m != nil; m, from = s.waiting.next() {
			s.handle(m.Head, from)
			m.Drop()
		}
	}
}

// add queues a message. begun reports whether the message is the first message ever in the queue. lost reports whether
// this call was the first to drop another message.
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

// take removes the oldest message from the queue and returns it. The caller holds mu.
func (q *queue) take() *tcpros.Message {
	m := q.items[q.first].m
	q.items[q.first] = waiting{}
	q.bytes -= cap(m.Head)
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return m
}

// next removes the oldest message from the queue and returns it. m is nil if the queue is empty.
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

// idle reports whether no message is in the queue and no message is being handled.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy && q.first == len(q.items)
}

// pace waits until the queue is no longer long, or until its subscriber counts as slow.
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
	signal(q.shorter) // wake the other connections that wait for the queue
}

// pressed reports whether a connection has to wait for the queue.
func (q *queue) pressed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.long() && !q.slow
}

// close closes the queue and drops all messages in it.
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

// signal puts a value into a channel of capacity 1. It does nothing if the channel already contains a value.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
