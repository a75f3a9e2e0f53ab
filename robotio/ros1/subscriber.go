package ros1

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/timesync"
)

// Subscriber receives the messages of a topic. All subscribers of a topic in one node use the same connections.
type Subscriber struct {
	node *Node
	name string
	def  *msg.Definition
	// open returns the function that handles the messages of a publisher. The argument of open is the header of the
	// publisher.
	open    func(tcpros.Header) (func([]byte) error, error)
	topic   *subscription
	calling sync.Mutex // locked while a message is handled
	over    atomic.Bool
	confirm atomic.Bool // see Subscriber.Confirm
	waiting queue

	onMismatch atomic.Pointer[func(*MismatchError)]
}

// Subscribe calls f with each message of a topic from all publishers, one message at a time. typ is the type of the
// messages. f may keep and change the message. If f is slow, the publishers drop their oldest messages. If the node has
// several subscribers of the topic, messages in the queue of this subscriber are dropped instead, oldest first. The
// subscriber follows publishers that appear, leave or restart. Subscribe returns an error in these cases: the node does
// not know the type, the Go type does not match it, the node subscribes to the topic with another type, or the master
// does not answer.
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
	return SubscribeAs(n, topic, codec.Def(), codec.Handler(make, f))
}

// Topic returns the resolved name of the topic.
func (s *Subscriber) Topic() string { return s.name }

// NumPublishers returns the number of publishers to which the subscriber is connected.
func (s *Subscriber) NumPublishers() int {
	n := 0
	for _, l := range s.topic.connections() {
		if l.serves(s) {
			n++
		}
	}
	return n
}

// SubscribeEach is like Subscribe, but with a separate callback for each publisher. When a publisher connects, the
// function open is called with the name of the publisher's node, and returns the callback for this publisher's
// messages.
func SubscribeEach[T any](n *Node, topic, typ string, open func(publisher string) func(*T)) (*Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	s := &Subscriber{node: n, name: topic, def: codec.Def()}
	s.open = func(theirs tcpros.Header) (func([]byte) error, error) {
		if err := s.accepts(theirs); err != nil {
			return nil, err
		}
		f := open(theirs["callerid"])
		return func(b []byte) error {
			m := new(T)
			if err := codec.Decode(b, m); err != nil {
				return err
			}
			f(m)
			return nil
		}, nil
	}
	return s.start()
}

// Confirm makes the subscriber ask its publishers whether they list the connections to it. The method Connections uses
// the answers.
func (s *Subscriber) Confirm() {
	s.confirm.Store(true)
	for _, l := range s.topic.connections() {
		if l.connected.Load() && !l.confirmed.Load() {
			s.node.spawn(func() { l.confirm(s.node.ctx) })
		}
	}
}

// Connections returns the connections to publishers. After a call of Confirm, it returns only the connections that the
// publishers themselves list. All messages that are published from now on arrive on these connections. Without Confirm
// this is not certain: rospy and roscpp answer the handshake of a connection some time before they begin to send
// messages on it.
func (s *Subscriber) Connections() (all []Connection) {
	for _, l := range s.topic.connections() {
		if node := l.node.Load(); node != nil && l.serves(s) && (l.confirmed.Load() || !s.confirm.Load()) {
			all = append(all, Connection{Node: *node, ID: l.id})
		}
	}
	return all
}

// Close closes the subscriber. If it is the node's last subscriber of the topic, Close also closes all connections and
// unregisters at the master. A callback that is running may still finish. If the master does not answer, Close returns
// an error, but the subscriber is closed anyway.
func (s *Subscriber) Close() error {
	if !s.topic.leave(s) {
		return nil
	}
	if err := s.topic.unregister(); err != nil {
		return s.node.errorf("topic %s: %w", s.name, err)
	}
	return nil
}

