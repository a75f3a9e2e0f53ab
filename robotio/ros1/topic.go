package ros1

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// publication is one topic that a node publishes, whatever its Go type.
type publication struct {
	node  *Node
	name  string
	def   *msg.Definition
	queue int
	latch bool
	pool  framePool

	links   atomic.Int32 // len(peers), for those who must not wait
	dropped atomic.Int64 // on links that are over

	mu     sync.Mutex
	peers  []*link
	seq    uint32
	last   *frame // the newest, where latched
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
	n.mu.Lock()
	_, taken := n.pubs[full]
	closed := n.closed
	if !taken && !closed {
		n.pubs[full] = t
	}
	n.mu.Unlock()
	switch {
	case closed:
		return nil, n.errorf("topic %s: %w", full, net.ErrClosed)
	case taken:
		return nil, n.errorf("topic %s: this node publishes it already", full)
	}
	if _, err := n.callMaster(n.ctx, "registerPublisher", full, def.Name, n.uri); err != nil {
		t.close()
		return nil, n.errorf("topic %s: %w", full, err)
	}
	return t, nil
}

// directBytes is from where on a frame's tail is written by who publishes it, as far as the socket takes it. To wake a goroutine, and
// what Go's scheduler does about that, costs a process that is otherwise idle 0.2 ms, as much as writing an image; an image has cost many times
// that to draw. Small messages, of which a fast simulation sends hundreds of thousands a second, would cost it most of its speed.
const directBytes = 64 << 10

// maxQueue bounds a queue's depth. A guess: more is a recorder's job.
const maxQueue = 1 << 16

// idle says that a message published now would reach nobody, now or later.
func (t *publication) idle() bool { return t.links.Load() == 0 && !t.latch }

// send publishes a frame whose head and tail are complete, and gives up the caller's hold on it.
func (t *publication) send(f *frame) {
	le.PutUint32(f.head, uint32(len(f.head)-4+len(f.tail)))
	var few [8]*frame
	drop := few[:0]
	t.mu.Lock()
	if t.seq++; t.def.HasHeader() && len(f.head) >= 8 {
		le.PutUint32(f.head[4:], t.seq)
	}
	f.refs.Store(int32(len(t.peers)) + 2) // one for latching, one for this function
	var mine *link                        // which this function writes to: one, so that the goroutines serve the others meanwhile
	for _, l := range t.peers {
		turns := l.turns.Load()
		if turns == nil && mine == nil && len(f.tail) >= directBytes && l.claim() {
			mine = l
			continue
		}
		out := f
		if turns == nil {
			out = l.push(f)
		} else {
			out = turns.add(l, f)
		}
		if out != nil {
			drop = append(drop, out)
		}
	}
	unlatched := f
	if t.latch && !t.closed {
		unlatched, t.last = t.last, f
	}
	t.mu.Unlock()
	// Outside the lock: the last drop calls the caller's release function.
	for _, d := range drop {
		d.drop()
	}
	if unlatched != nil {
		unlatched.drop()
	}
	if mine != nil {
		mine.start(f)
	}
	f.drop()
}

// serve answers one subscriber until its connection ends.
func (t *publication) serve(l *link) {
	err := header{
		"callerid": t.node.name, "topic": t.name, "type": t.def.Name, "md5sum": t.def.MD5,
		"message_definition": t.def.Text, "latching": bit(t.latch),
	}.writeTo(l.conn)
	if err != nil {
		return
	}
	_ = l.conn.SetDeadline(time.Time{})
	l.topic = t.name
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.peers = append(t.peers, l)
	t.links.Store(int32(len(t.peers)))
	t.node.enterTurns(l)
	if t.last != nil {
		t.last.refs.Add(1)
		l.push(t.last)
	}
	t.mu.Unlock()
	t.node.log.Debug("ros node: subscriber connected", "node", t.node.name, "topic", t.name, "peer", l.peer)

	watched := make(chan struct{})
	go func() {
		defer close(watched)
		l.watch()
	}()
	l.write()
	l.conn.Close()
	<-watched

	t.mu.Lock()
	t.peers = slices.DeleteFunc(t.peers, func(p *link) bool { return p == l })
	t.links.Store(int32(len(t.peers)))
	t.dropped.Add(l.dropped.Load())
	t.mu.Unlock()
	if turns := l.turns.Load(); turns != nil {
		turns.leave(l)
	}
	t.node.log.Debug("ros node: subscriber left", "node", t.node.name, "topic", t.name, "peer", l.peer,
		"sent", l.sent.Load(), "dropped", l.dropped.Load())
}

// accepts says why the topic refuses a subscriber's header, in the words that rospy uses, or nil.
func (t *publication) accepts(h header) error {
	if !matches(h["md5sum"], t.def.MD5) || !matches(h["type"], t.def.Name) {
		return fmt.Errorf("Client [%s] wants topic %s to have datatype/md5sum [%s/%s], but our version has [%s/%s]. Dropping connection.", //nolint:staticcheck // rospy's words
			h["callerid"], t.name, h["type"], h["md5sum"], t.def.Name, t.def.MD5)
	}
	return nil
}

// matches says whether a peer's md5 sum or type fits ours; a star fits everything.
func matches(theirs, ours string) bool { return theirs == "*" || theirs == ours }

// Topic returns the resolved name of the topic.
func (t *publication) Topic() string { return t.name }

// NumSubscribers returns the number of connected subscribers. It costs one atomic load.
func (t *publication) NumSubscribers() int { return int(t.links.Load()) }

// Dropped returns how many messages were dropped because a subscriber was slow, all subscribers together, those that
// have left included.
func (t *publication) Dropped() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.dropped.Load()
	for _, l := range t.peers {
		n += l.dropped.Load()
	}
	return n
}

// subscribers lists the names of the nodes that are connected, sorted.
func (t *publication) subscribers() []string {
	var names []string
	for _, p := range t.Peers() {
		names = append(names, p.Node)
	}
	slices.Sort(names)
	return names
}

// Peers lists the connected subscribers, in the order in which they connected.
func (t *publication) Peers() []Peer {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Peer
	for _, l := range t.peers {
		all = append(all, Peer{l.peer, l.id})
	}
	return all
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
	for _, l := range t.peers {
		l.conn.Close()
	}
	t.mu.Unlock()
	if last != nil {
		last.drop()
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
