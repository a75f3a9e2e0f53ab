package node

import (
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Thresholds for the confidence of a candidate. A candidate above sureDepth is the ball. A candidate above maybeFlies
// is the ball only if it is on the path of a flight. The confidence of a candidate without the ball's colour is at most
// 0.5.
const (
	maybeFlies = 0.35
	sureDepth  = 0.6
)

// onPath is a distance from the path of a flight, in m. A candidate within this distance is the flying ball.
const onPath = 0.15

// vague is the largest standard deviation of the position of a reported touchdown, in m. 0.25 is a guess: half of the
// width of a goalkeeper.
const vague = 0.25

// DepthEyes find the ball in a robot's depth images and follow its flight, in the frame of the robot's odometry.
// Without odometry the robot is assumed to stand. The tilt of the robot's base is ignored. A DepthEyes belongs to one
// goroutine, and allocates nothing after the first few images.
type DepthEyes struct {
	eyes   []*depthEye
	wheels locate.Readings[locate.Pose]
	path   track.FlightTracker
}

// depthEye is a depth camera.
type depthEye struct {
	finder    *vision.DepthBallFinder
	segmenter *vision.Segmenter // nil to find the ball by shape alone
}

// Fall is the result of a depth image.
type Fall struct {
	Ball    vision.BallCandidate // in the robot's frame, m
	HasBall bool
	Down    track.Touchdown // in the odometry frame, m
	Falls   bool            // the ball is in the air and Down is known
	From    locate.Pose     // of the robot in the odometry frame, at the time of the image
}

// Landing returns where the ball comes down, in the robot's frame at the time of the image. stamp is that time. The
// Fall must have Falls.
func (s *Fall) Landing(stamp time.Duration) world.Fall {
	d, v := s.Down.Pos.Vec2().Sub(s.From.Pos), s.Down.Vel
	return world.Fall{Seen: stamp, At: s.Down.Stamp, Pos: pitch.Turn(d, -s.From.Heading),
		Vel: pitch.Turn(v.Vec2(), -s.From.Heading), Sink: -v[2]}
}

// NewDepthEyes returns a DepthEyes for a number of cameras. Use configures each camera.
func NewDepthEyes(cameras int) *DepthEyes { return &DepthEyes{eyes: make([]*depthEye, cameras)} }

// Use configures a camera. number is the index of the camera. If table is nil, the ball is found by depth alone.
func (e *DepthEyes) Use(number int, p *vision.Pinhole, mount vision.PinholeMount, noise vision.DepthNoise,
	table *vision.ColorTable) {
	eye := &depthEye{finder: vision.NewDepthBallFinder(p, mount, noise)}
	if table != nil {
		eye.segmenter = vision.NewSegmenter(table, p.Width, p.Height, carpetOf(vision.NewPinholeView(p, mount)))
	}
	e.eyes[number] = eye
}

// Odometry records an odometry pose.
func (e *DepthEyes) Odometry(stamp time.Duration, p locate.Pose) {
	if e.wheels.Add(stamp, p) {
		e.path = track.FlightTracker{}
	}
}

// Segment returns the class of each pixel of an rgb8 colour image. number is the index of the camera. If the camera has
// no colour table, Segment returns nil. The result is valid until the camera's next image.
func (e *DepthEyes) Segment(number int, pix []byte) []vision.Class {
	if e.eyes[number].segmenter == nil {
		return nil
	}
	return e.eyes[number].segmenter.Segment(pix)
}

// Look processes a 16UC1 depth image. number is the index of the camera. classes are the classes of the pixels in the
// colour image of the same time; they may be nil.
func (e *DepthEyes) Look(number int, stamp time.Duration, millimetres []byte, classes []vision.Class) (s Fall) {
	all := e.eyes[number].finder.Find(millimetres, classes)
	pose, ok := e.wheels.At(stamp)
	if _, _, known := e.wheels.Newest(); !ok && known { // the pose is unknown
		s.Ball, s.HasBall = surest(all)
		return s
	}
	s.From = pose
	turn := mgl64.Rotate3DZ(pose.Heading)
	place := func(c *vision.BallCandidate) mgl64.Vec3 { return turn.Mul3x1(c.Pos).Add(pose.Pos.Vec3(0)) }
	for i := range all {
		if c := &all[i]; c.Confidence >= maybeFlies {
			e.path.Add(track.BallSighting{Stamp: stamp, Pos: place(c),
				Covariance: turn.Mul3(c.Covariance).Mul3(turn.Transpose())})
		}
	}
	if f, ok := e.path.Flight(stamp); ok {
		s.Down, s.Falls = f.Touchdown()
		s.Falls = s.Falls && s.Down.Sigma < vague && s.Down.Stamp > stamp
		at := f.At(stamp - f.Stamp)
		for i := range all {
			if place(&all[i]).Sub(at).Len() < onPath {
				s.Ball, s.HasBall = all[i], true
				return s
			}
		}
	}
	s.Ball, s.HasBall = surest(all)
	return s
}

// surest returns the candidate with the highest confidence, and reports whether the candidate is the ball. The
// candidates are ordered by confidence.
func surest(all []vision.BallCandidate) (c vision.BallCandidate, ok bool) {
	if len(all) == 0 || all[0].Confidence < sureDepth {
		return c, false
	}
	return all[0], true
}

// Kinect is a depth camera with the topics of openni_camera below its name: depth/camera_info, depth/image_raw in
// 16UC1, and rgb/image_raw. The depth image and the colour image have the same pixels.
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
	classes []vision.Class  // classes of the newest colour image, owned by the segmenter
	colored time.Duration   // stamp of that image
	depth   []byte          // depth image that waits for the colour image with the same stamp
	header  msg.Header      // header of the waiting depth image
	waits   bool            // a depth image waits
}

// connectKinects subscribes to the topics of the Kinects.
func (n *Node) connectKinects(space string) {
	advertise(n, &n.touchdowns, space+TouchdownTopic, "geometry_msgs/PointStamped")
	n.depth = NewDepthEyes(len(n.cfg.Kinects))
	for i := range n.cfg.Kinects {
		k, below := &kinect{number: i, colored: -1}, space+n.cfg.Kinects[i].Name
		subscribe(n, below+"/depth/camera_info", "sensor_msgs/CameraInfo",
			func(m *msg.CameraInfo) { n.kinectInfo(k, m) })
		if n.cfg.KinectColors != nil {
			subscribe(n, below+"/rgb/image_raw", "sensor_msgs/Image", func(m *msg.Image) { n.kinectColors(k, m) })
		}
		subscribe(n, below+"/depth/image_raw", "sensor_msgs/Image", func(m *msg.Image) { n.kinectDepth(k, m) })
	}
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
		if p := n.cfg.Player; p != nil && p.Falls != nil {
			p.Falls(s.Landing(stamp))
		}
	}
}

// onField reports whether the ball in a depth image is on or near the field. onField also returns true for a ball in
// the air, and while the robot's pose is unknown.
func (n *Node) onField(s *Fall) bool {
	return s.Falls || n.sight.eyes == nil ||
		inField(n.sight.eyes.field, &n.sight.pose, s.Ball.Pos[0], s.Ball.Pos[1], ballOutside)
}
