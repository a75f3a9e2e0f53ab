package ros1

import (
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/timesync"
)

// FollowClock has a client follow /clock until the subscriber is closed, whichever simulation publishes it: a program whose simulation is
// started anew sees its time go back.
func FollowClock(n *Node, c *timesync.Client) (*Subscriber, error) {
	return Subscribe(n, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) { c.Tick(m.Clock.Since()) })
}
