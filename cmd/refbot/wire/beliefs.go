package wire

import (
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// Topics below the robot's namespace on which the player's beliefs are published after each frame. Positions are in the
// ROS frame "map".
const (
	PoseTopic   = "world_model/pose"      // geometry_msgs/PoseStamped
	BallTopic   = "world_model/ball"      // geometry_msgs/PointStamped
	OthersTopic = "world_model/obstacles" // geometry_msgs/PoseArray: robots and obstacles
	PathTopic   = "world_model/path"      // nav_msgs/Path, starting at the robot
	StatusTopic = "world_model/status"    // omnipitch_msgs/RobotStatus
)

// Believer is a Player that publishes its beliefs. Each method fills in a message, and returns false if the belief is
// unknown.
type Believer interface {
	Pose(*msg.PoseStamped) bool
	Ball(*msg.PointStamped) bool
	Others(*msg.PoseArray) bool
	Path(*msg.Path) bool
	Status(*msg.RobotStatus) bool
}

// beliefs publishes a player's beliefs if there are subscribers.
type beliefs struct {
	of []func() (to []ros1.Connection) // each function publishes one belief and returns its subscribers, or nil
}

func newBeliefs(n *ros1.Node, p Believer) (*beliefs, error) {
	b := &beliefs{}
	return b, errors.Join(add(b, n, PoseTopic, "geometry_msgs/PoseStamped", p.Pose),
		add(b, n, BallTopic, "geometry_msgs/PointStamped", p.Ball),
		add(b, n, OthersTopic, "geometry_msgs/PoseArray", p.Others), add(b, n, PathTopic, "nav_msgs/Path", p.Path),
		add(b, n, StatusTopic, "omnipitch_msgs/RobotStatus", p.Status))
}

func add[T any](b *beliefs, n *ros1.Node, topic, typ string, fill func(*T) bool) error {
	pub, err := ros1.Advertise[T](n, topic, typ, ros1.PubOptions{Queue: 2})
	if err != nil {
		return err
	}
	m := new(T) // reused
	b.of = append(b.of, func() []ros1.Connection {
		if pub.NumSubscribers() == 0 || !fill(m) {
			return nil
		}
		pub.Publish(m)
		return pub.Connections()
	})
	return nil
}

// publish publishes the present beliefs. It returns how many of these messages the simulation receives, given the
// simulation's connections. The simulation subscribes to a belief if a condition of its world names the topic, and then
// waits for the message.
func (b *beliefs) publish(simulation []ros1.Connection) (counted uint32) {
	if b == nil {
		return 0
	}
	for _, one := range b.of {
		for _, to := range one() {
			if slices.ContainsFunc(simulation, func(c ros1.Connection) bool { return c.Node == to.Node }) {
				counted++
				break
			}
		}
	}
	return counted
}
