package foxglove

import (
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// connections is the graph in the form of connectionGraphUpdate.
type connections struct{ pubs, subs, srvs map[string][]string }

// updateGraph sends changes of the graph to the clients that subscribe to the graph; the caller holds c.mu.
func (c *catalog) updateGraph(g *graph.State) {
	old := c.graph
	c.graph = connections{g.Publishers, g.Subscribers, g.Services}
	if reflect.DeepEqual(old, c.graph) {
		return
	}
	var b []byte
	for x := range c.sessions {
		if x.wantsGraph {
			if b == nil {
				b = encode(c.graph.update(old))
			}
			x.client.Send(false, b)
		}
	}
}

// watchGraph subscribes a session to the graph and sends it the whole graph, or unsubscribes it.
func (c *catalog) watchGraph(x *session, want bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if want && !x.wantsGraph {
		x.client.Send(false, encode(c.graph.update(connections{})))
	}
	x.wantsGraph = want
}

// update returns the message that changes old to g.
func (g connections) update(old connections) map[string]any {
	changed := func(now, was map[string][]string, ids string) []any {
		out := []any{}
		for name, nodes := range now {
			if !slices.Equal(nodes, was[name]) {
				out = append(out, map[string]any{"name": name, ids: nodes})
			}
		}
		for name := range was { // now an empty list, because the topic itself may still exist
			if now[name] == nil {
				out = append(out, map[string]any{"name": name, ids: []string{}})
			}
		}
		return out
	}
	topics, services := []string{}, []string{}
	for _, was := range []map[string][]string{old.pubs, old.subs} {
		for name := range was {
			if g.pubs[name] == nil && g.subs[name] == nil && !slices.Contains(topics, name) {
				topics = append(topics, name)
			}
		}
	}
	for name := range old.srvs {
		if g.srvs[name] == nil {
			services = append(services, name)
		}
	}
	return map[string]any{"op": "connectionGraphUpdate",
		"publishedTopics":    changed(g.pubs, old.pubs, "publisherIds"),
		"subscribedTopics":   changed(g.subs, old.subs, "subscriberIds"),
		"advertisedServices": changed(g.srvs, old.srvs, "providerIds"),
		"removedTopics":      topics, "removedServices": services}
}
