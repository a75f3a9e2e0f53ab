package rospeer

import (
	"bytes"
	"fmt"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros2"
)

// images is a kind: bgr8 images on several topics, TOPIC0, TOPIC1 and so on, which are published at the same time. If
// node is not nil, the topics are of ROS 2.
type images struct {
	topics   int
	node     *ros2.Node
	reliable bool // whether subscribers of ROS 2 ask for lost images; publishers always offer to send them again
}

// imagesOf returns the kind for images:TOPICS of ROS 1, and for ros2_images:TOPICS:DOMAIN and
// ros2_reliable_images:TOPICS:DOMAIN.
func (p *peer) imagesOf(name, size string) (k images, err error) {
	var domain int
	n, _ := fmt.Sscanf(size, "%d:%d", &k.topics, &domain)
	switch {
	case k.topics < 1 || k.topics > maxTopics:
		return k, console.BadInputf("type = %s:%s: number of topics must lie in [1, %d]", name, size, maxTopics)
	case name == "images" && n == 1:
		return k, nil
	case name != "ros2_images" && name != "ros2_reliable_images" || n != 2:
		return k, console.BadInputf("type = %s:%s: must be images:TOPICS, ros2_images:TOPICS:DOMAIN or "+
			"ros2_reliable_images:TOPICS:DOMAIN", name, size)
	}
	k.reliable = name == "ros2_reliable_images"
	if p.context == nil {
		if p.context, err = ros2.Open(ros2.Config{Domain: domain}); err != nil {
			return k, err
		}
		p.node2, err = p.context.NewNode("bench")
	}
	k.node = p.node2
	return k, err
}

func (p *peer) close() {
	if p.context != nil {
		_ = p.context.Close() // cannot fail
	}
}

const (
	maxTopics = 100 // a guess: more than a team's cameras
	imageType = "sensor_msgs/Image"
)

func (k images) publish(node *ros1.Node, topic string) (publishing, error) {
	var subscribers []func() int
	var sends []func(*msg.Image)
	for i := range k.topics {
		name := fmt.Sprint(topic, i)
		if k.node == nil {
			pub, err := ros1.AdvertiseImage(node, name, 0)
			if err != nil {
				return publishing{}, err
			}
			subscribers = append(subscribers, pub.NumSubscribers)
			sends = append(sends, func(m *msg.Image) { pub.Publish(m, nil) }) // fails only if the size is wrong
			continue
		}
		pub, err := ros2.Advertise[msg.Image](k.node, name, imageType, ros2.PubOptions{})
		if err != nil {
			return publishing{}, err
		}
		subscribers = append(subscribers, pub.NumSubscribers)
		sends = append(sends, func(m *msg.Image) { pub.PublishLent(m, func() {}) })
	}
	m := &msg.Image{Header: msg.Header{FrameID: "camera"}, Height: imageHeight, Width: imageWidth, Encoding: "bgr8",
		Step: 3 * imageWidth, Data: bytes.Repeat([]byte{7}, 3*imageWidth*imageHeight)}
	return publishing{func() int {
		least := subscribers[0]()
		for _, n := range subscribers {
			least = min(least, n())
		}
		return least
	}, func(now msg.Time) {
		m.Header.Stamp = now
		for _, send := range sends {
			send(m)
		}
	}, nil}, nil
}

func (k images) subscribe(node *ros1.Node, topic string, in *inbox) error {
	header := func(m *msg.Image) *msg.Header { return &m.Header }
	for i := range k.topics {
		name := fmt.Sprint(topic, i)
		if k.node == nil {
			if _, err := subscribe(in, node, name, imageType, header); err != nil {
				return err
			}
			continue
		}
		if err := k.subscribe2(name, in); err != nil {
			return err
		}
	}
	return nil
}

// subscribe2 subscribes to a topic of ROS 2.
func (k images) subscribe2(topic string, in *inbox) error {
	def, err := k.node.MessageType(imageType)
	if err != nil {
		return err
	}
	codec, err := msg.Compile[msg.Image](def)
	if err != nil {
		return err
	}
	var m msg.Image
	seq := uint32(0)
	q := ros2.SubscriptionQoS(topic)
	q.Reliable = k.reliable
	_, err = ros2.SubscribeAs(k.node, topic, def, q, func(b []byte) error {
		if err := codec.Decode(b, &m); err != nil {
			return err
		}
		in.receive(&m.Header, &seq)
		return nil
	})
	return err
}

func (images) relay(*ros1.Node, string) error { return fmt.Errorf("type images: must not be relayed") }
