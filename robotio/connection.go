package robotio

import (
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// connect tells the simulation by which topics a robot that is waited for gets what it is to answer, and answers.
func (b *Bridge) connect(n *node, r *worlds.Robot) {
	waits := b.sim.World().Time.WaitFor
	for i := range waits {
		w := &waits[i]
		if w.Robot != r.Name {
			continue
		}
		if w.Order == timesync.OrderAll {
			b.sim.Lockstep().Connect(i, b.acks[r.Name])
			continue
		}
		c := &connection{bridge: b, wait: w, node: n, answers: b.commands[r.Name]}
		if w.Answer == "ack" {
			c.answers = []*ros1.Subscriber{b.seen[r.Name]}
		}
		for _, s := range c.answers {
			s.Confirm()
		}
		b.sim.Lockstep().Connect(i, c)
	}
}

// connection implements timesync.Connection for a robot that answers on topics.
type connection struct {
	bridge  *Bridge
	wait    *timesync.WaitFor
	node    *node
	answers []*ros1.Subscriber

	announce   announcer
	split      time.Time         // since when no node that answers subscribes too; zero: one does
	publishers []*topicPublisher // that feed what is to be answered; nil before they are looked up
}

// announcer announces publishers to subscribers again, for those that have missed it.
type announcer struct{ next time.Time }

// announceTime is the shortest time between two announcements. A guess: a run's start may wait as long.
const announceTime = time.Second

// remind announces, unless that was done less than announceTime ago. The first call only starts the time: most
// subscribers connect soon.
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

// Missing returns what the robot lacks, in words, unless a node that publishes its answers also subscribes to what it
// is to answer. A robot of several nodes may answer by one and subscribe by another: when that has been so for
// apartTime, any subscriber counts.
func (c *connection) Missing() (missing []string, session int64) {
	subscribers, topics := c.subscribers()
	var by []ros1.Connection
	for _, s := range c.answers {
		by = append(by, s.Connections()...)
	}
	both := false
	for _, p := range by {
		session = max(session, int64(p.ID))
		for _, s := range subscribers {
			if s.Node == p.Node {
				both, session = true, max(session, int64(s.ID))
			}
		}
	}
	if both {
		c.split = time.Time{}
	}
	if len(subscribers) == 0 || len(by) > 0 && !both && !c.apart() {
		missing = append(missing, "a subscriber of "+strings.Join(topics, " or "))
		c.announce.remind(c.node.Node, topics)
	}
	if len(by) == 0 {
		var names []string
		for _, s := range c.answers {
			names = append(names, s.Topic()+mismatches(s))
		}
		missing = append(missing, "a publisher of "+strings.Join(names, " or "))
	}
	return missing, session
}

// mismatches says which publishers of a topic are of another type; "" if none.
func mismatches(s *ros1.Subscriber) string {
	var texts []string
	for _, e := range s.Mismatches() {
		texts = append(texts, e.Types())
	}
	if texts == nil {
		return ""
	}
	slices.Sort(texts)
	return " (" + strings.Join(texts, "; ") + ")"
}

// apartTime is how long a node that answers may take to subscribe, until other nodes' subscriptions count: topics have
// been announced twice by then. A guess.
const apartTime = 3 * announceTime

// apart tells whether the nodes that answer and those that subscribe have been different for apartTime.
func (c *connection) apart() bool {
	if c.split.IsZero() {
		c.split = time.Now()
	}
	return time.Since(c.split) > apartTime
}

// subscribers returns who gets what the robot is to answer, and by which topics.
func (c *connection) subscribers() (peers []ros1.Connection, topics []string) {
	if c.wait.After == "" {
		return c.node.clock.Connections(), []string{c.node.clock.Topic()}
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
			peers, topics = append(peers, p.pub.Connections()...), append(topics, p.Name)
		}
	}
	return peers, topics
}

// publishersOf returns the publishers of topics that a sensor feeds alone. A subscriber of a topic that others feed
// too, as /tf, need not want the sensor.
func (b *Bridge) publishersOf(robot, sensor string) (own []*topicPublisher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.publishers {
		if p.Context.Sensor == nil || p.Context.Robot.Name != robot || p.Context.Sensor.Name != sensor {
			continue
		}
		if !slices.ContainsFunc(b.publishers, func(o *topicPublisher) bool {
			return o.pub == p.pub &&
				o.Context.Sensor != p.Context.Sensor
		}) {
			own = append(own, p)
		}
	}
	return own
}

// Pending is for robots that acknowledge every message.
func (c *connection) Pending() string { return "" }
