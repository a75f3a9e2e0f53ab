// Package node is the ROS 1 node of a robot's vision. From raw images, odometry and compass it publishes the robot's
// pose, the ball, its touchdown, obstacles and teammates, on topics like those of profile standard. It makes no
// decisions and reads no clock.
package node

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// Topics below the robot's namespace. Messages have the stamp of their image.
const (
	Topic = "vision/pose" // geometry_msgs/PoseStamped in the frame map, one for each omni image
	// BallTopic is geometry_msgs/PointStamped in base_link, one for each image that shows the ball.
	BallTopic      = "vision/ball"
	ObstaclesTopic = "vision/obstacles" // geometry_msgs/PoseArray in base_link, one for each omni image
	MatesTopic     = "vision/mates"     // geometry_msgs/PoseArray in base_link, one for each front image
)

// TouchdownTopic is a topic of type geometry_msgs/PointStamped. The node publishes a message for each depth image that
// shows the ball in the air. The point is the predicted position of the ball's centre when it lands, in the frame of
// the robot's odometry. The stamp is the time of landing.
const TouchdownTopic = "vision/touchdown"

// robotFrame is the frame of positions relative to the robot.
const robotFrame = "base_link"

// Config configures a node.
type Config struct {
	Namespace string // namespace of the robot's topics, such as cyan1
	MasterURI string // URI of the ROS master; ros1.DefaultMasterURI if empty
	Host      string // host name in the node's URIs; 127.0.0.1 if empty
	// floor as seen by the omni camera; nil without an omni camera, and then the robot is not localised
	Floor *vision.Floor
	Field *locate.Field

	// Colors and FrontColors are the colour tables of the omni camera and the front camera, for the detection of the
	// ball and of obstacles. Without its table (nil), a camera does not detect them.
	Colors      *vision.ColorTable
	View        *vision.View // directions of the omni camera's pixels; required with Colors
	FrontColors *vision.ColorTable
	FrontMount  vision.PinholeMount

	// Kinects detect the ball on the floor and in the air. If KinectColors is nil, they use depth alone.
	Kinects      []Kinect
	KinectColors *vision.ColorTable

	// Mates is the colour of the teammates' cards, ClassCyan or ClassMagenta; nil disables their detection.
	Mates *vision.Class

	// Head is the camera in the head of a robot on legs, instead of the cameras above. It needs a Player by images.
	Head *Head

	Player *Player // player that receives the results; nil for none
}

// Player is a player that receives the results of a vision node.
type Player struct {
	Robot  *wire.Robot // subscribes to the topics, and with ByImages receives a perception after each omni image
	Team   uint8       // msg.TeamCyan or msg.TeamMagenta
	Number uint8       // number of the robot
	// ByImages says that the robot's perceptions come from omni images. Without it, only Falls is called.
	ByImages bool
	Falls    func(world.Fall) // receives each predicted landing of a ball in the air; nil for none
	Meets    bool             // perceptions contain the teammates that front images show
}

// Node is a connected vision node.
type Node struct {
	ros        *ros1.Node
	poses      *ros1.Publisher[msg.PoseStamped]
	balls      *ros1.Publisher[msg.PointStamped]
	obstacles  *ros1.Publisher[msg.PoseArray]
	mates      *ros1.Publisher[msg.PoseArray]
	touchdowns *ros1.Publisher[msg.PointStamped]
	cfg        Config
	err        error // first error of connect

	mu        sync.Mutex      // guards the fields below, because messages arrive on several goroutines
	sight     Sight           // its eyes are nil without an omni camera
	frontBall time.Duration   // stamp of the last front image that showed the ball
	front     *vision.Pinhole // nil before the front camera's message has arrived
	around    msg.PoseArray   // message of obstacles, reused
	fellows   msg.PoseArray   // message of teammates, reused

	depth         *DepthEyes    // nil without Kinects
	measured      time.Duration // stamp of the last depth image that showed the ball
	odometryFrame string        // frame of the odometry

	head   *HeadSight // nil for a robot on wheels
	camera string     // its camera's topics begin with it
}

// frontCounts is how long an observation of the ball by a more accurate camera suppresses observations by less accurate
// cameras. After a front image with the ball, no ball of the omni camera is published, because the omni camera is less
// accurate. After a depth image with the ball, no ball of the front camera or the omni camera is published, because
// their results assume that the ball is on the floor.
const frontCounts = 100 * time.Millisecond

