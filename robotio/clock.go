package robotio

import (
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// clock sets up the topic of sim time and sets the parameter /use_sim_time. The time is published after every step, or
// at the rate that the world asks for. A subscriber that connects late receives the newest time at once.
func (b *Bridge) clock(n *node) error {
	if err := n.KeepParam("/use_sim_time", true); err != nil {
		return err
	}
	pub, err := ros1.Advertise[msg.Clock](n.Node, clockTopic, "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1,
		Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	n.clock = pub
	ticks := &flow{}
	b.own = append(b.own, ownTopic{n.Node, pub, "rosgraph_msgs/Clock", ticks})
	b.sim.Clock().OnTick(func(now time.Duration) {
		ticks.count(now, now)
		pub.Publish(&msg.Clock{Clock: msg.TimeFrom(now)})
	})
	return nil
}
