package robotio

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// TopicReport is the state of one topic that the bridge publishes, or of one topic on which the bridge receives
// commands.
type TopicReport struct {
	Robot  string              `json:"robot,omitempty"`  // name of the robot; empty if the topic belongs to the world
	Sensor string              `json:"sensor,omitempty"` // empty: no sensor feeds it
	Topic  string              `json:"topic"`
	Type   string              `json:"type"`
	Level  abstraction.Level   `json:"level,omitempty"`  // current level of the sensor
	Levels []abstraction.Level `json:"levels,omitempty"` // levels that feed the topic; empty for all levels
	Fed    bool                `json:"fed"`              // whether the sensor feeds the topic at Level
	// Taken reports whether the bridge receives commands on the topic. If so, Level, Levels, Fed, Delay, Dropped and
	// Subscribers are unused.
	Taken bool    `json:"taken,omitempty"`
	Rate  float64 `json:"rate_hz"` // recent messages per second of sim time; 0 before the second message
	// sim time from the stamp of the newest message to its publication
	Delay       float64  `json:"delay_ms"`
	Messages    uint64   `json:"messages"` // since the start
	Dropped     int64    `json:"dropped"`  // messages dropped for slow subscribers
	Subscribers []string `json:"subscribers"`
	Publishers  []string `json:"publishers,omitempty"` // connected publishers, if Taken
	Refused     []string `json:"refused,omitempty"`    // publishers with another message type, if Taken
}

// ownTopic is a topic of the simulation itself, which no profile has.
type ownTopic struct {
	node wire.Node
	pub  interface {
		Topic() string
		Dropped() int64
		Subscribers() []string
	}
	typ  string
	flow *flow
}

// Topics returns the state of the simulation's own topics, of the published topics of profiles, and of the topics with
// commands, in this order. Within each group, the topics are in the order of robots and profiles. Any goroutine may
// call it.
func (b *Bridge) Topics() []TopicReport {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]TopicReport, 0, len(b.own)+len(b.publishers))
	for _, o := range b.own {
		if o.node == b.main {
			all = append(all, TopicReport{
				Topic: o.pub.Topic(), Type: o.typ, Fed: true, Rate: o.flow.rate(), Messages: o.flow.messages.Load(),
				Dropped: o.pub.Dropped(), Subscribers: o.pub.Subscribers(),
			})
		}
	}
	for _, p := range b.publishers {
		r := TopicReport{
			Topic: p.Name, Type: p.Type, Levels: p.Publish.Levels, Fed: true, Rate: p.flow.rate(),
			Messages: p.flow.messages.Load(),
			Delay:    time.Duration(p.flow.delay.Load()).Seconds() * 1e3,
			Dropped:  p.pub.Dropped(), Subscribers: p.pub.Subscribers(),
		}
		if p.Context.Robot != nil {
			r.Robot = p.Context.Robot.Name
		}
		if p.Context.Sensor != nil {
			r.Sensor = p.Context.Sensor.Name
			r.Level, _ = b.sim.Sensors().Level(r.Robot, r.Sensor) // the sensor exists
			r.Fed = p.FedAt(r.Level)
		}
		all = append(all, r)
	}
	for _, t := range b.taken {
		all = append(all, t.report(b.sim.Clock().Time()))
	}
	return all
}

// commandTopic is a topic with commands for a robot, one of its cameras, or the world.
type commandTopic struct {
	*mapping.Instance
	node wire.Node
	sub  wire.Subscriber
	flow flow
}

func (t *commandTopic) report(now time.Duration) TopicReport {
	r := TopicReport{Topic: t.Name, Type: t.Type, Taken: true, Rate: t.flow.rateAt(now),
		Messages: t.flow.messages.Load(), Subscribers: []string{}}
	if c := &t.Context; c.Robot != nil {
		r.Robot = c.Robot.Name
		if c.Sensor != nil {
			r.Sensor = c.Sensor.Name
		}
	}
	for _, c := range t.sub.Connections() {
		r.Publishers = append(r.Publishers, c.Node)
	}
	for _, e := range t.sub.Mismatches() {
		r.Refused = append(r.Refused, e.Publisher)
	}
	slices.Sort(r.Publishers)
	slices.Sort(r.Refused)
	return r
}

// TopicsService is the name, relative to the bridge's node, of the service that returns the result of Topics as JSON.
const TopicsService = "topics"

