package tcpros

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// SubscriberLink is the connection of one subscriber to a topic that we publish. Its queue is a ring of messages that
// drops the oldest when full. One goroutine writes, one notices that the subscriber has closed. A large message that
// finds the queue empty is written by its publisher as far as the socket takes it; see Claim.
type SubscriberLink struct {
	ID    int
	Topic string
	Node  string // the subscriber's name
	Conn  *net.TCPConn

	Sent, Bytes, Dropped atomic.Int64 // messages, bytes with lengths, messages

	sequencer atomic.Pointer[Sequencer] // nil without

	mu      sync.Mutex
	ring    []*Message
	first   int  // index of the oldest message in ring
	n       int  // messages in ring
	writing bool // a message is being written
	closed  bool
	partial *Message // begun by its publisher; the goroutine writes the rest
	begun   int      // bytes of partial that are written

	wake chan struct{} // holds one token when there may be work
	gone chan struct{} // closed when the connection is over

	direct direct
	bufs   net.Buffers
	vec    [2][]byte

	acked   int64     // bytes that the subscriber had acknowledged at the last Check
	moved   time.Time // when that changed, or nothing waited; both are Check's
	stalled atomic.Bool
}

// stallTime is how long a subscriber may acknowledge nothing of what waits for it before it counts as stalled. Wall
// time; a guess, above any pause of a robot's program.
const stallTime = 2 * time.Second

// NewSubscriberLink returns a link with a queue of depth messages. It has the kernel probe an idle subscriber.
func NewSubscriberLink(id int, topic, node string, conn *net.TCPConn, depth int) *SubscriberLink {
	l := &SubscriberLink{ID: id, Topic: topic, Node: node, Conn: conn, ring: make([]*Message, depth),
		wake: make(chan struct{}, 1), gone: make(chan struct{})}
	l.direct.open(conn)
	return l
}

// Run writes messages until the connection ends, and closes it.
func (l *SubscriberLink) Run() {
	_ = l.Conn.SetKeepAliveConfig(keepProbing)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		l.watch()
	}()
	l.write()
	l.Conn.Close()
	<-watched
}

// Check asks the kernel how far the connection is, and returns whether the subscriber's machine has not answered for
// LostTime. One that acknowledges nothing while its machine does answer is stalled from then on; see Stalled.
func (l *SubscriberLink) Check(now time.Time) (lost bool) {
	s := sending(l.Conn)
	l.note(s, now)
	return s.unanswered
}

func (l *SubscriberLink) note(s sendState, now time.Time) {
	if !s.waiting || s.acked != l.acked || l.moved.IsZero() {
		l.acked, l.moved = s.acked, now
	}
	since := now.Sub(l.moved)
	l.stalled.Store(since >= stallTime && s.quiet < since)
}

// Stalled says whether the subscriber takes nothing of what waits for it.
func (l *SubscriberLink) Stalled() bool { return l.stalled.Load() }

// StalledSince returns since when a stalled subscriber takes nothing, for the goroutine that calls Check.
func (l *SubscriberLink) StalledSince() time.Time { return l.moved }

// Claim says whether the caller is to write a message itself, by Start: no other is before it, and no Sequencer orders
// them.
func (l *SubscriberLink) Claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.writing || l.n > 0 || l.partial != nil || !l.direct.ok() || l.sequencer.Load() != nil {
		return false
	}
	l.writing = true
	return true
}

// Start writes as much of m as the socket takes at once, after Claim, and leaves the rest to the goroutine. It takes
// over the caller's reference.
func (l *SubscriberLink) Start(m *Message) {
	n, err := l.direct.write(m)
	l.Bytes.Add(int64(n))
	l.mu.Lock()
	l.writing = false
	left := err == nil && n < m.size() && !l.closed
	if left {
		l.partial, l.begun = m, n
	}
	if left || l.n > 0 {
		l.signal()
	}
	l.mu.Unlock()
	switch {
	case left:
		return
	case err != nil:
		l.Conn.Close() // which both goroutines will notice
	case n == m.size():
		l.Sent.Add(1)
	}
	m.Drop()
}

// Send queues m, or hands it to the Sequencer that orders the subscriber's messages. It returns the message that the
// caller is to drop, as Push does, and never waits.
func (l *SubscriberLink) Send(m *Message) (drop *Message) {
	if s := l.sequencer.Load(); s != nil {
		return s.add(l, m)
	}
	return l.Push(m)
}

// Push queues m and returns the message that the caller is to drop: the oldest of a full queue, m itself where the
// connection is over, or nil. It never waits.
func (l *SubscriberLink) Push(m *Message) (drop *Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return m
	}
	if l.n == len(l.ring) {
		drop = l.pop()
		l.Dropped.Add(1)
	}
	l.ring[(l.first+l.n)%len(l.ring)] = m
	l.n++
	if !l.writing {
		l.signal()
	}
	return drop
}

// signal lets the goroutine look for work.
func (l *SubscriberLink) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// pop returns the oldest message, or nil; the caller holds mu.
func (l *SubscriberLink) pop() *Message {
	if l.n == 0 {
		return nil
	}
	m := l.ring[l.first]
	l.ring[l.first] = nil
	l.first = (l.first + 1) % len(l.ring)
	l.n--
	return m
}

// next returns what the goroutine is to write and how many bytes of it are written, or nil.
func (l *SubscriberLink) next() (m *Message, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, begun = l.partial, l.begun; m != nil {
		l.partial, l.begun = nil, 0
	} else if !l.writing { // else Start signals
		m = l.pop()
	}
	l.writing = l.writing || m != nil
	return m, begun
}

// written notes that the goroutine has finished a message, and drops it.
func (l *SubscriberLink) written(m *Message) {
	l.mu.Lock()
	l.writing = false
	l.mu.Unlock()
	m.Drop()
}

// write writes messages until the connection ends, then drops what is queued.
func (l *SubscriberLink) write() {
	for {
		m, begun := l.next()
		if m == nil {
			select {
			case <-l.wake:
				continue
			case <-l.gone:
			}
			break
		}
		err := l.writeRest(m, begun)
		l.written(m)
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	l.closed, l.writing = true, false // Start looks at closed
	l.mu.Unlock()
	for m, _ := l.next(); m != nil; m, _ = l.next() {
		l.written(m)
	}
}

// writeRest writes a message but for the bytes that are written: head and tail by one system call, neither copied in
// this process.
func (l *SubscriberLink) writeRest(m *Message, begun int) error {
	l.vec[0], l.vec[1] = m.Head[min(begun, len(m.Head)):], m.Tail[max(begun-len(m.Head), 0):]
	l.bufs = l.vec[:]
	n, err := l.bufs.WriteTo(l.Conn)
	l.vec[0], l.vec[1] = nil, nil
	l.Bytes.Add(n)
	if err == nil {
		l.Sent.Add(1)
	}
	return err
}

// watch returns when the subscriber has closed the connection or sent anything, which no subscriber does.
func (l *SubscriberLink) watch() {
	var b [1]byte
	_, _ = l.Conn.Read(b[:])
	close(l.gone)
	l.Conn.Close() // ends write where it waits
}
