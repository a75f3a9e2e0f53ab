package ros1

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// Wall times of asking the master who belongs to the graph, where there are too many peers. Guesses.
const (
	membersTime  = time.Second            // for the master to answer
	membersPause = 100 * time.Millisecond // between two questions
)

// members is who belongs to the graph, as the master knew it when it was asked last. Any peer can send any caller id, so
// this is no proof; it tells programs that take part from those that only connect.
type members struct {
	known atomic.Pointer[graphMembers]

	mu    sync.Mutex
	asked time.Time
}

type graphMembers struct {
	nodes       map[string]bool
	subscribers map[[2]string]bool // topic and node
}

// refresh asks the master anew, or waits for an answer to a question that was asked after the call.
func (m *members) refresh(n *Node) {
	called := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked.After(called) || !wait(n.ctx, time.Until(m.asked.Add(membersPause))) {
		return
	}
	m.asked = time.Now()
	ctx, cancel := context.WithTimeout(n.ctx, membersTime)
	defer cancel()
	g, err := graph.FetchNodes(ctx, n.master, n.name)
	if err != nil {
		return // what was known is still the best there is
	}
	known := &graphMembers{map[string]bool{}, map[[2]string]bool{}}
	for _, node := range g.Nodes() {
		known.nodes[node] = true
	}
	for topic, nodes := range g.Subscribers {
		for _, node := range nodes {
			known.subscribers[[2]string{topic, node}] = true
		}
	}
	m.known.Store(known)
}

// subscribes says whether the master knows a node as a subscriber of a topic.
func (m *members) subscribes(node, topic string) bool {
	g := m.known.Load()
	return g != nil && g.subscribers[[2]string{topic, node}]
}

// has says whether the master knows a node.
func (m *members) has(node string) bool {
	g := m.known.Load()
	return g != nil && g.nodes[node]
}

// rank says what speaks for a subscriber.
func (n *Node) rank(l *tcpros.SubscriberLink) admission.Rank {
	switch {
	case l.Stalled():
		return admission.Stalled
	case n.members.subscribes(l.Node, l.Topic):
		return admission.Known
	}
	return admission.Unknown
}

// rankClient says what speaks for a client of a service.
func (n *Node) rankClient(caller string) admission.Rank {
	if n.members.has(caller) {
		return admission.Known
	}
	return admission.Unknown
}
