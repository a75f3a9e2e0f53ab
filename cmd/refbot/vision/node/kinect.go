package node

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Kinect is a depth camera with the topics of openni_camera below its name: depth/camera_info, depth/image_raw in
// 16UC1, and rgb/image_raw with the same pixels.
type Kinect struct {
	Name  string // such as kinect_left
	Mount vision.PinholeMount
	Noise vision.DepthNoise
}

// kinect is a Kinect with its newest images. A colour image and a depth image of the same time arrive as two messages,
// in either order.
type kinect struct {
	number  int
	lens    *vision.Pinhole // nil before the message camera_info has arrived
	classes []vision.Class  // of the newest colour image, lent
	colored time.Duration   // stamp of that image
	depth   []byte          // depth image that waits for the colour image of the same time
	header  msg.Header      // of the waiting depth image
	waits   bool            // a depth image waits
}

// connectKinects subscribes to the topics of the Kinects.
func (n *Node) connectKinects(space string) (err error) {
	if n.touchdowns, err = ros1.Advertise[msg.PointStamped](n.ros, space+"/"+TouchdownTopic,
		"geometry_msgs/PointStamped", ros1.PubOptions{}); err != nil {
		return err
	}
	n.depth = NewDepthEyes(len(n.cfg.Kinects))
	for i := range n.cfg.Kinects {
		k, below := &kinect{number: i, colored: -1}, space+"/"+n.cfg.Kinects[i].Name
		if err = subscribe(n, below+"/depth/camera_info", "sensor_msgs/CameraInfo",
			func(m *msg.CameraInfo) { n.kinectInfo(k, m) }); err != nil {
			return err
		}
		if n.cfg.KinectColors != nil {
			if err = subscribe(n, below+"/rgb/image_raw", "sensor_msgs/Image",
				func(m *msg.Image) { n.kinectColors(k, m) }); err != nil {
				return err
			}
		}
		if err = subscribe(n, below+"/depth/image_raw", "sensor_msgs/Image",
			func(m *msg.Image) { n.kinectDepth(k, m) }); err != nil {
			return err
		}
	}
	return nil
}

// kinectInfo configures a Kinect from its first message of type CameraInfo.
func (n *Node) kinectInfo(k *kinect, m *msg.CameraInfo) {
	if k.lens != nil {
		return
	}
	p, err := vision.NewPinhole(int(m.Width), int(m.Height), m.K, m.DistortionModel, slices.Clone(m.D))
	if err != nil {
		return // an unsupported camera: its images are ignored
	}
	k.lens = p
	cfg := &n.cfg.Kinects[k.number]
	n.depth.Use(k.number, p, cfg.Mount, cfg.Noise, n.cfg.KinectColors)
}

// kinectColors stores a colour image, and processes a waiting depth image of the same time.
func (n *Node) kinectColors(k *kinect, m *msg.Image) {
	if k.lens == nil || !shows(m, k.lens.Width, k.lens.Height) {
		return
	}
	k.classes, k.colored = n.depth.Segment(k.number, m.Data), m.Header.Stamp.Since()
	if k.waits && k.header.Stamp.Since() == k.colored {
		k.waits = false
		n.kinectLook(k, &k.header, k.depth)
	}
}

// kinectDepth processes a depth image, or keeps it until the colour image of the same time has arrived.
func (n *Node) kinectDepth(k *kinect, m *msg.Image) {
	if k.lens == nil || m.Encoding != "16UC1" || m.IsBigendian != 0 || m.Width != uint32(k.lens.Width) ||
		m.Height != uint32(k.lens.Height) || m.Step != 2*m.Width {
		return
	}
	k.waits = n.cfg.KinectColors != nil && m.Header.Stamp.Since() != k.colored
	if k.waits {
		k.depth, k.header.Stamp = append(k.depth[:0], m.Data...), m.Header.Stamp
		return
	}
	n.kinectLook(k, &m.Header, m.Data)
}

// kinectLook publishes the ball in a depth image and its predicted touchdown.
func (n *Node) kinectLook(k *kinect, h *msg.Header, millimetres []byte) {
	stamp := h.Stamp.Since()
	s := n.depth.Look(k.number, stamp, millimetres, k.classes)
	if s.HasBall && n.onField(&s) {
		n.measured = stamp
		n.publishBall(h, s.Ball.Pos)
	}
	if s.Falls {
		frame := n.odometryFrame
		if frame == "" { // without odometry the robot stands
			frame = robotFrame
		}
		n.touchdowns.Publish(&msg.PointStamped{Header: msg.Header{Stamp: msg.TimeFrom(s.Down.Stamp), FrameID: frame},
			Point: msg.Point{X: s.Down.Pos[0], Y: s.Down.Pos[1], Z: s.Down.Pos[2]}})
	}
}

// onField reports whether the ball in the result of a depth image is on or near the field. It also returns true for a
// ball in the air, and while the robot's pose is unknown.
func (n *Node) onField(s *Fall) bool {
	return s.Falls || n.eyes == nil || n.eyes.inField(&n.pose, s.Ball.Pos[0], s.Ball.Pos[1], ballOutside)
}
