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
	def     *msg.Definition
	writers *peers
	inbox   inbox
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
	return SubscribeAs(n, topic, codec.Def(), SubscriptionQoS(topic), func(b []byte) error {
		m := make()
		if err := codec.Decode(b, m); err != nil {
			return err
		}
		f(m)
		return nil
	})
}

// SubscribeAs calls f with the bytes of each message of a topic from publishers with the type def, one message at a
// time. f may read the bytes until it returns. They begin with the encapsulation of CDR, and up to 3 bytes may follow
// the message. An error that f returns is logged. SubscribeAs returns an error if the topic's name or q is invalid, or
// if the definition is of ROS 1.
func SubscribeAs(n *Node, topic string, def *msg.Definition, q QoS, f func(b []byte) error) (*Subscriber, error) {
	full, err := n.resolve(topic)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s := &Subscriber{entity: entity{node: n, name: full}, def: def, writers: newPeers()}
	ctx, stop := context.WithCancel(n.c.ctx)
	s.stop = stop
	s.inbox = inbox{c: n.c, depth: max(q.Depth, 1), wake: make(chan struct{}, 1)}
	err = s.read("rt", "", def, q, "", s.writers, func(b []byte, _ rtps.Info) { s.inbox.put(b) })
	if err := s.start(err); err != nil {
		return nil, err
	}
	n.c.spawn(func() {
		s.inbox.serve(ctx, func(b []byte) {
			if err := f(b); err != nil {
				n.c.warn("message dropped", "node", n.Name(), "topic", full, "error", err)
			}
		})
	})
	return s, nil
}

// NumPublishers returns the number of publishers whose messages the subscriber receives.
func (s *Subscriber) NumPublishers() int { return s.reader.NumMatched() }

// Connections returns the connections to publishers, in the order in which they were found.
func (s *Subscriber) Connections() []Connection { return s.writers.connections(s.node.c.graph) }

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
	waiting [][]byte
	free    []byte // memory for a next message
}

func (q *inbox) put(b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if len(q.waiting) >= q.depth {
		q.c.release(len(q.waiting[0]))
		q.free = q.waiting[0]
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		q.dropped.Add(1)
	}
	if !q.c.hold(len(b)) {
		q.dropped.Add(1)
		return
	}
	q.waiting = append(q.waiting, append(q.free[:0], b...))
	q.free = nil
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// serve calls f with each message until ctx ends.
func (q *inbox) serve(ctx context.Context, f func([]byte)) {
	for ctx.Err() == nil {
		if b := q.take(); b != nil {
			f(b)
			q.mu.Lock()
			q.c.release(len(b))
			q.free = b
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
	for _, b := range q.waiting {
		q.c.release(len(b))
	}
	q.closed, q.waiting = true, nil
}

func (q *inbox) take() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	b := q.waiting[0]
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	return b
}
