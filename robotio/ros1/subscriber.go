package ros1

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/timesync"
)

// Subscriber receives the messages of a topic. All subscribers of a topic in one node share its connections.
type Subscriber struct {
	node *Node
	name string
	def  *msg.Definition
	// open returns the handler of messages of a publisher with the given header.
	open    func(tcpros.Header) (func([]byte) error, error)
	topic   *subscription
	calling sync.Mutex // held while a message is handled
	over    atomic.Bool
	confirm atomic.Bool // see Subscriber.Confirm
	waiting queue

	onMismatch atomic.Pointer[func(*MismatchError)]
}

// Subscribe calls f with each message of topic, of type typ, from all publishers, one at a time. f owns the message. If
// f is slow, the publishers drop their oldest messages. If the node has several subscribers of the topic, f loses its
// own oldest messages instead. The subscriber follows publishers that appear, leave or restart. Subscribe fails if the
// node does not know the type, if the Go type does not match it, if the node subscribes to the topic with another type,
// and if the master does not answer.
func Subscribe[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	return subscribeTo(n, topic, typ, func() *T { return new(T) }, f)
}

// SubscribeLent is Subscribe for large messages: f may use the message until it returns. The next message is decoded
// into the same memory, without garbage.
func SubscribeLent[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	m := new(T)
	return subscribeTo(n, topic, typ, func() *T { return m }, f)
}

// subscribeTo subscribes. make returns the variable for the next message.
func subscribeTo[T any](n *Node, topic, typ string, make func() *T, f func(*T)) (*Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	return SubscribeAs(n, topic, codec.Def(), func(b []byte) error {
		m := make()
		if err := codec.Decode(b, m); err != nil {
			return err
		}
		f(m)
		return nil
	})
}

// Topic returns the resolved name of the topic.
func (s *Subscriber) Topic() string { return s.name }

// NumPublishers returns the number of publishers that the subscriber is connected to.
func (s *Subscriber) NumPublishers() int {
	n := 0
	for _, l := range s.topic.connections() {
		if l.serves(s) {
			n++
		}
	}
	return n
}

// SubscribeEach is Subscribe with a callback for each publisher: open is called with the name of each publisher that
// connects, and returns the callback for its messages.
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

// Confirm makes the subscriber ask publishers whether they list its connections, for Connections.
func (s *Subscriber) Confirm() {
	s.confirm.Store(true)
	for _, l := range s.topic.connections() {
		if l.connected.Load() && !l.confirmed.Load() {
			s.node.spawn(func() { l.confirm(s.node.ctx) })
		}
	}
}

// Connections returns the connected publishers; after Confirm, only those that list the connection themselves. All that
// these publish from now on arrives. rospy and roscpp answer the handshake of a connection before they send messages on
// it, and messages in between are lost.
func (s *Subscriber) Connections() (all []Connection) {
	for _, l := range s.topic.connections() {
		if node := l.node.Load(); node != nil && l.serves(s) && (l.confirmed.Load() || !s.confirm.Load()) {
			all = append(all, Connection{*node, l.id})
		}
	}
	return all
}

// Close closes the subscriber. The node's last subscriber of the topic also closes all connections and unregisters. A
// running callback may still finish. Close fails if the master does not answer, but the subscriber is closed anyway.
func (s *Subscriber) Close() error {
	if !s.topic.leave(s) {
		return nil
	}
	if err := s.topic.unregister(); err != nil {
		return s.node.errorf("topic %s: %w", s.name, err)
	}
	return nil
}

// start subscribes.
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

// accepts returns nil or the reason why messages of a publisher with this header do not fit the subscriber.
func (s *Subscriber) accepts(h tcpros.Header) error {
	return mismatch(s.name, s.def, h, nil)
}

// handle calls the callback with a message, unless the subscriber is closed.
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

// stop ends all later calls of the callback.
func (s *Subscriber) stop() {
	s.over.Store(true)
	s.waiting.close()
}

// Source describes the publisher of a raw message.
type Source struct {
	Publisher string          // name of the node
	Def       *msg.Definition // of its messages
	Latched   bool            // the publisher sends its last message to new subscribers
}

// SubscribeRaw calls f with the bytes of each message of topic, of any type, from all publishers, one at a time. f may
// read the bytes until it returns. Other subscribers read the same bytes. The type is in the publisher's connection
// header. If its definition is missing there, the node's library must have the type. The subscriber follows publishers
// that appear, leave, restart or change their type. SubscribeRaw fails if the master does not answer.
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

// SubscribeAs calls f with the bytes of each message of topic from publishers of type def, as Subscribe does. f may
// read them until it returns. An error of f is logged. SubscribeAs fails if the node subscribes to the topic with
// another type, and if the master does not answer.
func SubscribeAs(n *Node, topic string, def *msg.Definition, f func(b []byte) error) (*Subscriber, error) {
	s := &Subscriber{node: n, name: topic, def: def}
	s.open = func(theirs tcpros.Header) (func([]byte) error, error) { return f, s.accepts(theirs) }
	return s.start()
}

// SubscribeOthers is SubscribeAs without the messages that the node itself publishes.
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

// FollowClock makes a client follow /clock until the subscriber is closed. It follows any publisher: when a simulation
// restarts, time goes back.
func FollowClock(n *Node, c *timesync.Client) (*Subscriber, error) {
	return Subscribe(n, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) { c.Tick(m.Clock.Since()) })
}
