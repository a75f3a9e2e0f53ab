package ros2

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// graph knows the nodes of others and their endpoints.
type graph struct {
	c        *Context
	watching sync.Mutex // locked while watchers are called

	mu        sync.Mutex
	names     map[rtps.Prefix]nodes                             // others' nodes
	named     chan struct{}                                     // is closed when names change
	endpoints map[string]map[rtps.GUID]rtps.Endpoint            // all those of others, by topic
	watchers  map[string][]*func(e rtps.Endpoint, present bool) // see watch; by topic
}

// nodes are the nodes of a participant.
type nodes struct {
	all []string             // their names
	of  map[rtps.GUID]string // the names by the nodes' endpoints
}

func newGraph(c *Context) *graph {
	return &graph{c: c, names: map[rtps.Prefix]nodes{}, named: make(chan struct{}),
		endpoints: map[string]map[rtps.GUID]rtps.Endpoint{}, watchers: map[string][]*func(rtps.Endpoint, bool){}}
}

// setNames sets the nodes of another participant, or removes them if there are none.
func (g *graph) setNames(of rtps.Prefix, names nodes) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if names.all == nil && names.of == nil {
		delete(g.names, of)
		return
	}
	g.names[of] = names
	close(g.named)
	g.named = make(chan struct{})
}

// Graph is the state of the ROS graph: all nodes that are known, including those of this process.
type Graph struct {
	// Names of nodes by topic or service, sorted. A node whose name is unknown is left out; its topic has an entry.
	Publishers, Subscribers, Services, Clients map[string][]string
	Types, ServiceTypes                        map[string][]string // such as std_msgs/msg/String, by topic or service
	Nodes                                      []string            // sorted
}

// Topics returns the names of all topics with a publisher or a subscriber, sorted.
func (g *Graph) Topics() []string { return slices.Sorted(maps.Keys(g.Types)) }

// Graph returns the present state of the graph. A node of another process appears some milliseconds after it has
// started, and disappears when it has said so or has been silent for its lease.
func (n *Node) Graph() *Graph { return n.c.graph.state() }

func (g *graph) state() *Graph {
	s := &Graph{Publishers: map[string][]string{}, Subscribers: map[string][]string{},
		Services: map[string][]string{}, Clients: map[string][]string{},
		Types: map[string][]string{}, ServiceTypes: map[string][]string{}}
	g.c.mu.Lock()
	for _, n := range g.c.nodes {
		s.Nodes = append(s.Nodes, n.Name())
		for _, e := range n.entities {
			for _, x := range e.ends {
				s.add(&x.Endpoint, n.Name())
			}
		}
	}
	g.c.mu.Unlock()
	g.mu.Lock()
	for _, names := range g.names {
		s.Nodes = append(s.Nodes, names.all...)
	}
	for _, all := range g.endpoints {
		for _, e := range all {
			s.add(&e, g.names[e.GUID.Prefix()].of[e.GUID])
		}
	}
	g.mu.Unlock()
	slices.Sort(s.Nodes)
	for _, lists := range []map[string][]string{s.Publishers, s.Subscribers, s.Services, s.Clients, s.Types,
		s.ServiceTypes} {
		for name, list := range lists {
			slices.Sort(list)
			lists[name] = slices.Compact(list)
		}
	}
	return s
}

// add adds an endpoint of a node. The name of the node is empty if it is unknown.
func (g *Graph) add(e *rtps.Endpoint, node string) {
	typ, types := rosType(e.Type), g.Types
	nodes, others := g.Publishers, g.Subscribers
	name, ok := strings.CutPrefix(e.Topic, "rt/")
	if !ok {
		if name, ok = strings.CutPrefix(e.Topic, "rq/"); ok {
			name, ok = strings.CutSuffix(name, "Request")
		}
		typ, types, nodes, others = strings.TrimSuffix(typ, "_Request"), g.ServiceTypes, g.Clients, g.Services
	}
	if !ok {
		return
	}
	if name = "/" + name; !e.Writer {
		nodes = others
	}
	types[name] = append(types[name], typ)
	all := nodes[name]
	if node != "" {
		all = append(all, node)
	}
	nodes[name] = all
}

// changed handles an endpoint of another participant that appears or disappears.
func (g *graph) changed(e rtps.Endpoint, present bool) {
	g.watching.Lock()
	defer g.watching.Unlock()
	g.mu.Lock()
	all := g.endpoints[e.Topic]
	switch {
	case !present:
		if delete(all, e.GUID); len(all) == 0 {
			delete(g.endpoints, e.Topic)
		}
	case all == nil:
		g.endpoints[e.Topic] = map[rtps.GUID]rtps.Endpoint{e.GUID: e}
	default:
		all[e.GUID] = e
	}
	watchers := slices.Clone(g.watchers[e.Topic])
	g.mu.Unlock()
	for _, f := range watchers {
		(*f)(e, present)
	}
}

// watch calls f for each endpoint of a topic that other participants have, and whenever one appears or disappears, one
// call at a time. The caller must not hold Context.mu.
func (g *graph) watch(topic string, f *func(e rtps.Endpoint, present bool)) {
	g.watching.Lock()
	defer g.watching.Unlock()
	g.mu.Lock()
	g.watchers[topic] = append(g.watchers[topic], f)
	all := slices.Collect(maps.Values(g.endpoints[topic]))
	g.mu.Unlock()
	for _, e := range all {
		(*f)(e, true)
	}
}

// unwatch undoes watch. A call that is running may still finish.
func (g *graph) unwatch(topic string, f *func(e rtps.Endpoint, present bool)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	rest := slices.Clone(g.watchers[topic])
	rest = slices.DeleteFunc(rest, func(o *func(rtps.Endpoint, bool)) bool { return o == f })
	if g.watchers[topic] = rest; len(rest) == 0 {
		delete(g.watchers, topic)
	}
}

// awaitNode returns the name of the node that has an endpoint of another participant. It waits for the name until
// timeout, and then returns "".
func (g *graph) awaitNode(ctx context.Context, id rtps.GUID, timeout time.Duration) string {
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	for {
		g.mu.Lock()
		name, named := g.names[id.Prefix()].of[id], g.named
		g.mu.Unlock()
		if name != "" {
			return name
		}
		select {
		case <-named:
		case <-ctx.Done():
			return ""
		}
	}
}

// nodeOf returns the name of the node that has an endpoint of another participant, or "".
func (g *graph) nodeOf(id rtps.GUID) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names[id.Prefix()].of[id]
}
