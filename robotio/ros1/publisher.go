package ros1

import (
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// defaultQueue is a publisher's queue depth, messages per subscriber: a second of odometry at 10 Hz. A guess.
const defaultQueue = 10

// PubOptions configures a publisher.
type PubOptions struct {
	Queue int  // messages kept per subscriber while it is busy; 0 is 10, for images 2
	Latch bool // a new subscriber gets the last message at once
}

// Publisher publishes messages of Go type T on one topic.
type Publisher[T any] struct {
	*publication
	codec *msg.Codec[T]
}

// Advertise registers a publisher of topic, resolved as the node resolves names, with the message type typ, such
// as sensor_msgs/Imu. It fails on a type that the node does not know, on a Go type that does not match it, on a
// topic that the node publishes already, and when the master does not answer.
func Advertise[T any](n *Node, topic, typ string, opts PubOptions) (*Publisher[T], error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	if opts.Queue == 0 {
		opts.Queue = defaultQueue
	}
	t, err := n.advertise(topic, codec.Def(), opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &Publisher[T]{t, codec}, nil
}

// Publish sends m to all subscribers and waits for none; m may be changed afterwards. Where m begins with a
// header, the publisher counts its Seq. Without subscribers, and not latched, it does nothing.
func (p *Publisher[T]) Publish(m *T) {
	if p.idle() {
		return
	}
	f := p.pool.get()
	f.head = p.codec.Append(f.head, m)
	p.send(f)
}
