package wire

import (
	"context"
	"encoding/binary"
	"io"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Typed publishes messages of Go type T on a topic.
type Typed[T any] struct {
	Publisher
	codec *msg.Codec[T]
	latch bool

	mu  sync.Mutex
	buf []byte // the encoded message, until Publish has copied it
}

// Advertise makes a publisher of a topic. typ is the message type, such as sensor_msgs/Imu.
func Advertise[T any](n Node, topic, typ string, o PubOptions) (*Typed[T], error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, err
	}
	p, err := n.Advertise(topic, codec.Def(), o)
	if err != nil {
		return nil, err
	}
	return &Typed[T]{Publisher: p, codec: codec, latch: o.Latch}, nil
}

// Send sends m to all subscribers without waiting for them. The caller may change m afterwards. If nobody subscribes
// and the topic is not latched, Send does nothing.
func (p *Typed[T]) Send(m *T) {
	if !p.latch && p.NumSubscribers() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf = p.codec.Append(p.buf[:0], m)
	p.Publish(p.buf)
}

// SendLent is like Send, but does not copy the pixels of an image. More generally, the last field of m must be a byte
// array of variable length, and must be empty. SendLent sends the bytes tail in its place, which must stay unchanged
// until the function release has been called, as for Publisher.Fill. seq has the same meaning as there.
func (p *Typed[T]) SendLent(seq uint32, m *T, tail []byte, release func()) {
	p.Fill(seq, func(b []byte) []byte {
		b = p.codec.Append(b, m)
		binary.LittleEndian.PutUint32(b[len(b)-4:], uint32(len(tail)))
		return b
	}, tail, release)
}

// Subscribe calls f with each message of a topic, one message at a time. f may keep and change the message.
func Subscribe[T any](n Node, topic, typ string, f func(*T)) (Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, err
	}
	return n.Subscribe(topic, codec.Def(), codec.Handler(func() *T { return new(T) }, f))
}

// Serve offers a service of type typ and calls f for each request. If f returns nil without an error, the caller
// receives a response of zeros.
func Serve[Req, Resp any](n Node, name, typ string, f func(context.Context, *Req) (*Resp, error)) (io.Closer, error) {
	def, err := n.ServiceType(typ)
	if err != nil {
		return nil, err
	}
	codec, err := msg.CompileService[Req, Resp](def)
	if err != nil {
		return nil, err
	}
	return n.Serve(name, def, codec.Handler(f))
}

// messageCodec returns the codec of a message type of a node.
func messageCodec[T any](n Node, typ string) (*msg.Codec[T], error) {
	def, err := n.MessageType(typ)
	if err != nil {
		return nil, err
	}
	return msg.Compile[T](def)
}
