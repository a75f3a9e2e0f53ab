package ros1

import (
	"bytes"
	"context"

	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
)

// EncodedPublisher publishes messages that the caller encodes, of any definition.
type EncodedPublisher struct{ topic *topic }

// AdvertiseEncoded registers a publisher of topic with a message definition, which need not be one of the node's types. It fails on a
// topic that the node publishes already, and when the master does not answer.
func AdvertiseEncoded(n *Node, topic string, def *msgdef.Message, opts PubOptions) (*EncodedPublisher, error) {
	if opts.Queue == 0 {
		opts.Queue = defaultQueue
	}
	t, err := n.advertise(topic, def, opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &EncodedPublisher{t}, nil
}

// Publish sends what fill appends, followed by tail, to all subscribers, and returns at once. Where the message begins with a header, the
// publisher counts its seq. tail is not copied: it must stay unchanged until release is called, once, as an ImagePublisher's pixels must;
// release may be nil. Without subscribers, and not latched, it calls release alone.
func (p *EncodedPublisher) Publish(fill func(b []byte) []byte, tail []byte, release func()) {
	if p.topic.idle() {
		if release != nil {
			release()
		}
		return
	}
	f := p.topic.pool.get()
	f.head = fill(f.head)
	f.tail, f.release = tail, release
	p.topic.send(f)
}

// Topic returns the resolved name of the topic.
func (p *EncodedPublisher) Topic() string { return p.topic.name }

// Def returns the definition of the topic's messages.
func (p *EncodedPublisher) Def() *msgdef.Message { return p.topic.def }

// NumSubscribers returns the number of connected subscribers. It costs one atomic load.
func (p *EncodedPublisher) NumSubscribers() int { return int(p.topic.links.Load()) }

// Subscribers returns the names of the nodes that are connected, sorted.
func (p *EncodedPublisher) Subscribers() []string { return p.topic.subscribers() }

// Dropped returns how many messages were dropped because a subscriber was slow, all subscribers together.
func (p *EncodedPublisher) Dropped() int64 { return p.topic.droppedCount() }

// Close ends all connections and unregisters the topic, as a Publisher's does.
func (p *EncodedPublisher) Close() error { return p.topic.unadvertise() }

// SubscribeEncoded calls f with every message of topic, encoded; f must not keep the bytes. An error of f goes to the node's log. It fails
// when the master does not answer.
func SubscribeEncoded(n *Node, topic string, def *msgdef.Message, f func([]byte) error) (*Subscriber, error) {
	s, err := n.subscribe(topic, def, f)
	if err != nil {
		return nil, err
	}
	return &Subscriber{s}, nil
}

// ServeEncoded answers calls of a service with f, which gets an encoded request and appends the encoded response to out; an error of f goes
// to the caller as text. It fails as Serve does.
func ServeEncoded(n *Node, name string, def *msgdef.Service, f func(ctx context.Context, request, out []byte) ([]byte, error)) (*Service, error) {
	s, err := n.serveService(name, def, f)
	if err != nil {
		return nil, err
	}
	return &Service{s}, nil
}

// CallEncoded calls a service once with an encoded request, and returns the encoded response. It fails as Call does.
func CallEncoded(ctx context.Context, n *Node, name string, def *msgdef.Service, request []byte) ([]byte, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	c := &caller{node: n, name: full, def: def, once: true}
	defer c.close()
	response, err := c.call(ctx, func(b []byte) []byte { return append(b, request...) })
	if err != nil {
		return nil, n.errorf("service %s: %w", full, err)
	}
	return bytes.Clone(response), nil
}
