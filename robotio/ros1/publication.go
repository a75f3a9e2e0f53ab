package ros1

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// Connection is a connection to another node.
type Connection struct {
	Node string // the other node's name
	ID   int    // those made later have greater ones
}

// publication is one topic that a node publishes, whatever its Go type.
type publication struct {
	node  *Node
	name  string
	def   *msg.Definition
	queue int
	latch bool
	pool  tcpros.Pool

	subscribers atomic.Int32 // len(links), readable without the lock
	dropped     atomic.Int64 // on links that are over

	mu     sync.Mutex
	links  []*tcpros.SubscriberLink
	seq    uint32
	last   *tcpros.Message // the newest, where latched
	closed bool
}

// advertise registers a topic. It fails where the node publishes the topic already.
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

// directBytes is the least size of a tail that the publishing goroutine writes itself, as far as the socket takes it.
// To wake another goroutine costs an otherwise idle process 0.2 ms, as much as writing an image. Small messages, of
// which a fast simulation sends hundreds of thousands a second, would cost the publisher most of its speed.
const directBytes = 64 << 10

// maxQueue bounds a queue's depth. A guess, far above what a program asks for.
const maxQueue = 1 << 16

// idle says that a message published now would reach no subscriber, now or later.
func (t *publication) idle() bool { return t.subscribers.Load() == 0 && !t.latch }

// send publishes a message whose head and tail are complete, and takes over the caller's reference. A seq of 0 is
// counted.
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
	m.Hold(len(t.links) + 1) // one for latching
	// which this function writes to: one, so that the goroutines serve the others meanwhile
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
	// Outside the lock: the last reference calls the caller's release function.
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

// serve answers one subscriber until its connection ends.
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
	t.subscribers.Store(int32(len(t.links)))
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
	t.subscribers.Store(int32(len(t.links)))
	t.dropped.Add(l.Dropped.Load())
	t.mu.Unlock()
	l.Leave()
	t.node.log.Debug("ros node: subscriber left", "node", t.node.name, "topic", t.name, "peer", l.Node,
		"sent", l.Sent.Load(), "dropped", l.Dropped.Load())
}

// accepts says why the topic refuses a subscriber's header, in the words that rospy uses, or nil.
func (t *publication) accepts(h tcpros.Header) error {
	if !matches(h["md5sum"], t.def.MD5) || !matches(h["type"], t.def.Name) {
		return fmt.Errorf("Client [%s] wants topic %s to have datatype/md5sum [%s/%s], but our version has [%s/%s]. "+
			"Dropping connection.", //nolint:staticcheck // rospy's words
			h["callerid"], t.name, h["type"], h["md5sum"], t.def.Name, t.def.MD5)
	}
	return nil
}

// matches says whether a peer's md5 sum or type fits ours; a star fits everything.
func matches(theirs, ours string) bool { return theirs == "*" || theirs == ours }

// Topic returns the resolved name of the topic.
func (t *publication) Topic() string { return t.name }

// NumSubscribers returns the number of connected subscribers. It costs one atomic load.
func (t *publication) NumSubscribers() int { return int(t.subscribers.Load()) }

// Dropped returns how many messages were dropped because a subscriber was slow, all subscribers together, those that
// have left included.
func (t *publication) Dropped() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.dropped.Load()
	for _, l := range t.links {
		n += l.Dropped.Load()
	}
	return n
}

// Connections lists the connected subscribers, in the order in which they connected.
func (t *publication) Connections() []Connection {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Connection
	for _, l := range t.links {
		all = append(all, Connection{l.Node, l.ID})
	}
	return all
}

// Subscribers returns the names of the nodes that are connected, sorted.
func (t *publication) Subscribers() (nodes []string) {
	for _, c := range t.Connections() {
		nodes = append(nodes, c.Node)
	}
	slices.Sort(nodes)
	return nodes
}

// close ends every subscriber's connection and forgets the topic; unregistering is the caller's.
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

// Close ends all connections and unregisters the topic. Messages in queues are dropped. It fails when the master does
// not answer; the publisher is closed all the same.
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

// Sequence has a subscriber get the messages of topics of this node, by their resolved names, one at a time from now
// on, each when the one before is acknowledged; see tcpros.Sequencer. It takes the place of an earlier sequence.
func (n *Node) Sequence(subscriber string, topics []string) *tcpros.Sequencer {
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

// sequence has a link join its subscriber's sequencer, if it has one; the topic is locked.
func (n *Node) sequence(l *tcpros.SubscriberLink) {
	n.mu.Lock()
	s := n.sequencers[l.Node]
	n.mu.Unlock()
	if s != nil {
		s.Join(l)
	}
}
