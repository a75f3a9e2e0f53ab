package ros1

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Connection is a connection to a peer, which is another node.
type Connection = wire.Connection

// publication is the part of a publisher that does not depend on the Go type of the messages.
type publication struct {
	node  *Node
	name  string
	def   *msg.Definition
	queue int
	latch bool
	pool  tcpros.Pool

	subscribers atomic.Int32 // len(links), readable without the lock
	dropped     atomic.Int64 // number of messages dropped on connections that have been closed

	mu     sync.Mutex
	links  []*tcpros.SubscriberLink
	seq    uint32
	last   *tcpros.Message // the newest message, if the topic is latched
	closed bool
}

// advertise registers a topic at the master. It returns an error if the node already publishes the topic.
func (n *Node) advertise(name string, def *msg.Definition, queue int, latch bool) (*publication, error) {
	if queue < 0 || queue > maxQueue {
		return nil, n.errorf("topic %s: queue = %d: must be 0 (default) to %d", name, queue, maxQueue)
	}
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	t := &publication{node: n, name: full, def: def, queue: max(queue, 1), latch: latch}
	if err := add(n, &n.pubs, full, t, "publishes"); err != nil {
		return nil, n.errorf("topic %s: %w", full, err)
	}
	if _, err := n.callMaster(n.ctx, "registerPublisher", full, def.Name, n.uri); err != nil {
		t.close()
		return nil, n.errorf("topic %s: %w", full, err)
	}
	return t, nil
}

// directBytes is the minimum size of a tail, in bytes, that the publishing goroutine itself writes to the socket, as
// far as the socket accepts it. In an idle process, waking another goroutine costs 0.2 ms, as much as writing an image.
// Smaller messages are written by another goroutine, because there may be hundreds of thousands of them per second, and
// writing them would slow the publisher.
const directBytes = 64 << 10

// maxQueue is the maximum length of a queue in messages. It is a guess with a wide margin, far above what programs use.
const maxQueue = 1 << 16

// idle reports whether a message that is published at this moment will reach no subscriber.
func (t *publication) idle() bool { return t.subscribers.Load() == 0 && !t.latch }

// send publishes a message whose head and tail are complete. It takes over the caller's reference to the message. The
// sequence number in the header becomes seq or, if seq is 0, a count of messages.
func (t *publication) send(m *tcpros.Message, seq uint32) {
	le.PutUint32(m.Head, uint32(len(m.Head)-4+len(m.Tail)))
	var few [8]*tcpros.Message
	drop := few[:0]
	t.mu.Lock()
	if t.seq++; seq == 0 {
		seq = t.seq
	}
	if t.def.HasHeader() && len(m.Head) >= 8 {
		le.PutUint32(m.Head[4:], seq)
	}
	m.Hold(len(t.links) + 1) // one more reference for latching
	// the only link to which this function itself writes; goroutines write to the other links
	var mine *tcpros.SubscriberLink
	for _, l := range t.links {
		if mine == nil && len(m.Tail) >= directBytes && l.Claim() {
			mine = l
		} else if out := l.Send(m); out != nil {
			drop = append(drop, out)
		}
	}
	unlatched := m
	if t.latch && !t.closed {
		unlatched, t.last = t.last, m
	}
	t.mu.Unlock()
	// The lock is not held here, because dropping the last reference calls the caller's function release.
	for _, d := range drop {
		d.Drop()
	}
	if unlatched != nil {
		unlatched.Drop()
	}
	if mine != nil {
		mine.Start(m)
	}
	m.Drop()
}

// serve sends messages to one subscriber until its connection ends.
func (t *publication) serve(l *tcpros.SubscriberLink) {
	err := tcpros.Header{
		"callerid": t.node.name, "topic": t.name, "type": t.def.Name, "md5sum": t.def.MD5,
		"message_definition": t.def.Text, "latching": bit(t.latch),
	}.Write(l.Conn)
	if err != nil {
		return
	}
	_ = l.Conn.SetDeadline(time.Time{})
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.links = append(t.links, l)
	t.countLinks()
	t.node.sequence(l)
	if t.last != nil {
		t.last.Hold(1)
		l.Push(t.last)
	}
	t.mu.Unlock()
	t.node.log.Debug("ros node: subscriber connected", "node", t.node.name, "topic", t.name, "peer", l.Node)
	l.Run()
	t.mu.Lock()
	t.links = slices.DeleteFunc(t.links, func(o *tcpros.SubscriberLink) bool { return o == l })
	t.countLinks()
	t.dropped.Add(l.Dropped.Load())
	t.mu.Unlock()
	l.Leave()
	t.node.log.Debug("ros node: subscriber left", "node", t.node.name, "topic", t.name, "peer", l.Node,
		"sent", l.Sent.Load(), "dropped", l.Dropped.Load())
}

