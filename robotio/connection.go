package robotio

import (
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// connect tells the simulation how a robot that is waited for is told and answers.
func (b *Bridge) connect(n *node, r *worlds.Robot) error {
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
		c := &connection{bridge: b, wait: w, node: n, answers: b.commands[r.Name]}
		if w.Answer == "ack" {
			c.answers = []*ros1.Subscriber{b.seen[r.Name]}
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
	node    *node
	answers []*ros1.Subscriber

	announce   announcer
	split      time.Time         // since when nodes that answer have not been among those that subscribe; zero before
	publishers []*topicPublisher // that feed what is to be answered; nil before they are looked up
}

// announcer tells subscribers again who publishes, for those that have not understood it.
type announcer struct{ next time.Time }

// announceTime is how often; a guess: a run's start may wait as long.
const announceTime = time.Second

// remind does it unless it was done a moment ago. Most subscribers come soon after the topics, so the first moment is theirs.
func (a *announcer) remind(n *ros1.Node, topics []string) {
	now := time.Now()
	if now.Before(a.next) {
		return
	}
	if !a.next.IsZero() {
		n.Announce(topics)
	}
	a.next = now.Add(announceTime)
}

// Missing tells whether a node that publishes answers is connected to us both ways. A robot of several nodes may get what it is to answer by
// another, so where none of those that answer has subscribed for a while, any subscriber counts.
func (c *connection) Missing() (missing []string, session int64) {
	told, topics := c.told()
	var by []ros1.Peer
	var names []string
	for _, s := range c.answers {
		by = append(by, s.Peers()...)
		names = append(names, s.Topic())
	}
	both := false
	for _, p := range by {
		session = max(session, int64(p.ID))
		for _, s := range told {
			if s.Node == p.Node {
				both, session = true, max(session, int64(s.ID))
			}
		}
	}
	if both {
		c.split = time.Time{}
	}
	if len(told) == 0 || len(by) > 0 && !both && !c.apart() {
		missing = append(missing, "a subscriber of "+strings.Join(topics, " or "))
		c.announce.remind(c.node.Node, topics)
	}
	if len(by) == 0 {
		missing = append(missing, "a publisher of "+strings.Join(names, " or "))
	}
	return missing, session
}

// apartTime is how long a node that answers may take to subscribe, before others' subscriptions count as its robot's: until topics have been
// announced twice. A guess.
const apartTime = 3 * announceTime

// apart tells whether the nodes that answer and those that subscribe have been different ones for long.
func (c *connection) apart() bool {
	if c.split.IsZero() {
		c.split = time.Now()
	}
	return time.Since(c.split) > apartTime
}

// told returns who gets what the robot is to answer, and by which topics.
func (c *connection) told() (peers []ros1.Peer, topics []string) {
	if c.wait.After == "" {
		return c.node.clock.Peers(), []string{c.node.clock.Topic()}
	}
	level, err := c.bridge.sim.Level(c.wait.Robot, c.wait.After)
	if err != nil { // the world was checked
		return nil, nil
	}
	if c.publishers == nil {
		c.publishers = c.bridge.publishersOf(c.wait.Robot, c.wait.After)
	}
	for _, p := range c.publishers {
		if p.FedAt(level) {
			peers, topics = append(peers, p.pub.Peers()...), append(topics, p.Name)
		}
	}
	return peers, topics
}

// publishersOf returns the topics that a sensor feeds alone; whoever subscribes to those that others feed too, as /tf, need not mean it.
func (b *Bridge) publishersOf(robot, sensor string) (own []*topicPublisher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.publishers {
		if p.Context.Sensor == nil || p.Context.Robot.Name != robot || p.Context.Sensor.Name != sensor {
			continue
		}
		if !slices.ContainsFunc(b.publishers, func(o *topicPublisher) bool { return o.pub == p.pub && o.Context.Sensor != p.Context.Sensor }) {
			own = append(own, p)
		}
	}
	return own
}

// Pending is for robots that acknowledge every message.
func (c *connection) Pending() string { return "" }
