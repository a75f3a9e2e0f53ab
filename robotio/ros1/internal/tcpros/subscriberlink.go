package tcpros

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// SubscriberLink is the connection of one subscriber to a topic that we publish. Its queue is a ring that drops the
// oldest message when it is full. One goroutine writes, and another goroutine notices when the subscriber closes the
// connection. If the queue is empty, the publishing goroutine writes as much of a large message as the socket accepts;
// see Claim.
type SubscriberLink struct {
	ID    int
	Topic string
	Node  string // name of the subscriber's node
	Conn  *net.TCPConn

	// numbers of sent messages, of sent bytes with the length fields, and of dropped messages
	Sent, Bytes, Dropped atomic.Int64

	sequencer atomic.Pointer[Sequencer] // nil if there is none

	mu      sync.Mutex
	ring    []*Message
	first   int  // index of the oldest message in ring
	n       int  // number of messages in ring
	writing bool // whether a message is being written
	closed  bool
	// message of which the publishing goroutine has written the beginning; the writing goroutine writes the rest
	partial *Message
	begun   int // number of bytes of partial already written

	wake chan struct{} // receives a value when there may be work
	gone chan struct{} // closed when the connection ends

	direct direct
	bufs   net.Buffers
	vec    [2][]byte

	acked int64 // bytes acknowledged at the last Check
	// last time at which acked changed or all bytes were acknowledged; only Check uses acked and moved
	moved   time.Time
	stalled atomic.Bool
}

// stallTime is the wall time after which a subscriber that acknowledges nothing counts as stalled. It is a guess:
// longer than any pause of a robot's program.
const stallTime = 2 * time.Second

// NewSubscriberLink returns a link with a queue of depth messages. It makes the kernel probe an idle subscriber.
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

// Check asks the kernel for the connection's state, and reports whether the subscriber's machine has not answered for
// LostTime. If the machine answers but the subscriber acknowledges nothing, it counts as stalled; see Stalled.
func (l *SubscriberLink) Check(now time.Time) (lost bool) {
	s := sending(l.Conn)
	l.record(s, now)
	return s.unanswered
}

// record determines from the state of the connection whether the subscriber is stalled, and stores the result.
func (l *SubscriberLink) record(s sendState, now time.Time) {
	if !s.waiting || s.acked != l.acked || l.moved.IsZero() {
		l.acked, l.moved = s.acked, now
	}
	since := now.Sub(l.moved)
	l.stalled.Store(since >= stallTime && s.quiet < since)
}

// Stalled reports whether the subscriber does not read the data sent to it.
func (l *SubscriberLink) Stalled() bool { return l.stalled.Load() }

// StalledSince returns the time at which a stalled subscriber stopped reading. Only the goroutine that calls Check may
// call it.
func (l *SubscriberLink) StalledSince() time.Time { return l.moved }

// Claim reports whether the caller may write a message itself, by calling Start. That is so if the queue is empty and
// there is no Sequencer.
func (l *SubscriberLink) Claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.writing || l.n > 0 || l.partial != nil || !l.direct.ok() || l.sequencer.Load() != nil {
		return false
	}
	l.writing = true
	return true
}

// Start writes as much of m as the socket accepts at once. It must be called after Claim has returned true. The writing
// goroutine writes the rest. Start takes over the caller's reference to m.
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
		l.Conn.Close() // both goroutines will notice
	case n == m.size():
		l.Sent.Add(1)
	}
	m.Drop()
}

// Send queues m, or passes it to the subscriber's Sequencer. It returns a message that the caller must drop, as Push
// does. It never blocks.
func (l *SubscriberLink) Send(m *Message) (drop *Message) {
	if s := l.sequencer.Load(); s != nil {
		return s.add(l, m)
	}
	return l.Push(m)
}

// Push queues m. It returns a message that the caller must drop: the oldest message if the queue was full, m itself if
// the connection has ended, else nil. It never blocks.
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

// signal wakes the writing goroutine.
func (l *SubscriberLink) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// pop removes and returns the oldest message, or nil. The caller holds mu.
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

// next returns the message that the writing goroutine must write, and the number of its bytes that have already been
// written. m is nil if there is no message.
func (l *SubscriberLink) next() (m *Message, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, begun = l.partial, l.begun; m != nil {
		l.partial, l.begun = nil, 0
	} else if !l.writing { // while the publishing goroutine is writing, wait: Start will signal
		m = l.pop()
	}
	l.writing = l.writing || m != nil
	return m, begun
}

// written marks a message as written, and drops it.
func (l *SubscriberLink) written(m *Message) {
	l.mu.Lock()
	l.writing = false
	l.mu.Unlock()
	m.Drop()
}

// write writes messages until the connection ends. Then it drops the queue.
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
	l.closed, l.writing = true, false // Start checks closed
	l.mu.Unlock()
	for m, _ := l.next(); m != nil; m, _ = l.next() {
		l.written(m)
	}
}

// writeRest writes the rest of a message. One system call writes head and tail, without copying them.
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

// watch returns when the subscriber closes the connection, or sends anything, which no subscriber does.
func (l *SubscriberLink) watch() {
	var b [1]byte
	_, _ = l.Conn.Read(b[:])
	close(l.gone)
	l.Conn.Close() // ends a blocked write
}

// Message is an encoded message for several subscribers, with a count of references.
type Message struct {
	Head    []byte // length and encoded bytes
	Tail    []byte // rest of the message, not copied
	Release func() // called when the last reference is dropped; may be nil
	refs    atomic.Int32
	home    *Pool
}

// size returns the number of bytes on the wire.
func (m *Message) size() int { return len(m.Head) + len(m.Tail) }

// Hold adds n references.
func (m *Message) Hold(n int) { m.refs.Add(int32(n)) }

// Drop drops one reference. With the last one, the message returns to its pool.
func (m *Message) Drop() {
	if m.refs.Add(-1) > 0 {
		return
	}
	release := m.Release
	m.Tail, m.Release = nil, nil
	m.home.put(m)
	if release != nil {
		release()
	}
}

// Pool keeps messages and their buffers for reuse. The zero value is empty.
type Pool struct {
	mu   sync.Mutex
	free []*Message
}

// maxFree is the maximum number of messages that are kept for reuse. It is the content of a few queues.
const maxFree = 64

// Get returns a message with one reference. Its head has four bytes, for the length.
func (p *Pool) Get() *Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var m *Message
	if n := len(p.free); n > 0 {
		m = p.free[n-1]
		p.free = p.free[:n-1]
		m.Head = m.Head[:4]
	} else {
		m = &Message{Head: make([]byte, 4, 256), home: p}
	}
	m.refs.Store(1)
	return m
}

func (p *Pool) put(m *Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, m)
	}
}
