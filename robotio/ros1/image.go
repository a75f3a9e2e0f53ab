package ros1

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// defaultImageQueue keeps latency low: the frame on its way and the next. Measured in a prototype.
const defaultImageQueue = 2

// maxImage bounds an image's bytes: a message's length has 32 bits.
const maxImage = 1 << 31

// ImagePublisher publishes sensor_msgs/Image without copying pixels.
type ImagePublisher struct{ *publication }

// AdvertiseImage registers an image publisher; queue 0 is 2 frames per subscriber. It fails as Advertise does.
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
// most queue + 1 frames. It fails, and releases at once, where Data is not Height·Step bytes.
func (p *ImagePublisher) Publish(m *msg.Image, release func()) error {
	if size := uint64(m.Height) * uint64(m.Step); size != uint64(len(m.Data)) || size > maxImage {
		if release != nil {
			release()
		}
		return fmt.Errorf("image on %s: %d bytes: must be height %d × step %d = %d, at most %d", p.name, len(m.Data), m.Height, m.Step, size, maxImage)
	}
	if p.idle() {
		if release != nil {
			release()
		}
		return nil
	}
	f := p.pool.get()
	f.head = appendImageHeader(f.head, m)
	f.tail, f.release = m.Data, release
	p.send(f)
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