// countLinks sets the number of subscribers. The caller holds mu.
func (t *publication) countLinks() {
	t.subscribers.Store(int32(len(t.links)))
	t.node.subscriberChanges.Add(1)
}

// accepts returns nil if the topic accepts a subscriber with the given header. Otherwise it returns an error with the
// reason, in the words of rospy.
func (t *publication) accepts(h tcpros.Header) error {
	if !matches(h["md5sum"], t.def.MD5) || !matches(h["type"], t.def.Name) {
		return fmt.Errorf("Client [%s] wants topic %s to have datatype/md5sum [%s/%s], but our version has [%s/%s]. "+
			"Dropping connection.", //nolint:staticcheck // rospy's words
			h["callerid"], t.name, h["type"], h["md5sum"], t.def.Name, t.def.MD5)
	}
	return nil
}

// matches reports whether an MD5 sum or a type of the peer is the same as ours. A star matches everything.
func matches(theirs, ours string) bool { return theirs == "*" || theirs == ours }

// Topic returns the resolved name of the topic.
func (t *publication) Topic() string { return t.name }

// NumSubscribers returns the number of connected subscribers. It is fast: it costs one atomic load.
func (t *publication) NumSubscribers() int { return int(t.subscribers.Load()) }

// Dropped returns the number of messages dropped because subscribers were slow. It includes subscribers that have left.
func (t *publication) Dropped() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.dropped.Load()
	for _, l := range t.links {
		n += l.Dropped.Load()
	}
	return n
}

// Connections returns the connections to subscribers, in the order in which they were opened.
func (t *publication) Connections() []Connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Connection
	for _, l := range t.links {
		all = append(all, Connection{Node: l.Node, ID: l.ID})
	}
	return all
}

// Subscribers returns the names of the nodes that are connected as subscribers, sorted.
func (t *publication) Subscribers() (nodes []string) {
	for _, c := range t.Connections() {
		nodes = append(nodes, c.Node)
	}
	slices.Sort(nodes)
	return nodes
}

// close ends all connections and removes the topic from the node. The caller must unregister the topic at the master.
func (t *publication) close() {
	n := t.node
	n.mu.Lock()
	if n.pubs[t.name] == t {
		delete(n.pubs, t.name)
	}
	n.mu.Unlock()
	t.mu.Lock()
	t.closed = true
	last := t.last
	t.last = nil
	for _, l := range t.links {
		l.Conn.Close()
	}
	t.mu.Unlock()
	if last != nil {
		last.Drop()
	}
}

// Close ends all connections and unregisters the topic. Messages in the queues are dropped. If the master does not
// answer, Close returns an error, but the publisher is closed anyway.
func (t *publication) Close() error {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return nil
	}
	t.close()
	if _, err := t.node.callMaster(t.node.ctx, "unregisterPublisher", t.name, t.node.uri); err != nil {
		return t.node.errorf("topic %s: %w", t.name, err)
	}
	return nil
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Sequencer sends the messages of several topics to a subscriber one at a time; see Node.Sequence.
type Sequencer = tcpros.Sequencer

// Sequence makes the node send the messages of some topics, given by their resolved names, to a subscriber one at a
// time: it sends a message only after the preceding message has been acknowledged; see Sequencer. It replaces the
// earlier sequence of this subscriber, if there is one.
func (n *Node) Sequence(subscriber string, topics []string) *Sequencer {
	s := tcpros.NewSequencer(subscriber, topics)
	n.mu.Lock()
	before := n.sequencers[subscriber]
	n.sequencers[subscriber] = s
	n.mu.Unlock()
	if before != nil {
		before.Close()
	}
	pubs, _ := n.snapshot()
	for _, t := range pubs {
		t.mu.Lock()
		for _, l := range t.links {
			n.sequence(l)
		}
		t.mu.Unlock()
	}
	return s
}

// sequence adds a link to the sequencer of the link's subscriber, if the subscriber has a sequencer. The caller holds
// the lock of the topic.
func (n *Node) sequence(l *tcpros.SubscriberLink) {
	n.mu.Lock()
	s := n.sequencers[l.Node]
	n.mu.Unlock()
	if s != nil {
		s.Join(l)
	}
}
