package ros1

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// slaveMethods holds the methods of the slave API, except for shutdown. It has the number of arguments after the caller
// id, and the function that answers the call.
var slaveMethods = map[string]struct {
	args int
	do   func(n *Node, args []any) (code int, text string, value any)
}{
	"getBusStats":      {0, (*Node).busStats},
	"getBusInfo":       {0, (*Node).busInfo},
	"getMasterUri":     {0, func(n *Node, _ []any) (int, string, any) { return 1, "", n.master }},
	"getPid":           {0, func(*Node, []any) (int, string, any) { return 1, "", os.Getpid() }},
	"getPublications":  {0, (*Node).publications},
	"getSubscriptions": {0, (*Node).subscriptions},
	"publisherUpdate":  {2, (*Node).publisherUpdate},
	"paramUpdate":      {2, (*Node).paramUpdate},
	"requestTopic":     {2, (*Node).requestTopic},
}

// answer answers a call of the slave API. The caller of shutdown may leave out the argument with the reason.
func (n *Node) answer(_ context.Context, method string, args []any) (any, error) {
	if method == "shutdown" && (len(args) == 1 || len(args) == 2) {
		n.shutdown(args[0], append(args, "")[1])
		return []any{1, "shutdown", 0}, nil
	}
	m, ok := slaveMethods[method]
	if !ok {
		return nil, fmt.Errorf("method %q is not supported", method)
	}
	if len(args) != 1+m.args {
		return []any{-1, fmt.Sprintf("%s: %d arguments: must be %d", method, len(args), 1+m.args), 0}, nil
	}
	code, text, value := m.do(n, args[1:])
	return []any{code, text, value}, nil
}

// paramUpdate refuses calls of the API method paramUpdate, because nodes of this package do not subscribe to
// parameters.
func (n *Node) paramUpdate(args []any) (int, string, any) {
	key, ok := args[0].(string)
	if !ok || graph.Check("/"+strings.Trim(key, "/")) != nil {
		return -1, "paramUpdate: key: must be a name", 0
	}
	return -1, "this node has not subscribed to the parameter", 0
}

func (n *Node) publisherUpdate(args []any) (int, string, any) {
	name, ok := args[0].(string)
	if !ok {
		return -1, "publisherUpdate: topic: must be a string", 0
	}
	n.publishersChanged(name, args[1], false)
	return 1, "", 0
}

// maxPublishers is the maximum number of publishers of a topic to which a node connects. It is a guess with a wide
// margin, far above real graphs.
const maxPublishers = 1024

// publishersChanged passes a list with the URIs of publishers to the subscription of a topic. If keep is true,
// connected publishers that are not in the list stay connected. A master that has restarted learns about these
// publishers late, or never.
func (n *Node) publishersChanged(topic string, list any, keep bool) {
	uris := n.publishers(topic, list)
	n.mu.Lock()
	t := n.subs[topic]
	n.mu.Unlock()
	if t != nil {
		t.update(uris, keep)
	}
}

// publishers decodes a list with the URIs of publishers. The result has no duplicates and no nodes that this node
// ignores.
func (n *Node) publishers(topic string, list any) (uris []string) {
	items, _ := list.([]any)
	if len(items) > maxPublishers {
		n.warnPeer("publishers left out: too many", "topic", topic, "publishers", len(items), "most", maxPublishers)
		items = items[:maxPublishers]
	}
	for _, v := range items {
		if s, ok := v.(string); ok && !slices.Contains(uris, s) && !slices.Contains(n.ignore, s) {
			uris = append(uris, s)
		}
	}
	return uris
}

// requestTopic answers a subscriber with the TCPROS address at which it can connect. This node offers no other
// transports, such as UDPROS.
func (n *Node) requestTopic(args []any) (int, string, any) {
	name, _ := args[0].(string)
	n.mu.Lock()
	t := n.pubs[name]
	n.mu.Unlock()
	if t == nil {
		return -1, "Not a publisher of [" + name + "]", []any{}
	}
	protocols, _ := args[1].([]any)
	for _, p := range protocols {
		if list, _ := p.([]any); len(list) > 0 && list[0] == "TCPROS" {
			return 1, "ready on " + n.host, []any{"TCPROS", n.host, n.port}
		}
	}
	return 0, "no supported protocol: this node offers TCPROS only", []any{}
}

