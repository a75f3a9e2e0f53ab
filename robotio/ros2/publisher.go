package ros2

import (
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// publication is what all publishers have.
type publication struct {
	entity
	def     *msg.Definition
	latch   bool
	readers *peers
	dropped atomic.Int64

	mu  sync.Mutex
	buf []byte // the encoded message, until Write has copied it
}

func advertise(n *Node, topic string, def *msg.Definition, o PubOptions) (*publication, error) {
	full, err := n.resolve(topic)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	q := offered(o, full, def.Name)
	p := &publication{entity: entity{node: n, name: full}, def: def, latch: q.TransientLocal, readers: newPeers()}
	return p, p.start(p.write("rt", "", def, q, "", p.readers))
}

// NumSubscribers returns the number of subscribers that receive the messages.
func (p *publication) NumSubscribers() int { return p.writer.NumMatched() }

// Connections returns the connections to subscribers, in the order in which they were found.
func (p *publication) Connections() []Connection { return p.readers.connections(p.node.c.graph) }

// Subscribers returns the names of the nodes that receive the messages, sorted, one for each subscriber. Names that are
// unknown are left out.
func (p *publication) Subscribers() []string { return nodeNames(p.Connections()) }

// Dropped returns the number of messages dropped because too much memory was in use.
func (p *publication) Dropped() int64 { return p.dropped.Load() }

// Def returns the definition of the topic's messages.
func (p *publication) Def() *msg.Definition { return p.def }

// idle reports whether nobody needs a message.
func (p *publication) idle() bool { return !p.latch && p.writer.NumMatched() == 0 }

// send sends a message, and calls release if it could not be sent.
func (p *publication) send(o rtps.Outgoing) {
	if _, err := p.writer.Write(o); err != nil {
		if o.Release != nil {
			o.Release()
		}
		p.dropped.Add(1)
	}
}

// Publisher publishes messages of Go type T on a topic.
type Publisher[T any] struct {
	*publication
	codec *msg.Codec[T]
}

// Advertise makes a publisher of a topic. typ is the message type, such as sensor_msgs/Imu. Advertise returns an error
// if the topic's name is invalid, if the context does not know the type, or if the Go type does not match it.
func Advertise[T any](n *Node, topic, typ string, o PubOptions) (*Publisher[T], error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	p, err := advertise(n, topic, codec.Def(), o)
	if err != nil {
		return nil, err
	}
	return &Publisher[T]{p, codec}, nil
}

// Publish sends m to all subscribers without waiting for them. The caller may change m afterwards. If nobody subscribes
// and the topic is not latched, Publish does nothing.
func (p *Publisher[T]) Publish(m *T) {
	p.PublishLent(m, nil)
}

// PublishLent is like Publish, but does not copy the last byte array of variable length among the fields of m, such as
// the pixels of an Image. They must stay unchanged until the function release has been called. It is called once, from
// any goroutine and possibly before PublishLent returns. release must not block, nor call this package. If it is nil,
// the bytes are copied.
func (p *Publisher[T]) PublishLent(m *T, release func()) {
	if p.idle() {
		if release != nil {
			release()
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b, at, bulk := p.codec.AppendParts(p.buf[:0], m)
	p.buf = b
	p.send(rtps.Outgoing{Head: b[:at], Body: bulk, Tail: b[at:], Release: release})
}

// RawPublisher publishes encoded messages on a topic. They begin with the encapsulation of CDR.
type RawPublisher struct{ *publication }

// AdvertiseRaw makes a publisher of encoded messages. def is the definition of the messages. It comes from
// Node.MessageType, or from package msg. AdvertiseRaw returns an error if the topic's name is invalid, or if the
// definition is of ROS 1.
func AdvertiseRaw(n *Node, topic string, def *msg.Definition, o PubOptions) (*RawPublisher, error) {
	p, err := advertise(n, topic, def, o)
	if err != nil {
		return nil, err
	}
	return &RawPublisher{p}, nil
}

// Publish sends the encoded message b to all subscribers without waiting for them. The caller may change b afterwards.
func (p *RawPublisher) Publish(b []byte) {
	if !p.idle() {
		p.send(rtps.Outgoing{Head: b})
	}
}

// Fill sends a message. The message consists of the bytes that the function fill appends, followed by the bytes tail.
// Fill does not copy tail, so tail must stay unchanged until the function release has been called. release is called
// once, as for Publisher.PublishLent; if it is nil, tail is copied.
func (p *RawPublisher) Fill(fill func(b []byte) []byte, tail []byte, release func()) {
	if p.idle() {
		if release != nil {
			release()
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf = fill(p.buf[:0])
	p.send(rtps.Outgoing{Head: p.buf, Body: tail, Release: release})
}
