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
	topic *topic
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
	if p.topic.idle() {
		return
	}
	f := p.topic.pool.get()
	f.head = p.codec.Append(f.head, m)
	p.topic.send(f)
}

// Topic returns the resolved name of the topic.
func (p *Publisher[T]) Topic() string { return p.topic.name }

// NumSubscribers returns the number of connected subscribers. It costs one atomic load.
func (p *Publisher[T]) NumSubscribers() int { return int(p.topic.links.Load()) }

// Peers lists the subscribers that are connected.
func (p *Publisher[T]) Peers() []Peer { return p.topic.connected() }

// Dropped returns how many messages were dropped because a subscriber was slow, all subscribers together.
func (p *Publisher[T]) Dropped() int64 { return p.topic.droppedCount() }

// Close ends all connections and unregisters the topic. Messages in queues are dropped. It fails when the master
// does not answer; the publisher is closed all the same.
func (p *Publisher[T]) Close() error { return p.topic.unadvertise() }