// report sets up the service TopicsService with the type std_srvs/Trigger, which every ROS installation has.
func (b *Bridge) report(n wire.Node) error {
	return b.closeLater(wire.Serve(n, n.Name()+"/"+TopicsService, "std_srvs/Trigger",
		func(context.Context, *msg.TriggerRequest) (*msg.TriggerResponse, error) {
			text, err := json.Marshal(b.Topics())
			return &msg.TriggerResponse{Success: err == nil, Message: string(text)}, err
		}))
}

// GraphTopic is a topic at the common master, or at the own master of a robot.
type GraphTopic struct {
	Robot       string // robot whose own master has the topic; empty for the common master
	Name, Type  string // Type is * if the type is unknown
	Publishers  []string
	Subscribers []string
	Measured    bool          // whether the simulator sends or receives messages of the topic
	Rate        float64       // recent messages per second of sim time, if Measured
	Last        time.Duration // stamp of the newest message, if Measured; 0 before the first message
}

// mastersTopic identifies a topic by its name and by the simulator's node at its master.
type mastersTopic struct {
	node wire.Node
	name string
}

// Graph returns all topics at the masters, including the topics of other programs, sorted by name for each master. It
// leaves out the nodes of beliefs, which subscribe only for viewers; beliefs may be nil. Graph returns an error when
// the common master does not answer. When a robot's own master does not answer, Graph leaves out its topics.
func (b *Bridge) Graph(ctx context.Context, beliefs *Beliefs) ([]GraphTopic, error) {
	measured := b.measured()
	own := map[string]bool{} // names of the nodes of beliefs
	if beliefs != nil {
		beliefs.measure(measured, own)
	}
	all, err := topicsAt(ctx, b.main, "", measured, own, b.sim.Clock().Time())
	if err != nil {
		return nil, err
	}
	for _, robot := range slices.Sorted(maps.Keys(b.ownNodes)) {
		more, err := topicsAt(ctx, b.ownNodes[robot], robot, measured, own, b.sim.Clock().Time())
		if err == nil {
			all = append(all, more...)
		}
	}
	return all, nil
}

func topicsAt(ctx context.Context, n wire.Node, robot string, measured map[mastersTopic][]*flow, own map[string]bool,
	now time.Duration) (all []GraphTopic, err error) {
	state, err := n.State(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range state.Topics() {
		t := GraphTopic{Robot: robot, Name: name, Type: state.Types[name],
			Publishers: slices.Clone(state.Publishers[name])}
		for _, s := range state.Subscribers[name] {
			if !own[s] {
				t.Subscribers = append(t.Subscribers, s)
			}
		}
		if t.Publishers == nil && t.Subscribers == nil {
			continue // only nodes of beliefs subscribe to the topic
		}
		t.Type = cmp.Or(t.Type, "*")
		slices.Sort(t.Publishers)
		slices.Sort(t.Subscribers)
		for _, f := range measured[mastersTopic{n, name}] {
			t.Measured = true
			if f.messages.Load() > 0 {
				t.Rate += f.rateAt(now)
				t.Last = max(t.Last, time.Duration(f.last.Load()))
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// measured returns the flows of all topics that the bridge publishes and subscribes to.
func (b *Bridge) measured() map[mastersTopic][]*flow {
	all := map[mastersTopic][]*flow{}
	add := func(node wire.Node, name string, f *flow) {
		t := mastersTopic{node, name}
		all[t] = append(all[t], f)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.own {
		add(b.own[i].node, b.own[i].pub.Topic(), b.own[i].flow)
	}
	for _, p := range b.publishers {
		add(p.node, p.Name, &p.flow)
	}
	for _, t := range b.taken {
		add(t.node, t.Name, &t.flow)
	}
	return all
}

// measure adds the flows of the belief topics that the bridge does not measure to the map flows. It adds the names of
// the nodes that subscribe to belief topics to the map nodes.
func (l *Beliefs) measure(flows map[mastersTopic][]*flow, nodes map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.nodes {
		nodes[n.Name()] = true
	}
	for _, t := range l.topics {
		if m := (mastersTopic{t.simNode, t.Name}); l.nodes[t.simNode] != nil && flows[m] == nil {
			flows[m] = []*flow{&t.flow}
		}
	}
}
