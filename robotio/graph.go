package robotio

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// GraphTopic is a topic of the simulation's master, or of a robot's own.
type GraphTopic struct {
	Robot       string // robot whose own master has the topic; empty: the common master has it
	Name, Type  string // Type is * if the type is unknown
	Publishers  []string
	Subscribers []string
	Measured    bool          // whether the simulator sends or receives messages of the topic
	Rate        float64       // if Measured: recent messages per second of sim time
	Last        time.Duration // if Measured: stamp of the newest message; 0: none yet
}

// mastersTopic identifies a topic by its name and by the simulator's node at its master.
type mastersTopic struct {
	node *ros1.Node
	name string
}

// Graph returns all topics at the masters, including the topics of other programs, sorted by name for each master. It
// leaves out the nodes that subscribe for beliefs; the argument beliefs may be nil. Graph returns an error when the
// common master does not answer. When a robot's own master does not answer, Graph leaves out its topics.
func (b *Bridge) Graph(ctx context.Context, beliefs *Beliefs) ([]GraphTopic, error) {
	measured := b.measured()
	own := map[string]bool{} // names of the nodes that subscribe for beliefs
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

func topicsAt(ctx context.Context, n *ros1.Node, robot string, measured map[mastersTopic][]*flow, own map[string]bool,
	now time.Duration) (all []GraphTopic, err error) {
	state, err := n.Graph(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name := range state.Publishers {
		names[name] = true
	}
	for name := range state.Subscribers {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t := GraphTopic{Robot: robot, Name: name, Type: state.Types[name],
			Publishers: slices.Clone(state.Publishers[name])}
		for _, s := range state.Subscribers[name] {
			if !own[s] {
				t.Subscribers = append(t.Subscribers, s)
			}
		}
		if t.Publishers == nil && t.Subscribers == nil {
			continue // only beliefs subscribe to it
		}
		if t.Type == "" {
			t.Type = "*"
		}
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
	add := func(node *ros1.Node, name string, f *flow) {
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

// measure adds the flows of those belief topics that the bridge does not measure to the map into. It adds the names of
// the nodes that subscribe to belief topics to the map nodes.
func (l *Beliefs) measure(into map[mastersTopic][]*flow, nodes map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.nodes {
		nodes[n.Name()] = true
	}
	for _, t := range l.topics {
		if m := (mastersTopic{t.simNode, t.Name}); l.nodes[t.simNode] != nil && into[m] == nil {
			into[m] = []*flow{&t.flow}
		}
	}
}
