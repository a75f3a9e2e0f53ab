package ros1

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// defaultQueue is a publisher's default queue depth, in messages per subscriber: a second of odometry at 10 Hz. A
// guess.
const defaultQueue = 10

// PubOptions configures a publisher.
type PubOptions struct {
	Queue int  // messages queued per subscriber; 0 is 10, for images 2
	Latch bool // new subscribers receive the last message at once
}

// Publisher publishes messages of Go type T on a topic.
type Publisher[T any] struct {
	*publication
	codec *msg.Codec[T]
}

// Advertise registers a publisher of topic with the message type typ, such as sensor_msgs/Imu. The topic is resolved as
// the node resolves names. Advertise fails if the node does not know the type, if the Go type does not match it, if the
// node already publishes the topic, and if the master does not answer.
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

// Publish sends m to all subscribers without waiting. The caller may change m afterwards. If m begins with a header,
// the publisher sets its Seq to a count. If nobody subscribes and the topic is not latched, Publish does nothing.
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

// AdvertiseRaw registers a publisher of encoded messages. def is their definition, from Node.MessageType, a Source, or
// package msg. It fails as Advertise does.
func AdvertiseRaw(n *Node, topic string, def *msg.Definition, opts PubOptions) (*RawPublisher, error) {
	if opts.Queue == 0 {
		opts.Queue = defaultQueue
	}
	t, err := n.advertise(topic, def, opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &RawPublisher{t}, nil
}

// Publish sends b, an encoded message, to all subscribers without waiting. The caller may change b afterwards. If the
// message begins with a header, the publisher sets its Seq to a count.
func (p *RawPublisher) Publish(b []byte) {
	if p.idle() {
		return
	}
	f := p.pool.Get()
	f.Head = append(f.Head, b...)
	p.send(f, 0)
}

// Fill sends a message that consists of the bytes that fill appends, and of tail. If seq is not 0, the header gets it.
// tail is not copied: it must stay unchanged until release is called, once, as for ImagePublisher.Publish. release may
// be nil.
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

// defaultImageQueue keeps latency low: one image is being sent and one waits. Measured in a prototype.
const defaultImageQueue = 2

// maxImage bounds the size of an image in bytes, because a message's length has 32 bits.
const maxImage = 1 << 31

// ImagePublisher publishes sensor_msgs/Image without copying pixels.
type ImagePublisher struct{ *publication }

// AdvertiseImage registers an image publisher. Queue 0 is 2 images per subscriber. It fails as Advertise does.
func AdvertiseImage(n *Node, topic string, queue int) (*ImagePublisher, error) {
	codec, err := messageCodec[msg.Image](n, "sensor_msgs/Image")
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	if queue == 0 {
		queue = defaultImageQueue
	}
	t, err := n.advertise(topic, codec.Def(), queue, false)
	if err != nil {
		return nil, err
	}
	return &ImagePublisher{t}, nil
}

// Publish sends m to all subscribers without waiting. To one idle connection it writes directly, as much as the socket
// accepts, which takes as long as a copy. Goroutines serve the other subscribers. m.Data, Height rows of Step bytes, is
// not copied otherwise. It must stay unchanged until release is called, once, from any goroutine and maybe before
// Publish returns: then no queue and no socket needs it. release may be nil and must not block. A subscriber holds at
// most queue + 1 images. A Seq of 0 is replaced by a count. Publish fails, and calls release at once, if the length of
// Data is not Height·Step.
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

// appendImageHeader appends all fields of an image but its pixels.
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
