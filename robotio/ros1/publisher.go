package ros1

import (
	"cmp"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// defaultQueue is the default length of a publisher's queue, in messages for each subscriber. 10 is a guess: one second
// of odometry at 10 Hz.
const defaultQueue = 10

// PubOptions configures a publisher. If Queue is 0, a subscriber's queue has space for 10 messages, or for 2 images.
type PubOptions = wire.PubOptions

// Publisher publishes messages of Go type T on a topic.
type Publisher[T any] struct {
	*publication
	codec *msg.Codec[T]
}

// Advertise registers a publisher of a topic. typ is the message type, such as sensor_msgs/Imu. The topic is resolved
// in the same way as other names of the node. Advertise returns an error in these cases: the node does not know the
// type, the Go type does not match it, the node already publishes the topic, or the master does not answer.
func Advertise[T any](n *Node, topic, typ string, opts PubOptions) (*Publisher[T], error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	opts.Queue = cmp.Or(opts.Queue, defaultQueue)
	t, err := n.advertise(topic, codec.Def(), opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &Publisher[T]{t, codec}, nil
}

// Publish sends m to all subscribers without waiting for them. The caller may change m afterwards. If m begins with a
// header, the publisher sets Seq in the header to a count of messages. If nobody subscribes and the topic is not
// latched, Publish does nothing.
func (p *Publisher[T]) Publish(m *T) {
	if p.idle() {
		return
	}
	f := p.pool.Get()
	f.Head = p.codec.Append(f.Head, m)
	p.send(f, 0)
}

// RawPublisher publishes encoded messages on a topic.
type RawPublisher struct{ *publication }

// AdvertiseRaw registers a publisher of encoded messages. def is the definition of the messages. It comes from
// Node.MessageType, from a Source, or from package msg. AdvertiseRaw returns an error in the same cases as Advertise.
func AdvertiseRaw(n *Node, topic string, def *msg.Definition, opts PubOptions) (*RawPublisher, error) {
	opts.Queue = cmp.Or(opts.Queue, defaultQueue)
	t, err := n.advertise(topic, def, opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &RawPublisher{t}, nil
}

// Publish sends the encoded message b to all subscribers without waiting for them. The caller may change b afterwards.
// If the message begins with a header, the publisher sets Seq in the header to a count of messages.
func (p *RawPublisher) Publish(b []byte) {
	if p.idle() {
		return
	}
	f := p.pool.Get()
	f.Head = append(f.Head, b...)
	p.send(f, 0)
}

// Fill sends a message. The message consists of the bytes that the function fill appends, followed by the bytes tail.
// If seq is not 0, it becomes the Seq of the header. Fill does not copy tail, so tail must stay unchanged until the
// function release has been called. release is called once, as for ImagePublisher.Publish, and may be nil.
func (p *RawPublisher) Fill(seq uint32, fill func(b []byte) []byte, tail []byte, release func()) {
	if p.idle() {
		if release != nil {
			release()
		}
		return
	}
	f := p.pool.Get()
	f.Head = fill(f.Head)
	f.Tail, f.Release = tail, release
	p.send(f, seq)
}

// Def returns the definition of the topic's messages.
func (p *RawPublisher) Def() *msg.Definition { return p.def }

// defaultImageQueue is the default length of an image publisher's queue: one image is being sent and one waits. A short
// queue keeps the latency low. Measured in a prototype.
const defaultImageQueue = 2

// maxImage is the maximum size of an image in bytes. The limit is needed because the length of a message has 32 bits.
const maxImage = 1 << 31

// ImagePublisher publishes sensor_msgs/Image without copying pixels.
type ImagePublisher struct{ *publication }

// AdvertiseImage registers a publisher of images. If queue is 0, the queue has space for 2 images for each subscriber.
// AdvertiseImage returns an error in the same cases as Advertise.
func AdvertiseImage(n *Node, topic string, queue int) (*ImagePublisher, error) {
	codec, err := messageCodec[msg.Image](n, "sensor_msgs/Image")
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	queue = cmp.Or(queue, defaultImageQueue)
	t, err := n.advertise(topic, codec.Def(), queue, false)
	if err != nil {
		return nil, err
	}
	return &ImagePublisher{t}, nil
}

// Publish sends m to all subscribers without waiting for them. If a connection is idle, Publish itself writes as many
// bytes to it as the socket accepts, which takes as long as a copy. It does so for only one connection. Goroutines
// write to all other connections. Publish does not copy m.Data, which has Height rows of Step bytes. So m.Data must
// stay unchanged until the function release has been called. It is called once, when no queue and no socket needs the
// data any more, from any goroutine and possibly before Publish returns. release may be nil and must not block. A
// subscriber keeps at most queue + 1 images. If m.Header.Seq is 0, a count of messages replaces it. If the length of
// Data is not Height·Step, Publish calls release at once and returns an error.
func (p *ImagePublisher) Publish(m *msg.Image, release func()) error {
	if size := uint64(m.Height) * uint64(m.Step); size != uint64(len(m.Data)) || size > maxImage {
		if release != nil {
			release()
		}
		return fmt.Errorf("image on %s: %d bytes: must be height %d × step %d = %d, at most %d", p.name, len(m.Data),
			m.Height, m.Step, size, maxImage)
	}
	if p.idle() {
		if release != nil {
			release()
		}
		return nil
	}
	f := p.pool.Get()
	f.Head = appendImageHeader(f.Head, m)
	f.Tail, f.Release = m.Data, release
	p.send(f, m.Header.Seq)
	return nil
}

// appendImageHeader appends all fields of an image except the pixels.
func appendImageHeader(b []byte, m *msg.Image) []byte {
	b = le.AppendUint32(b, m.Header.Seq)
	b = le.AppendUint32(b, m.Header.Stamp.Sec)
	b = le.AppendUint32(b, m.Header.Stamp.Nsec)
	b = le.AppendUint32(b, uint32(len(m.Header.FrameID)))
	b = append(b, m.Header.FrameID...)
	b = le.AppendUint32(b, m.Height)
	b = le.AppendUint32(b, m.Width)
	b = le.AppendUint32(b, uint32(len(m.Encoding)))
	b = append(b, m.Encoding...)
	b = append(b, m.IsBigendian)
	b = le.AppendUint32(b, m.Step)
	return le.AppendUint32(b, uint32(len(m.Data)))
}
