package ros2

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Subscriber receives the messages of a topic.
type Subscriber struct {
	entity
	def     *msg.Definition // nil: any
	writers *peers
	confirm atomic.Bool // see Subscriber.Confirm
	inbox   inbox
	wrong   mismatches
	ctx     context.Context // ends when the subscriber is closed
}

// Subscribe calls f with each message of a topic from all publishers, one message at a time. typ is the type of the
// messages. f may keep and change the message. The QoS is that of SubscriptionQoS. Subscribe returns an error if the
// topic's name is invalid, if the context does not know the type, or if the Go type does not match it.
func Subscribe[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	return subscribeTo(n, topic, typ, func() *T { return new(T) }, f)
}

// SubscribeLent is like Subscribe, but for large messages. f may use the message only until f returns. Then the next
// message is decoded into the same memory, so no garbage is made.
func SubscribeLent[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	m := new(T)
	return subscribeTo(n, topic, typ, func() *T { return m }, f)
}

// subscribeTo subscribes to a topic. The function make returns the variable for the next message.
func subscribeTo[T any](n *Node, topic, typ string, make func() *T, f func(*T)) (*Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	return SubscribeAs(n, topic, codec.Def(), SubscriptionQoS(topic), codec.Handler(make, f))
}

// SubscribeAs calls f with the bytes of each message of a topic from publishers with the type def, one message at a
// time. f may read the bytes until it returns. They begin with the encapsulation of CDR, and up to 3 bytes may follow
// the message. An error that f returns is logged. SubscribeAs returns an error if the topic's name or q is invalid, or
// if the definition is of ROS 1.
func SubscribeAs(n *Node, topic string, def *msg.Definition, q QoS, f func(b []byte) error) (*Subscriber, error) {
	s, err := newSubscriber(n, topic, def, q.Depth)
	if err != nil {
		return nil, err
	}
	err = s.read("rt", "", def, q, "", s.writers, func(b []byte, i rtps.Info) { s.inbox.put(b, i.GUID) })
	err = s.begin(err, func(e rtps.Endpoint, present bool) {
		if present {
			s.compare(&e, def)
		}
	}, func(m message) error { return f(m.b) })
	return s, err
}

// newSubscriber returns a subscriber without readers, for begin.
func newSubscriber(n *Node, topic string, def *msg.Definition, depth int) (*Subscriber, error) {
	full, err := n.resolve(topic)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s := &Subscriber{entity: entity{node: n, name: full}, def: def, writers: newPeers()}
	s.ctx, s.stop = context.WithCancel(n.c.ctx)
	s.inbox = inbox{c: n.c, depth: max(depth, 1), wake: make(chan struct{}, 1)}
	return s, nil
}

// begin adds the subscriber to its node, or closes it if err is not nil. The function publisher is called for each
// publisher of other participants that appears or disappears, of any type. f is called with each message.
func (s *Subscriber) begin(err error, publisher func(rtps.Endpoint, bool), f func(message) error) error {
	c, topic, cancel := s.node.c, "rt"+s.name, s.stop
	watcher := func(e rtps.Endpoint, present bool) {
		if !e.Writer {
			return
		}
		if !present {
			s.wrong.forget(e.GUID)
		}
		publisher(e, present)
	}
	s.stop = func() {
		cancel()
		c.graph.unwatch(topic, &watcher)
	}
	if err := s.start(err); err != nil {
		return err
	}
	c.graph.watch(topic, &watcher)
	if s.ctx.Err() != nil { // it was closed at the same time
		c.graph.unwatch(topic, &watcher)
	}
	c.spawn(func() {
		s.inbox.serve(s.ctx, func(m message) {
			if err := f(m); err != nil {
				c.warn("message dropped", "node", s.node.Name(), "topic", s.name, "error", err)
			}
		})
	})
	return nil
}

// NumPublishers returns the number of publishers whose messages the subscriber receives.
func (s *Subscriber) NumPublishers() int { return len(s.writers.list()) }

// Connections returns the connections to publishers, in the order in which they were found. After a call of Confirm, it
// leaves out publishers that do not know the subscriber yet.
func (s *Subscriber) Connections() []Connection {
	if rd := s.reader; rd != nil && s.confirm.Load() {
		return s.writers.settled(s.node.c.graph, rd.Known)
	}
	return s.writers.connections(s.node.c.graph)
}

// Dropped returns the number of messages dropped because the callback was slow.
func (s *Subscriber) Dropped() int64 { return s.inbox.dropped.Load() }

// inbox keeps the messages that wait for a callback. When it is full, it drops the oldest message.
type inbox struct {
	c       *Context
	depth   int
	wake    chan struct{}
	dropped atomic.Int64

	mu      sync.Mutex
	closed  bool
	waiting []message
	free    []byte // memory for a next message
}

// message is an encoded message and its writer.
type message struct {
	b    []byte
	from rtps.GUID
}

func (q *inbox) put(b []byte, from rtps.GUID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if len(q.waiting) >= q.depth {
		q.free = q.waiting[0].b
		q.c.release(len(q.free))
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		q.dropped.Add(1)
	}
	if !q.c.hold(len(b)) {
		q.dropped.Add(1)
		return
	}
	q.waiting = append(q.waiting, message{append(q.free[:0], b...), from})
	q.free = nil
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// serve calls f with each message until ctx ends.
func (q *inbox) serve(ctx context.Context, f func(message)) {
	for ctx.Err() == nil {
		if m, ok := q.take(); ok {
			f(m)
			q.mu.Lock()
			q.c.release(len(m.b))
			q.free = m.b
			q.mu.Unlock()
			continue
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range q.waiting {
		q.c.release(len(m.b))
	}
	q.closed, q.waiting = true, nil
}

func (q *inbox) take() (m message, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return m, false
	}
	m = q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return m, true
}
