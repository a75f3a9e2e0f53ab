package ros1

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Wall times of requests that ask the master for its nodes. Such requests are made only if there are too many peers.
// The values are guesses.
const (
	knownTime  = time.Second            // timeout of a request
	knownPause = 100 * time.Millisecond // between two requests
)

// knownNodes holds the nodes that the master has listed in its last answer. A peer can send any caller id, so the list
// does not prove which node a peer is. But it distinguishes programs that are registered from all others.
type knownNodes struct {
	sets atomic.Pointer[nodeSets]

	mu    sync.Mutex
	asked time.Time
}

type nodeSets struct {
	nodes       map[string]bool
	subscribers map[[2]string]bool // by topic and node
}

// refresh requests the nodes from the master. If a request begins after refresh was called, but in another call of
// refresh, refresh waits for this request instead.
func (k *knownNodes) refresh(n *Node) {
	called := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked.After(called) || !wait(n.ctx, time.Until(k.asked.Add(knownPause))) {
		return
	}
	k.asked = time.Now()
	ctx, cancel := context.WithTimeout(n.ctx, knownTime)
	defer cancel()
	g, err := graph.FetchNodes(ctx, n.master, n.name)
	if err != nil {
		return // the last list remains
	}
	known := &nodeSets{map[string]bool{}, map[[2]string]bool{}}
	for _, node := range g.Nodes() {
		known.nodes[node] = true
	}
	for topic, nodes := range g.Subscribers {
		for _, node := range nodes {
			known.subscribers[[2]string{topic, node}] = true
		}
	}
	k.sets.Store(known)
}

// subscribes reports whether the master lists the node as a subscriber of the topic.
func (k *knownNodes) subscribes(node, topic string) bool {
	g := k.sets.Load()
	return g != nil && g.subscribers[[2]string{topic, node}]
}

// has reports whether the master lists the node.
func (k *knownNodes) has(node string) bool {
	g := k.sets.Load()
	return g != nil && g.nodes[node]
}

// rank returns the rank of a subscriber for package admission.
func (n *Node) rank(l *tcpros.SubscriberLink) admission.Rank {
	switch {
	case l.Stalled():
		return admission.Stalled
	case n.known.subscribes(l.Node, l.Topic):
		return admission.Known
	}
	return admission.Unknown
}

// rankClient returns the rank of a client of a service for package admission.
func (n *Node) rankClient(caller string) admission.Rank {
	if n.known.has(caller) {
		return admission.Known
	}
	return admission.Unknown
}
