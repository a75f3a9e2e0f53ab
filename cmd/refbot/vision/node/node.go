// Package node publishes where a robot is, by its raw omni images, odometry and compass, as topics of profile standard have them. It decides nothing and reads no clock.
package node

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/camera"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/lines"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Topic is where poses are published, below the robot's namespace: geometry_msgs/PoseStamped in the frame map, one for each image, with its stamp.
const Topic = "vision/pose"

// Config says whose eyes a node is.
type Config struct {
	Namespace string // of the robot's topics, such as cyan1
	MasterURI string // empty: ros1.DefaultMasterURI
	Host      string // in the node's URIs; empty: 127.0.0.1
	Floor     *camera.Floor
	Field     *locate.Field
}

// Node is a connected vision.
type Node struct {
	ros   *ros1.Node
	poses *ros1.Publisher[msg.PoseStamped]

	mu      sync.Mutex // messages come by several goroutines
	finder  *lines.Finder
	tracker *locate.Tracker
	width   uint32
	height  uint32
}

// scanLines is how many a node's finder has.
const scanLines = 360

// Connect starts a node. It fails when the master does not answer.
func Connect(cfg Config) (*Node, error) {
	space := "/" + strings.TrimPrefix(cfg.Namespace, "/")
	types, err := msg.Load("std")
	if err != nil {
		return nil, err
	}
	ros, err := ros1.NewNode(ros1.NodeConfig{Name: space + "/vision", MasterURI: cfg.MasterURI, Host: cfg.Host, Types: types})
	if err != nil {
		return nil, err
	}
	n := &Node{ros: ros, finder: lines.NewFinder(cfg.Floor, scanLines), tracker: locate.NewTracker(cfg.Field), width: uint32(cfg.Floor.Width), height: uint32(cfg.Floor.Height)}
	if err := n.connect(space); err != nil {
		_ = ros.Close()
		return nil, fmt.Errorf("vision of %s: %w", space, err)
	}
	return n, nil
}

func (n *Node) connect(space string) (err error) {
	if n.poses, err = ros1.Advertise[msg.PoseStamped](n.ros, space+"/"+Topic, "geometry_msgs/PoseStamped", ros1.PubOptions{}); err != nil {
		return err
	}
	if _, err = ros1.SubscribeLent(n.ros, space+"/compass", "sensor_msgs/Imu", n.compass); err != nil {
		return err
	}
	if _, err = ros1.SubscribeLent(n.ros, space+"/odom", "nav_msgs/Odometry", n.odometry); err != nil {
		return err
	}
	_, err = ros1.SubscribeLent(n.ros, space+"/omni/image_raw", "sensor_msgs/Image", n.image)
	return err
}

func (n *Node) compass(m *msg.Imu) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tracker.Compass(heading(&m.Orientation))
}

func (n *Node) odometry(m *msg.Odometry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := &m.Pose.Pose
	n.tracker.Odometry(m.Header.Stamp.Since(), locate.Pose{Pos: pitch.Vec{p.Position.X, p.Position.Y}, Heading: heading(&p.Orientation)})
}

// image answers an image of the calibrated camera by the pose, once it is known; others are ignored.
func (n *Node) image(m *msg.Image) {
	if m.Encoding != "rgb8" || m.Width != n.width || m.Height != n.height || m.Step != 3*m.Width {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	e := n.tracker.Image(m.Header.Stamp.Since(), n.finder.Find(m.Data))
	if !e.Known {
		return
	}
	sin, cos := math.Sincos(e.Heading / 2)
	n.poses.Publish(&msg.PoseStamped{
		Header: msg.Header{Stamp: m.Header.Stamp, FrameID: "map"},
		Pose:   msg.Pose{Position: msg.Point{X: e.Pos[0], Y: e.Pos[1]}, Orientation: msg.Quaternion{Z: sin, W: cos}},
	})
}

// heading returns the angle about the upright axis, rad.
func heading(q *msg.Quaternion) float64 {
	return math.Atan2(2*(q.W*q.Z+q.X*q.Y), 1-2*(q.Y*q.Y+q.Z*q.Z))
}

// Done is closed when the node has been shut down.
func (n *Node) Done() <-chan struct{} { return n.ros.Done() }

// Close ends the node.
func (n *Node) Close() error { return n.ros.Close() }
