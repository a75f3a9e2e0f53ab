package rospeer

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// kind is a type of messages that peers exchange.
type kind interface {
	publish(node *ros1.Node, topic string) (publishing, error)
	subscribe(node *ros1.Node, topic string, in *inbox) error
	relay(node *ros1.Node, topic string) error // republishes a topic's messages unchanged on the topic RelayOf(topic)
}

// RelayOf returns the topic on which a relay republishes a topic.
func RelayOf(topic string) string { return topic + "_relayed" }

// Defaults: images have 640 × 480 pixels, trajectories 20 joints, as small humanoids have. Types can override them:
// image:1280x960, trajectory:2.
const (
	imageWidth, imageHeight = 640, 480
	joints                  = 20
)

// kindOf returns the kind of messages that the type of a role names.
func kindOf(typ string) (kind, error) {
	name, size, sized := strings.Cut(typ, ":")
	switch {
	case name == "image":
		width, height := imageWidth, imageHeight
		if n, err := fmt.Sscanf(size, "%dx%d", &width, &height); sized && (err != nil || n != 2 || width < 1 ||
			height < 1) {
			return nil, console.BadInputf("type = %q: must give a size as 640x480", typ)
		}
		return image{width, height}, nil
	case name == "odometry" && !sized:
		return messages[msg.OdoInfo]{"nubot_common/OdoInfo", func(m *msg.OdoInfo) *msg.Header { return &m.Header },
			msg.OdoInfo{}}, nil
	case name == "imu" && !sized:
		return messages[msg.Imu]{"sensor_msgs/Imu", func(m *msg.Imu) *msg.Header { return &m.Header }, msg.Imu{}}, nil
	case name == "trajectory":
		n := joints
		if sized {
			var err error
			if n, err = strconv.Atoi(size); err != nil || n < 1 || n > 10000 {
				return nil, console.BadInputf("type = %q: must give a number of joints in [1, 10000]", typ)
			}
		}
		return messages[msg.JointTrajectory]{"trajectory_msgs/JointTrajectory",
			func(m *msg.JointTrajectory) *msg.Header { return &m.Header }, goals(n)}, nil
	}
	return nil, console.BadInputf("type = %q: must be image, odometry, imu or trajectory", typ)
}

// goals returns a trajectory of one point, like the joint positions that a walking robot is told to reach.
func goals(joints int) msg.JointTrajectory {
	m := msg.JointTrajectory{Points: make([]msg.JointTrajectoryPoint, 1)}
	for i := range joints {
		m.JointNames = append(m.JointNames, fmt.Sprintf("joint%d", i))
		at := &m.Points[0]
		at.Positions, at.Velocities = append(at.Positions, 0.01*float64(i)), append(at.Velocities, 1)
	}
	return m
}

// messages is a kind of identical messages with a header.
type messages[T any] struct {
	typ    string
	header func(*T) *msg.Header
	like   T
}

func (k messages[T]) publish(node *ros1.Node, topic string) (publishing, error) {
	pub, err := ros1.Advertise[T](node, topic, k.typ, ros1.PubOptions{})
	if err != nil {
		return publishing{}, err
	}
	m := k.like
	k.header(&m).FrameID = "base_link"
	return publishing{pub.NumSubscribers, func(now msg.Time) {
		k.header(&m).Stamp = now
		pub.Publish(&m)
	}, nil}, nil
}

func (k messages[T]) subscribe(node *ros1.Node, topic string, in *inbox) error {
	_, err := subscribe(in, node, topic, k.typ, k.header)
	return err
}

func (k messages[T]) relay(node *ros1.Node, topic string) error {
	pub, err := ros1.Advertise[T](node, RelayOf(topic), k.typ, ros1.PubOptions{})
	if err != nil {
		return err
	}
	_, err = ros1.SubscribeLent(node, topic, k.typ, func(m *T) { pub.Publish(m) })
	return err
}

// image is a kind of bgr8 images of a size.
type image struct{ width, height int }

func (k image) publish(node *ros1.Node, topic string) (publishing, error) {
	pub, err := ros1.AdvertiseImage(node, topic, 0)
	if err != nil {
		return publishing{}, err
	}
	m := &msg.Image{Header: msg.Header{FrameID: "camera"}, Height: uint32(k.height), Width: uint32(k.width),
		Encoding: "bgr8", Step: uint32(3 * k.width), Data: bytes.Repeat([]byte{7}, 3*k.width*k.height)}
	return publishing{pub.NumSubscribers, func(now msg.Time) {
		m.Header.Stamp = now
		pub.Publish(m, nil) // fails only if the size is wrong
	}, func(n int64) { fill(m.Data, byte(n)) }}, nil
}

func (k image) subscribe(node *ros1.Node, topic string, in *inbox) error {
	_, err := in.images(node, topic)
	return err
}

func (k image) relay(node *ros1.Node, topic string) error {
	pub, err := ros1.AdvertiseImage(node, RelayOf(topic), 0)
	if err != nil {
		return err
	}
	// the size is right
	_, err = ros1.Subscribe(node, topic, "sensor_msgs/Image", func(m *msg.Image) { pub.Publish(m, nil) })
	return err
}

// images subscribes to images.
func (in *inbox) images(node *ros1.Node, topic string) (*ros1.Subscriber, error) {
	return subscribe(in, node, topic, "sensor_msgs/Image", func(m *msg.Image) *msg.Header { return &m.Header })
}
