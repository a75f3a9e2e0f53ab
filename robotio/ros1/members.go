package ros1

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
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
	nodes       map[string]struct{}
	subscribers map[[2]string]struct{} // topic and node
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
	v, err := n.callMaster(ctx, "getSystemState")
	lists, _ := v.([]any)
	if err != nil || len(lists) != 3 {
		return // what was known is still the best there is
	}
	g := &graphMembers{map[string]struct{}{}, map[[2]string]struct{}{}}
	for i, list := range lists {
		for name, nodes := range named(list) {
			for _, node := range nodes {
				g.nodes[node] = struct{}{}
				if i == 1 {
					g.subscribers[[2]string{name, node}] = struct{}{}
				}
			}
		}
	}
	m.known.Store(g)
}

// subscribes says whether the master knows a node as a subscriber of a topic.
func (m *members) subscribes(node, topic string) bool {
	g := m.known.Load()
	if g == nil {
		return false
	}
	_, ok := g.subscribers[[2]string{topic, node}]
	return ok
}

// has says whether the master knows a node.
func (m *members) has(node string) bool {
	g := m.known.Load()
	if g == nil {
		return false
	}
	_, ok := g.nodes[node]
	return ok
}

// rank says what speaks for a subscriber.
func (n *Node) rank(t *publication, l *link) admission.Rank {
	switch {
	case l.stalled.Load():
		return admission.Stalled
	case n.members.subscribes(l.peer, t.name):
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
