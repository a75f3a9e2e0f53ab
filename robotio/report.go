package robotio

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// TopicReport is the state of one topic that the bridge publishes, or that a robot or the world takes commands from.
type TopicReport struct {
	Robot  string              `json:"robot,omitempty"`  // empty: the world's topic
	Sensor string              `json:"sensor,omitempty"` // empty: no sensor feeds it
	Topic  string              `json:"topic"`
	Type   string              `json:"type"`
	Level  abstraction.Level   `json:"level,omitempty"`  // of the sensor now
	Levels []abstraction.Level `json:"levels,omitempty"` // that feed the topic; empty: all
	Fed    bool                `json:"fed"`              // at its sensor's level
	// commands come from it; Level, Levels, Fed, Delay, Dropped and Subscribers are of other topics
	Taken bool    `json:"taken,omitempty"`
	Rate  float64 `json:"rate_hz"` // lately, in sim time; 0 before the second message
	// of the newest message, from its stamp to its publication, in sim time
	Delay       float64  `json:"delay_ms"`
	Messages    uint64   `json:"messages"` // since the start
	Dropped     int64    `json:"dropped"`  // for subscribers that were slow
	Subscribers []string `json:"subscribers"`
	Publishers  []string `json:"publishers,omitempty"` // of a topic that is taken: those that are connected
	Refused     []string `json:"refused,omitempty"`    // and those that publish another type
}

// ownTopic is a topic that every simulation has, whatever its robots' profiles.
type ownTopic struct {
	node *ros1.Node
	pub  interface {
		Topic() string
		Dropped() int64
		Subscribers() []string
	}
	typ  string
	flow *flow
}

// Topics returns the state of /clock, /simulation/speed and every topic of profiles that the bridge publishes, then of
// those that it takes, in the order of robots and profiles. It may be called from any goroutine.
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
			r.Level, _ = b.sim.Level(r.Robot, r.Sensor) // it is there
			r.Fed = p.FedAt(r.Level)
		}
		all = append(all, r)
	}
	for _, t := range b.taken {
		all = append(all, t.report(b.sim.Clock().Time()))
	}
	return all
}

// takenTopic is a topic that a robot, one of its cameras or the world takes commands from.
type takenTopic struct {
	*mapping.Instance
	node *ros1.Node
	sub  *ros1.Subscriber
	flow flow
}

func (t *takenTopic) report(now time.Duration) TopicReport {
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

// TopicsService is the name, below the bridge's node, of the service that returns Topics as JSON.
const TopicsService = "topics"

// report serves Topics as a std_srvs/Trigger, which any ROS installation can call.
func (b *Bridge) report(n *ros1.Node) error {
	return b.keep(ros1.Serve(n, n.Name()+"/"+TopicsService, "std_srvs/Trigger",
		func(context.Context, *msg.TriggerRequest) (*msg.TriggerResponse, error) {
			text, err := json.Marshal(b.Topics())
			return &msg.TriggerResponse{Success: err == nil, Message: string(text)}, err
		}))
}
