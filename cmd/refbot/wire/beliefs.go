package wire

import (
	"slices"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Topics below the robot's namespace on which it says what it believes, in the frame map, after each frame, as far as
// it knows it.
const (
	PoseTopic   = "world_model/pose"      // geometry_msgs/PoseStamped
	BallTopic   = "world_model/ball"      // geometry_msgs/PointStamped
	OthersTopic = "world_model/obstacles" // geometry_msgs/PoseArray: robots and obstacles
	PathTopic   = "world_model/path"      // nav_msgs/Path, from the robot on
)

// Believer is a Player that says what it believes: each method fills in a message, and returns false if there is
// nothing to say.
type Believer interface {
	Pose(*msg.PoseStamped) bool
	Ball(*msg.PointStamped) bool
	Others(*msg.PoseArray) bool
	Path(*msg.Path) bool
}

// beliefs publishes what a player believes to who listens.
type beliefs struct {
	of []func() (to []ros1.Connection) // publish one kind each, and return who gets it; nil: nobody
}

func newBeliefs(n *ros1.Node, p Believer) (*beliefs, error) {
	b := &beliefs{}
	err := add(b, n, PoseTopic, "geometry_msgs/PoseStamped", p.Pose)
	if err == nil {
		err = add(b, n, BallTopic, "geometry_msgs/PointStamped", p.Ball)
	}
	if err == nil {
		err = add(b, n, OthersTopic, "geometry_msgs/PoseArray", p.Others)
	}
	if err == nil {
		err = add(b, n, PathTopic, "nav_msgs/Path", p.Path)
	}
	return b, err
}

func add[T any](b *beliefs, n *ros1.Node, topic, typ string, fill func(*T) bool) error {
	pub, err := ros1.Advertise[T](n, topic, typ, ros1.PubOptions{Queue: 2})
	if err != nil {
		return err
	}
	m := new(T) // used again
	b.of = append(b.of, func() []ros1.Connection {
		if pub.NumSubscribers() == 0 || !fill(m) {
			return nil
		}
		pub.Publish(m)
		return pub.Connections()
	})
	return nil
}

// publish says what the player believes now, and returns how many messages one of the nodes of a simulation gets, which
// counts them where conditions of its world name their topics.
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