// Connect starts a node. It returns an error if the master does not answer.
func Connect(cfg Config) (*Node, error) {
	ros, space, err := wire.NewNode(cfg.Namespace, "vision", cfg.MasterURI, cfg.Host)
	if err != nil {
		return nil, err
	}
	n := &Node{ros: ros, cfg: cfg, frontBall: -frontCounts, measured: -2 * frontCounts}
	if cfg.Floor != nil {
		n.sight.eyes, n.sight.mates = NewEyes(cfg.Floor, cfg.Field), cfg.Mates
		if cfg.Colors != nil {
			n.sight.eyes.UseColors(cfg.Colors, cfg.View, cfg.Floor)
		}
	}
	if err := n.connect(space + "/"); err != nil {
		_ = ros.Close()
		return nil, fmt.Errorf("vision of %s: %w", space, err)
	}
	return n, nil
}

func (n *Node) connect(space string) error {
	if n.cfg.Colors != nil || n.cfg.FrontColors != nil || len(n.cfg.Kinects) > 0 || n.cfg.Head != nil {
		advertise(n, &n.balls, space+BallTopic, "geometry_msgs/PointStamped")
	}
	if n.cfg.Head != nil {
		n.connectHead(space)
		return n.err
	}
	if n.cfg.Floor != nil {
		n.connectOmni(space)
	}
	if len(n.cfg.Kinects) > 0 {
		n.connectKinects(space)
	}
	subscribe(n, space+"odom", "nav_msgs/Odometry", n.odometry)
	return n.err
}

// connectOmni connects the omni camera, and the front camera if it has a table or detects teammates.
func (n *Node) connectOmni(space string) {
	advertise(n, &n.poses, space+Topic, "geometry_msgs/PoseStamped")
	if n.playsByImages() {
		n.sight.play.begin(n.cfg.Player, n.cfg.Field, len(n.cfg.Kinects) > 0)
		subscribe(n, space+"dribbler", "sensor_msgs/JointState",
			func(m *msg.JointState) { n.sight.Levers(m.Position...) })
		subscribe(n, space+"game", "omnipitch_msgs/Game", n.sight.play.hear)
	}
	if n.cfg.Colors != nil {
		advertise(n, &n.obstacles, space+ObstaclesTopic, "geometry_msgs/PoseArray")
	}
	if n.cfg.Mates != nil {
		advertise(n, &n.mates, space+MatesTopic, "geometry_msgs/PoseArray")
	}
	if n.cfg.FrontColors != nil || n.cfg.Mates != nil {
		subscribe(n, space+"front/camera_info", "sensor_msgs/CameraInfo", n.frontInfo)
		subscribe(n, space+"front/image_raw", "sensor_msgs/Image", n.frontImage)
	}
	subscribe(n, space+"compass", "sensor_msgs/Imu", n.compass)
	subscribe(n, space+"omni/image_raw", "sensor_msgs/Image", n.image)
}

// playsByImages reports whether a player receives its perceptions from this node.
func (n *Node) playsByImages() bool { return n.cfg.Player != nil && n.cfg.Player.ByImages }

// advertise creates the publisher of a topic. If n.err is set, advertise does nothing.
func advertise[T any](n *Node, to **ros1.Publisher[T], topic, kind string) {
	if n.err == nil {
		*to, n.err = ros1.Advertise[T](n.ros, topic, kind, ros1.PubOptions{})
	}
}

// subscribe calls the function handle for each message of a topic, one call at a time. The message is valid only during
// the call. If there is a player, the player's ROS node subscribes instead of this node, so that messages are
// acknowledged in order. If n.err is set, subscribe does nothing.
func subscribe[T any](n *Node, topic, kind string, handle func(*T)) {
	alone := func(m *T) {
		n.mu.Lock()
		defer n.mu.Unlock()
		handle(m)
	}
	switch {
	case n.err != nil:
	case n.cfg.Player != nil:
		n.err = wire.Take(n.cfg.Player.Robot, topic, kind, alone)
	default:
		_, n.err = ros1.SubscribeLent(n.ros, topic, kind, alone)
	}
}

func (n *Node) compass(m *msg.Imu) {
	n.sight.Compass(heading(&m.Orientation))
}

// counted returns the content of a message of odometry: its stamp, its pose, and the velocity in the robot's frame, in
// m/s and rad/s.
func counted(m *msg.Odometry) (stamp time.Duration, pose locate.Pose, vel pitch.Vec, omega float64) {
	p, v := &m.Pose.Pose, &m.Twist.Twist
	pose = locate.Pose{Pos: pitch.Vec{p.Position.X, p.Position.Y}, Heading: heading(&p.Orientation)}
	return m.Header.Stamp.Since(), pose, pitch.Vec{v.Linear.X, v.Linear.Y}, v.Angular.Z
}

func (n *Node) odometry(m *msg.Odometry) {
	stamp, pose, vel, omega := counted(m)
	n.sight.Odometry(stamp, pose, vel, omega)
	if n.depth != nil {
		n.depth.Odometry(stamp, pose)
		if n.odometryFrame != m.Header.FrameID {
			n.odometryFrame = strings.Clone(m.Header.FrameID)
		}
	}
}

