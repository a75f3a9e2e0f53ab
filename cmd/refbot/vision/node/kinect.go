package node

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Kinect is a depth camera with the topics that openni_camera gives it, below its name: depth/camera_info,
// depth/image_raw in 16UC1, rgb/image_raw of the same pixels.
type Kinect struct {
	Name  string // such as kinect_left
	Mount vision.PinholeMount
	Noise vision.DepthNoise
}

// kinect is one with its newest images. Colour and depth of a time come as two messages, in any order.
type kinect struct {
	number  int
	lens    *vision.Pinhole // once its message has come
	classes []vision.Class  // of the newest colour image, lent
	colored time.Duration   // its stamp
	depth   []byte          // of a depth image whose colours have not come yet
	header  msg.Header      // its own
	waits   bool            // there is one
}

// connectKinects has the node see by its Kinects.
func (n *Node) connectKinects(space string) (err error) {
	if n.touchdowns, err = ros1.Advertise[msg.PointStamped](n.ros, space+"/"+TouchdownTopic,
		"geometry_msgs/PointStamped", ros1.PubOptions{}); err != nil {
		return err
	}
	n.depth = NewDepthEyes(len(n.cfg.Kinects))
	for i := range n.cfg.Kinects {
		k, below := &kinect{number: i, colored: -1}, space+"/"+n.cfg.Kinects[i].Name
		if err = take(n, below+"/depth/camera_info", "sensor_msgs/CameraInfo",
			func(m *msg.CameraInfo) { n.kinectInfo(k, m) }); err != nil {
			return err
		}
		if n.cfg.KinectColors != nil {
			if err = take(n, below+"/rgb/image_raw", "sensor_msgs/Image",
				func(m *msg.Image) { n.kinectColors(k, m) }); err != nil {
				return err
			}
		}
		if err = take(n, below+"/depth/image_raw", "sensor_msgs/Image",
			func(m *msg.Image) { n.kinectDepth(k, m) }); err != nil {
			return err
		}
	}
	return nil
}

// kinectInfo takes in what a Kinect is like, once.
func (n *Node) kinectInfo(k *kinect, m *msg.CameraInfo) {
	if k.lens != nil {
		return
	}
	p, err := vision.NewPinhole(int(m.Width), int(m.Height), m.K, m.DistortionModel, slices.Clone(m.D))
	if err != nil {
		return // another camera: its images are ignored
	}
	k.lens = p
	cfg := &n.cfg.Kinects[k.number]
	n.depth.Use(k.number, p, cfg.Mount, cfg.Noise, n.cfg.KinectColors)
}

// kinectColors takes in a colour image, and looks at the depth image of the same time if it waits for it.
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

// kinectDepth looks at a depth image, or keeps it until its colours have come.
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

// kinectLook answers a depth image by the ball, and by where it will come down.
func (n *Node) kinectLook(k *kinect, h *msg.Header, millimetres []byte) {
	stamp := h.Stamp.Since()
	s := n.depth.Look(k.number, stamp, millimetres, k.classes)
	if s.HasBall && n.onField(&s) {
		n.measured = stamp
		n.publishBall(h, s.Ball.Pos)
	}
	if s.Falls {
		frame := n.odometryFrame
		if frame == "" { // it has none: it stands
			frame = robotFrame
		}
		n.touchdowns.Publish(&msg.PointStamped{Header: msg.Header{Stamp: msg.TimeFrom(s.Down.Stamp), FrameID: frame},
			Point: msg.Point{X: s.Down.Pos[0], Y: s.Down.Pos[1], Z: s.Down.Pos[2]}})
	}
}

// onField tells whether a ball is on the field, or not far outside; true of all that fly, and of all while the pose is
// unknown.
func (n *Node) onField(s *Fall) bool {
	return s.Falls || n.eyes == nil || n.eyes.inField(&n.pose, s.Ball.Pos[0], s.Ball.Pos[1], ballOutside)
}
