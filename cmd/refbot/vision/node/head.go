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
	need(n, space+"odom", "nav_msgs/Odometry", wire.OdometrySource, n.headOdometry)
	need(n, space+"imu", "sensor_msgs/Imu", "profile standard, and a sensor of kind imu", n.imu)
	need(n, space+"joint_states", "sensor_msgs/JointState", fmt.Sprintf(
		"profile standard, and it must have the joints %s and %s", h.Pan, h.Tilt), n.joints)
	need(n, space+h.Camera+"/camera_info", "sensor_msgs/CameraInfo", "profile standard", n.headInfo)
	n.images = space + h.Camera + "/image_raw"
	subscribe(n, n.images, "sensor_msgs/Image", n.headImage)
}

// need is subscribe for a topic without which a player cannot play.
func need[T any](n *Node, topic, kind, source string, handle func(*T) bool) {
	if n.err != nil {
		return
	}
	n.err = wire.Need(n.cfg.Player.Robot, topic, kind, source, func(m *T) bool {
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
		n.cfg.Player.Robot.Fail(fmt.Errorf("%s: %w", n.cfg.Head.Camera, err))
		return false
	}
	n.head.UseLens(p)
	return true
}

// headImage processes an image: the robot publishes what it sees, and acts. Images of another size than that of
// camera_info are ignored.
func (n *Node) headImage(m *msg.Image) {
	n.cfg.Player.Robot.Frame(n.images)
	if v := n.head.view; v != nil && !shows(m, v.Width, v.Height) {
		return
	}
	seen := n.head.Image(m.Header.Stamp.Since(), m.Data)
	n.publish(&m.Header, &seen)
	n.cfg.Player.Robot.Perceive(n.head.play.perception(m.Header, &seen))
}