func (n *Node) publications([]any) (int, string, any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := []any{}
	for name, t := range n.pubs {
		list = append(list, []any{name, t.def.Name})
	}
	return 1, "publications", list
}

func (n *Node) subscriptions([]any) (int, string, any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := []any{}
	for name, t := range n.subs {
		if len(t.subscribers) > 0 {
			list = append(list, []any{name, t.definition().Name})
		}
	}
	return 1, "subscriptions", list
}

// shutdown implements the API method shutdown. rosnode kill calls it, and so does a master when another node takes the
// name of this node.
func (n *Node) shutdown(by, reason any) {
	e := &ShutdownError{Node: n.name}
	e.By, _ = by.(string)
	e.Reason, _ = reason.(string)
	n.log.Warn("ros node: told to shut down", "node", n.name, "by", e.By, "reason", e.Reason)
	go func() { // Close does not wait for this goroutine, because Close waits for the call in progress
		ctx, cancel := context.WithTimeout(n.ctx, closeTime)
		defer cancel()
		if v, err := n.callMaster(ctx, "lookupNode", n.name); err == nil && v != n.uri {
			e.Taker, _ = v.(string)
		}
		n.closeFor(e)
	}()
}

// busInfo returns the connections in the format that rosnode info expects: [id, peer, direction, transport, topic,
// connected, text].
func (n *Node) busInfo([]any) (int, string, any) {
	list := []any{}
	topics, subs := n.snapshot()
	for _, t := range topics {
		t.mu.Lock()
		for _, l := range t.links {
			list = append(list, []any{l.ID, l.Node, "o", "TCPROS", t.name, true,
				fmt.Sprintf("TCPROS connection to %s (dropped %d)", l.Conn.RemoteAddr(), l.Dropped.Load())})
		}
		t.mu.Unlock()
	}
	for _, s := range subs {
		for _, l := range s.connections() {
			list = append(list, []any{l.id, l.uri, "i", "TCPROS", s.name, l.connected.Load(), "TCPROS connection"})
		}
	}
	return 1, "bus info", list
}

// snapshot returns the publications and subscriptions of the node. They can then be used without the node's lock.
func (n *Node) snapshot() (topics []*publication, subs []*subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.pubs {
		topics = append(topics, t)
	}
	for _, t := range n.subs {
		subs = append(subs, t)
	}
	return topics, subs
}

// busStats returns [publishers, subscribers, services]: publishers [topic, bytes, [id, bytes, messages, connected]…],
// subscribers [topic, [id, bytes, drop estimate (unknown: -1), connected]…], services
// [requests, bytes in, bytes out].
func (n *Node) busStats([]any) (int, string, any) {
	pubStats, subStats := []any{}, []any{}
	topics, subs := n.snapshot()
	for _, t := range topics {
		conns, total := []any{}, int64(0)
		t.mu.Lock()
		for _, l := range t.links {
			conns = append(conns, []any{l.ID, int31(l.Bytes.Load()), int31(l.Sent.Load()), true})
			total += l.Bytes.Load()
		}
		t.mu.Unlock()
		pubStats = append(pubStats, []any{t.name, int31(total), conns})
	}
	for _, s := range subs {
		conns := []any{}
		for _, l := range s.connections() {
			conns = append(conns, []any{l.id, int31(l.bytes.Load()), -1, l.connected.Load()})
		}
		subStats = append(subStats, []any{s.name, conns})
	}
	services := []any{int31(n.requests.Load()), int31(n.requestBytes.Load()), int31(n.responseBytes.Load())}
	return 1, "bus stats", []any{pubStats, subStats, services}
}

// int31 returns a counter, limited to the range of XML-RPC integers.
func int31(n int64) int { return int(min(n, math.MaxInt32)) }
