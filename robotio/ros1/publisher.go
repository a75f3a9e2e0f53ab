package ros1

import (
	"fmt"

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
	f := p.pool.Get()
	f.Head = p.codec.Append(f.Head, m)
	p.send(f, 0)
}

// RawPublisher publishes encoded messages of one topic.
type RawPublisher struct{ *publication }

// AdvertiseRaw registers a publisher of topic whose messages are encoded already; def is their definition and
// comes from Node.MessageType, from a Source, or from package msg. It fails as Advertise does.
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

// Publish sends b, one encoded message, to all subscribers and returns at once; b may be changed afterwards. b is not
// decoded, but where the message begins with a header the publisher counts its Seq.
func (p *RawPublisher) Publish(b []byte) {
	if p.idle() {
		return
	}
	f := p.pool.Get()
	f.Head = append(f.Head, b...)
	p.send(f, 0)
}

// Fill sends what fill appends, followed by tail, as Publish sends its message; the header gets seq, unless that is 0.
// tail is not copied: it must stay unchanged until release is called, once, as an ImagePublisher's pixels must; release
// may be nil.
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

// defaultImageQueue keeps latency low: the image on its way and the next. Measured in a prototype.
const defaultImageQueue = 2

// maxImage bounds an image's bytes: a message's length has 32 bits.
const maxImage = 1 << 31

// ImagePublisher publishes sensor_msgs/Image without copying pixels.
type ImagePublisher struct{ *publication }

// AdvertiseImage registers an image publisher; queue 0 is 2 images per subscriber. It fails as Advertise does.
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

// Publish sends m to all subscribers and waits for none: to one whose connection is idle it writes what the socket
// takes, which costs the time of a copy; goroutines serve the others. m.Data, Height rows of Step bytes, is not copied
// otherwise: it must stay unchanged until release is called, once, when no queue and no socket holds it any more; that
// may be before Publish returns, and from any goroutine. release may be nil and must not wait. A subscriber holds at
// most queue + 1 images. The publisher counts a Seq of 0. It fails, and releases at once, where Data is not Height·Step
// bytes.
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

// appendImageHeader appends everything of an image but its pixels: sensor_msgs/Image's fields in order.
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
