package robotio

import (
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// connect tells the simulation how a robot that is waited for is told and answers.
func (b *Bridge) connect(l *link, r *worlds.Robot) error {
	waits := b.sim.World().Time.WaitFor
	for i := range waits {
		w := &waits[i]
		if w.Robot != r.Name {
			continue
		}
		if w.Order == timesync.OrderAll {
			if err := b.sim.Connect(i, b.acks[r.Name]); err != nil {
				return err
			}
			continue
		}
		c := &connection{bridge: b, wait: w, link: l, answers: b.commands[r.Name]}
		if w.Answer == "ack" {
			c.answers = []*ros1.Subscriber{b.acks[r.Name].sub}
		}
		for _, s := range c.answers {
			s.Ask()
		}
		if err := b.sim.Connect(i, c); err != nil {
			return err
		}
	}
	return nil
}

// connection is how a robot gets what it is to answer, and answers, by topics.
type connection struct {
	bridge  *Bridge
	wait    *timesync.WaitFor
	link    *link
	answers []*ros1.Subscriber
}

// Missing tells whether a node that publishes answers is connected to us both ways. A robot of several nodes may get what it is to answer by
// another, so where none of those that answer has subscribed, any subscriber counts.
func (c *connection) Missing() (missing []string, session int64) {
	told, topics := c.told()
	var by []ros1.Peer
	var names []string
	for _, s := range c.answers {
		by = append(by, s.Peers()...)
		names = append(names, s.Topic())
	}
	if len(told) == 0 {
		missing = append(missing, "a subscriber of "+strings.Join(topics, " or "))
	}
	if len(by) == 0 {
		missing = append(missing, "a publisher of "+strings.Join(names, " or "))
	}
	for _, p := range by {
		session = max(session, int64(p.ID))
		if i := slices.IndexFunc(told, func(s ros1.Peer) bool { return s.Node == p.Node }); i >= 0 {
			session = max(session, int64(told[i].ID))
		}
	}
	return missing, session
}

// told returns who gets what the robot is to answer, and by which topics.
func (c *connection) told() (peers []ros1.Peer, topics []string) {
	if c.wait.After == "" {
		return c.link.clock.Peers(), []string{c.link.clock.Topic()}
	}
	level, err := c.bridge.sim.Level(c.wait.Robot, c.wait.After)
	if err != nil { // the world was checked
		return nil, nil
	}
	c.bridge.mu.Lock()
	defer c.bridge.mu.Unlock()
	for _, o := range c.bridge.outlets {
		if o.cfg != nil && o.robot.Name == c.wait.Robot && o.cfg.Name == c.wait.After && o.feeds(level) {
			peers, topics = append(peers, o.pub.Peers()...), append(topics, o.pub.Topic())
		}
	}
	return peers, topics
}

// Pending is for robots that acknowledge every message.
func (c *connection) Pending() string { return "" }
