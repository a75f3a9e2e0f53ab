package robotio

import (
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// decisionsKept is how many decisions a subscriber may lag behind.
const decisionsKept = 100

// decisions publishes what the world's automatic referee decides, if it has one. Who subscribes gets the last one at
// once.
func (b *Bridge) decisions(n *node) error {
	if b.sim.World().Referee != worlds.RefereeAuto {
		return nil
	}
	pub, err := ros1.Advertise[msg.Decision](n.Node, decisionsTopic, "omnipitch_msgs/Decision",
		ros1.PubOptions{Queue: decisionsKept, Latch: true})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	f := &flow{}
	b.own = append(b.own, ownTopic{n.Node, pub, "omnipitch_msgs/Decision", f})
	b.sim.OnDecision(func(d *referee.Decision) {
		m := mapping.DecisionMessage(d)
		f.count(d.Time, d.Time)
		pub.Publish(&m)
	})
	return nil
}
