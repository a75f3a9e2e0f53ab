package node

import (
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Head describes the camera in the head of a robot on legs to a node. The camera's lens comes from its camera_info.
type Head struct {
	HeadConfig
	Camera    string // name of the camera's topics
	Pan, Tilt string // names of the joints of the neck
}

// connectHead connects a camera in a head, and what tells where it is.
func (n *Node) connectHead(space string) {
	h := n.cfg.Head
	h.Team, h.Number = n.cfg.Player.Team, n.cfg.Player.Number
	n.head = NewHeadSight(h.HeadConfig)
	advertise(n, &n.poses, space+Topic, "geometry_msgs/PoseStamped")
	advertise(n, &n.obstacles, space+ObstaclesTopic, "geometry_msgs/PoseArray")
	subscribe(n, space+"game", "omnipitch_msgs/Game", n.head.Game)
	need(n, space+"odom", "nav_msgs/Odometry", wire.OdometrySource, wire.Readings, n.headOdometry)
	need(n, space+"imu", "sensor_msgs/Imu", "profile standard, and a sensor of kind imu", wire.Readings, n.imu)
	need(n, space+"joint_states", "sensor_msgs/JointState", fmt.Sprintf(
		"profile standard, and it must have the joints %s and %s", h.Pan, h.Tilt), wire.Readings, n.joints)
	n.camera = space + h.Camera
	const source = "profile standard, and the camera at level raw"
	need(n, n.camera+"/camera_info", "sensor_msgs/CameraInfo", source, wire.Readings, n.headInfo)
	need(n, n.camera+"/image_raw", "sensor_msgs/Image", source, wire.Frames, n.headImage)
}

// need is subscribe for a topic without which a player cannot play.
func need[T any](n *Node, topic, kind, source string, within int, handle func(*T) bool) {
	if n.err != nil {
		return
	}
	n.err = wire.Need(n.cfg.Player.Robot, topic, kind, source, within, func(m *T) bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return handle(m)
	})
}

func (n *Node) headOdometry(m *msg.Odometry) bool {
	n.head.Odometry(counted(m))
	return true
}

func (n *Node) imu(m *msg.Imu) bool {
	a, g := &m.LinearAcceleration, &m.AngularVelocity
	n.head.IMU(m.Header.Stamp.Since(), mgl64.Vec3{a.X, a.Y, a.Z}, mgl64.Vec3{g.X, g.Y, g.Z})
	return true
}

// joints records the positions of the neck's joints. It returns false if a message lacks them.
func (n *Node) joints(m *msg.JointState) bool {
	pan, tilt := slices.Index(m.Name, n.cfg.Head.Pan), slices.Index(m.Name, n.cfg.Head.Tilt)
	if count := len(m.Position); pan < 0 || tilt < 0 || pan >= count || tilt >= count {
		return false
	}
	n.head.Joints(m.Header.Stamp.Since(), m.Position[pan], m.Position[tilt])
	return true
}

// headInfo configures the camera from its first message.
func (n *Node) headInfo(m *msg.CameraInfo) bool {
	if n.head.view != nil {
		return true
	}
	p, err := vision.NewPinhole(int(m.Width), int(m.Height), m.K, m.DistortionModel, slices.Clone(m.D))
	if err != nil {
		n.cfg.Player.Robot.Fail(fmt.Errorf("%s/camera_info: %w", n.camera, err))
		return false
	}
	n.head.UseLens(p)
	return true
}

// headImage processes an image: the robot publishes what it sees, and acts. It cannot play by images of another format
// or size than that of camera_info.
func (n *Node) headImage(m *msg.Image) bool {
	if v := n.head.view; v != nil && !shows(m, v.Width, v.Height) {
		n.cfg.Player.Robot.Fail(fmt.Errorf("%s/image_raw: encoding, width, height, step = %.20q, %d, %d, %d: must be "+
			"\"rgb8\", %d, %d, %d", n.camera, m.Encoding, m.Width, m.Height, m.Step, v.Width, v.Height, 3*v.Width))
		return false
	}
	seen := n.head.Image(m.Header.Stamp.Since(), m.Data)
	n.publish(&m.Header, &seen)
	n.cfg.Player.Robot.Perceive(n.head.play.perception(m.Header, &seen))
	return true
}
