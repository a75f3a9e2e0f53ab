package ros1

import (
	"fmt"
	"math"
)

// busInfo lists connections as rosnode info prints them:
// [id, peer, direction, transport, topic, connected, text].
func (n *Node) busInfo([]any) (int, string, any) {
	list := []any{}
	topics, subs := n.snapshot()
	for _, t := range topics {
		t.mu.Lock()
		for _, l := range t.peers {
			list = append(list, []any{l.id, l.peer, "o", "TCPROS", t.name, true,
				fmt.Sprintf("TCPROS connection to %s (dropped %d)", l.conn.RemoteAddr(), l.dropped.Load())})
		}
		t.mu.Unlock()
	}
	for _, s := range subs {
		for _, f := range s.snapshot() {
			list = append(list, []any{f.id, f.uri, "i", "TCPROS", s.name, f.connected.Load(), "TCPROS connection"})
		}
	}
	return 1, "bus info", list
}

// snapshot lists topics and subscriptions, to be looked at without holding the node.
func (n *Node) snapshot() (topics []*publication, subs []*subscription) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, t := range n.pubs {
		topics = append(topics, t)
	}
	for _, list := range n.subs {
		subs = append(subs, list...)
	}
	return topics, subs
}

// busStats lists [publishers, subscribers, services]:
// publishers [topic, bytes, [id, bytes, messages, connected]…],
// subscribers [topic, [id, bytes, drop estimate (unknown: -1), connected]…], services [requests, bytes in, bytes out].
func (n *Node) busStats([]any) (int, string, any) {
	pubStats, subStats := []any{}, []any{}
	topics, subs := n.snapshot()
	for _, t := range topics {
		conns, total := []any{}, int64(0)
		t.mu.Lock()
		for _, l := range t.peers {
			conns = append(conns, []any{l.id, int31(l.bytes.Load()), int31(l.sent.Load()), true})
			total += l.bytes.Load()
		}
		t.mu.Unlock()
		pubStats = append(pubStats, []any{t.name, int31(total), conns})
	}
	for _, s := range subs {
		conns := []any{}
		for _, f := range s.snapshot() {
			conns = append(conns, []any{f.id, int31(f.bytes.Load()), -1, f.connected.Load()})
		}
		subStats = append(subStats, []any{s.name, conns})
	}
	services := []any{int31(n.requests.Load()), int31(n.requestBytes.Load()), int31(n.responseBytes.Load())}
	return 1, "bus stats", []any{pubStats, subStats, services}
}

// int31 clamps a counter to what XML-RPC's integers hold.
func int31(n int64) int { return int(min(n, math.MaxInt32)) }
