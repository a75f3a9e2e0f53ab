package robotio

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// clock publishes sim time, after every step or at the world's rate, and tells nodes to use it. Nodes that come late get the last.
func (b *Bridge) clock(n *ros1.Node) error {
	if err := n.SetParam("/use_sim_time", true); err != nil {
		return err
	}
	pub, err := ros1.Advertise[msg.Clock](n, clockTopic, "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1, Latch: true})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	pub.Publish(&msg.Clock{Clock: msg.TimeFrom(b.sim.Time())})
	rate, next := b.sim.World().Time.ClockRate, time.Duration(0)
	b.sim.OnStep(func(truth *physics.Snapshot) {
		if rate > 0 {
			if truth.Time < next {
				return
			}
			n := math.Floor(truth.Time.Seconds()*rate + 1e-9)
			next = time.Duration((n + 1) / rate * float64(time.Second))
		}
		pub.Publish(&msg.Clock{Clock: msg.TimeFrom(truth.Time)})
	})
	return nil
}

// acks takes the times up to which a robot has seen everything, at speed lockstep.
func (b *Bridge) acks(n *ros1.Node, r *worlds.Robot) error {
	for _, w := range b.sim.World().Time.WaitFor {
		if w.Robot != r.Name || w.Answer != "ack" {
			continue
		}
		if err := b.keep(ros1.Subscribe(n, ackTopic(r), "rosgraph_msgs/Clock", func(m *msg.Clock) {
			if err := b.sim.Ack(w.Robot, m.Clock.Since()); err != nil {
				b.refused(err)
			}
		})); err != nil {
			return err
		}
	}
	return nil
}