// shows reports whether an image is rgb8 and has the given size, in pixels.
func shows(m *msg.Image, width, height int) bool {
	return m.Encoding == "rgb8" && m.Width == uint32(width) && m.Height == uint32(height) && m.Step == 3*m.Width
}

// image processes an omni image. It publishes the robot's pose if the pose is known, the ball if it was detected, and
// the obstacles. It ignores an image that does not have the size of the camera's table.
func (n *Node) image(m *msg.Image) {
	if !shows(m, n.cfg.Floor.Width, n.cfg.Floor.Height) {
		return
	}
	stamp := m.Header.Stamp.Since()
	seen := n.sight.Omni(stamp, m.Data)
	if stamp < n.frontBall { // time has restarted
		n.frontBall = -frontCounts
	}
	n.publish(&m.Header, &seen)
	if n.playsByImages() {
		n.cfg.Player.Robot.Perceive(n.sight.play.perception(m.Header, &seen))
	}
}

// publish publishes the results of an omni image, or of an image of a camera in a head.
func (n *Node) publish(h *msg.Header, seen *Seen) {
	if e := &seen.Pose; e.Known {
		n.poses.Publish(&msg.PoseStamped{Header: msg.Header{Stamp: h.Stamp, FrameID: "map"},
			Pose: planar(e.Pos[0], e.Pos[1], e.Heading)})
	}
	if stamp := h.Stamp.Since(); seen.HasBall && stamp-n.frontBall > frontCounts && !n.justMeasured(stamp) {
		n.publishBall(h, seen.Ball.Pos)
	}
	if n.obstacles != nil {
		n.around.Header, n.around.Poses = msg.Header{Stamp: h.Stamp, FrameID: robotFrame}, n.around.Poses[:0]
		for _, o := range seen.Obstacles {
			n.around.Poses = append(n.around.Poses, planar(o.X, o.Y, 0))
		}
		n.obstacles.Publish(&n.around)
	}
}

// frontInfo configures the front camera from its first message.
func (n *Node) frontInfo(m *msg.CameraInfo) {
	if n.front != nil {
		return
	}
	p, err := vision.NewPinhole(int(m.Width), int(m.Height), m.K, m.DistortionModel, slices.Clone(m.D))
	if err != nil {
		return // an unsupported camera: its images are ignored
	}
	n.front = p
	view := vision.NewPinholeView(p, n.cfg.FrontMount)
	if n.cfg.FrontColors != nil {
		n.sight.eyes.UseFront(n.cfg.FrontColors, view)
	}
	if n.cfg.Mates != nil {
		n.sight.eyes.UseCards(vision.NuBotCards, view)
	}
}

// frontImage processes a front image: it publishes the ball and the teammates.
func (n *Node) frontImage(m *msg.Image) {
	if n.front == nil || !shows(m, n.front.Width, n.front.Height) {
		return
	}
	stamp := m.Header.Stamp.Since()
	seen := n.sight.Front(stamp, m.Data)
	if seen.HasBall {
		n.frontBall = stamp
		if !n.justMeasured(stamp) {
			n.publishBall(&m.Header, seen.Ball.Pos)
		}
	}
	if n.mates == nil {
		return
	}
	n.fellows.Header, n.fellows.Poses = msg.Header{Stamp: m.Header.Stamp, FrameID: robotFrame}, n.fellows.Poses[:0]
	for _, mate := range seen.Mates {
		n.fellows.Poses = append(n.fellows.Poses, planar(mate.X, mate.Y, 0))
	}
	n.mates.Publish(&n.fellows)
}

// justMeasured reports whether a Kinect has seen the ball within frontCounts before or after a stamp.
func (n *Node) justMeasured(stamp time.Duration) bool {
	return stamp-n.measured <= frontCounts && n.measured-stamp <= frontCounts
}

func (n *Node) publishBall(h *msg.Header, pos mgl64.Vec3) {
	n.balls.Publish(&msg.PointStamped{Header: msg.Header{Stamp: h.Stamp, FrameID: robotFrame},
		Point: msg.Point{X: pos[0], Y: pos[1], Z: pos[2]}})
}

// planar returns a pose on the floor as a message. x and y are in m, heading is in rad.
func planar(x, y, heading float64) msg.Pose {
	sin, cos := math.Sincos(heading / 2)
	return msg.Pose{Position: msg.Point{X: x, Y: y}, Orientation: msg.Quaternion{Z: sin, W: cos}}
}

// heading returns the yaw of an orientation, in rad.
func heading(q *msg.Quaternion) float64 {
	return math.Atan2(2*(q.W*q.Z+q.X*q.Y), 1-2*(q.Y*q.Y+q.Z*q.Z))
}

// Done is closed when the node has been shut down.
func (n *Node) Done() <-chan struct{} { return n.ros.Done() }

// Close ends the node.
func (n *Node) Close() error { return n.ros.Close() }
