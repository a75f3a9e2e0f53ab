package robotio

import (
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// connect registers a robot that the simulation waits for. It tells the lockstep which topics the robot receives, and
// on which topics the robot answers.
func (b *Bridge) connect(n *node, r *worlds.Robot) {
	waits := b.sim.World().Time.WaitFor
	for i := range waits {
		w := &waits[i]
		if w.Robot != r.Name {
			continue
		}
		if w.Order == timesync.OrderAll {
			if acks := b.acks[r.Name]; acks != nil {
				b.sim.Clock().Lockstep().Connect(i, acks)
			}
			continue
		}
		c := &connection{bridge: b, wait: w, node: n, answers: b.commands[r.Name]}
		if w.Answer == "ack" {
			c.answers = []wire.Subscriber{b.seen[r.Name]}
		}
		for _, s := range c.answers {
			s.Confirm()
		}
		b.robots[i] = c
		if b.beside != nil {
			b.sim.Clock().Lockstep().Connect(i, &either{b.beside.robots[i], c})
		} else {
			b.sim.Clock().Lockstep().Connect(i, c)
		}
	}
}

// either implements lockstep.Connection for a robot that may connect to either of two bridges.
type either [2]*connection

// Missing returns what is missing on the first bridge, unless the robot is connected to the second one.
func (e *either) Missing() (missing []string, session int64) {
	missing, session = e[0].Missing()
	if missing == nil {
		return nil, session
	}
	if other, session := e[1].Missing(); other == nil {
		return nil, -1 - session // differs from all sessions of the first bridge
	}
	return missing, session
}

// Pending implements lockstep.Connection.
func (e *either) Pending() string { return "" }

// connection implements timesync.Connection for a robot that answers by commands on topics.
type connection struct {
	bridge  *Bridge
	wait    *timesync.WaitFor
	node    *node
	answers []wire.Subscriber

	announce   announcer
	split      time.Time         // wall time since which no node both answers and subscribes; zero if a node does both
	publishers []*topicPublisher // publishers of the topics that the robot must receive; nil until they are looked up
}

// announcer announces publishers again to subscribers that may have missed the first announcement.
type announcer struct{ next time.Time }

// announceTime is the minimum wall time between two announcements. 1 s is a guess: a longer time would delay the start
// of a run.
const announceTime = time.Second

// remind announces the topics again if the last announcement was at least announceTime ago. The first call only starts
// the timer, because most subscribers connect soon.
func (a *announcer) remind(n wire.Node, topics []string) {
	now := time.Now()
	if now.Before(a.next) {
		return
	}
	if !a.next.IsZero() {
		n.Announce(topics)
	}
	a.next = now.Add(announceTime)
}

// Missing returns a description of each connection that the robot lacks. Normally, the same node of the robot
// subscribes to the topics and publishes the answers. A robot may also use one node to subscribe and another node to
// answer. So if no node has done both for apartTime, the subscriptions of all nodes count.
func (c *connection) Missing() (missing []string, session int64) {
	subscribers, topics := c.subscribers()
	var by []wire.Connection
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
	if len(subscribers) == 0 || len(by) > 0 && !both && !c.splitLong() {
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

// mismatches describes the publishers of a topic that have the wrong type, or returns "" if there are none.
func mismatches(s wire.Subscriber) string {
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

// apartTime is the wall time after which the subscriptions of nodes that do not answer count too. 3 s is a guess:
// topics have been announced twice by then.
const apartTime = 3 * announceTime

// splitLong reports whether, for at least apartTime, no node has both subscribed to the topics and published answers.
func (c *connection) splitLong() bool {
	if c.split.IsZero() {
		c.split = time.Now()
	}
	return time.Since(c.split) > apartTime
}

// subscribers returns the topics that the robot must receive, and the nodes that subscribe to these topics.
func (c *connection) subscribers() (peers []wire.Connection, topics []string) {
	if c.wait.After == "" {
		return c.node.clock.Connections(), []string{c.node.clock.Topic()}
	}
	level, err := c.bridge.sim.Sensors().Level(c.wait.Robot, c.wait.After)
	if err != nil { // cannot happen, because the world was checked
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

// publishersOf returns the publishers of the topics that only this sensor feeds. It leaves out topics that other
// sensors feed too, such as /tf, because their subscribers may not be interested in this sensor.
func (b *Bridge) publishersOf(robot, sensor string) (own []*topicPublisher) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.publishers {
		if p.Context.Sensor == nil || p.Context.Robot.Name != robot || p.Context.Sensor.Name != sensor {
			continue
		}
		if !slices.ContainsFunc(b.publishers, func(o *topicPublisher) bool {
			return o.pub == p.pub && o.Context.Sensor != p.Context.Sensor
		}) {
			own = append(own, p)
		}
	}
	return own
}

// Pending implements lockstep.Connection. It returns "", because only connections of type acks have pending messages.
func (c *connection) Pending() string { return "" }