// start adds the subscriber to its node and registers it at the master.
func (s *Subscriber) start() (*Subscriber, error) {
	n := s.node
	full, err := n.resolve(s.name)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s.name = full
	if err = n.addSubscriber(s); err != nil {
		return nil, n.errorf("topic %s: %w", full, err)
	}
	if err = s.topic.register(); err != nil {
		s.topic.leave(s)
		_ = s.topic.unregister()
		return nil, n.errorf("topic %s: %w", full, err)
	}
	for _, l := range s.topic.connections() {
		if err := l.join(s); err != nil {
			if e, ok := errors.AsType[*MismatchError](err); ok {
				l.setMismatch(e)
			}
			n.warnPeer("publisher's messages are not a subscriber's", "topic", full, "publisher", l.uri, "error", err)
		}
	}
	return s, nil
}

// accepts returns nil if the messages of a publisher with the given header fit the subscriber. Otherwise it returns an
// error with the reason.
func (s *Subscriber) accepts(h tcpros.Header) error {
	return mismatch(s.name, s.def, h, nil)
}

// handle calls the callback with a message. It does nothing if the subscriber is closed.
func (s *Subscriber) handle(b []byte, from *outlet) {
	s.calling.Lock()
	defer s.calling.Unlock()
	if s.over.Load() {
		return
	}
	if err := from.handle(b); err != nil {
		s.node.warnPeer("message dropped", "topic", s.name, "publisher", from.link.uri, "error", err)
	}
}

// stop makes sure that the callback is not called any more.
func (s *Subscriber) stop() {
	s.over.Store(true)
	s.waiting.close()
}

// Source describes the publisher of a raw message.
type Source = wire.Source

// SubscribeRaw calls f with the bytes of each message of a topic from all publishers, one message at a time. The
// messages may have any type. f may only read the bytes, and only until f returns, because other subscribers read the
// same bytes. The definition of the type comes from the publisher's connection header. If it is missing there, the
// node's library must have the type. The subscriber follows publishers that appear, leave, restart or change their
// type. SubscribeRaw returns an error if the master does not answer.
func SubscribeRaw(n *Node, topic string, f func(from *Source, b []byte)) (*Subscriber, error) {
	s := &Subscriber{node: n, name: topic, def: anyMessage}
	s.open = func(theirs tcpros.Header) (func([]byte) error, error) {
		def, err := n.definition(theirs)
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", s.name, err)
		}
		from := &Source{Publisher: theirs["callerid"], Def: def, Latched: theirs["latching"] == "1"}
		return func(b []byte) error { f(from, b); return nil }, nil
	}
	return s.start()
}

// SubscribeAs calls f with the bytes of each message of a topic from publishers with the type def; otherwise it is like
// Subscribe. f may read the bytes until f returns. An error that f returns is logged. SubscribeAs returns an error if
// the node subscribes to the topic with another type, or if the master does not answer.
func SubscribeAs(n *Node, topic string, def *msg.Definition, f func(b []byte) error) (*Subscriber, error) {
	s := &Subscriber{node: n, name: topic, def: def}
	s.open = func(theirs tcpros.Header) (func([]byte) error, error) { return f, s.accepts(theirs) }
	return s.start()
}

// SubscribeOthers is like SubscribeAs, but leaves out messages that the node itself publishes.
func SubscribeOthers(n *Node, topic string, def *msg.Definition, f func(b []byte) error) (*Subscriber, error) {
	s := &Subscriber{node: n, name: topic, def: def}
	s.open = func(theirs tcpros.Header) (func([]byte) error, error) {
		if theirs["callerid"] == n.Name() {
			return func([]byte) error { return nil }, s.accepts(theirs)
		}
		return f, s.accepts(theirs)
	}
	return s.start()
}

// FollowClock makes a client follow the topic /clock until the returned subscriber is closed. It accepts times from any
// publisher, also earlier times, because time goes back when a simulation restarts.
func FollowClock(n *Node, c *timesync.Client) (*Subscriber, error) {
	return Subscribe(n, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) { c.Tick(m.Clock.Since()) })
}
