package robotio

import (
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// decisionsKept is the maximum number of decisions in a subscriber's queue.
const decisionsKept = 100

// decisions sets up the topic of the automatic referee's decisions, if the world has an automatic referee. A subscriber
// that connects late receives the newest decision at once.
func (b *Bridge) decisions(n *node) error {
	if b.sim.World().Referee != worlds.RefereeAuto {
		return nil
	}
	pub, err := ros1.Advertise[msg.Decision](n.Node, decisionsTopic, "omnipitch_msgs/Decision",
		ros1.PubOptions{Queue: decisionsKept, Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	f := &flow{}
	b.own = append(b.own, ownTopic{n.Node, pub, "omnipitch_msgs/Decision", f})
	b.sim.Match().OnDecision(func(d *referee.Decision) {
		m := mapping.DecisionMessage(d)
		f.count(d.Time, d.Time)
		pub.Publish(&m)
	})
	return nil
}
