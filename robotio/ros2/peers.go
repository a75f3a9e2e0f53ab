package ros2

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Connection is a connection to an endpoint of another node.
type Connection = wire.Connection

// peers are the endpoints of others that match one of ours.
type peers struct {
	mu      sync.Mutex
	last    int
	all     map[rtps.GUID]peer
	changed chan struct{} // is closed at the next change
}

type peer struct {
	rtps.Endpoint
	id    int
	known time.Time // wall time at which the peer's participant was first seen to know ours; zero before
}

func newPeers() *peers { return &peers{all: map[rtps.GUID]peer{}, changed: make(chan struct{})} }

func (p *peers) match(e rtps.Endpoint, matched bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if matched {
		p.last++
		p.all[e.GUID] = peer{Endpoint: e, id: p.last}
	} else {
		delete(p.all, e.GUID)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait returns a channel that is closed at the next change.
func (p *peers) wait() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

func (p *peers) find(id rtps.GUID) (rtps.Endpoint, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.all[id]
	return e.Endpoint, ok
}

// list returns the peers, the oldest first.
func (p *peers) list() (all []peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.all {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b peer) int { return cmp.Compare(a.id, b.id) })
	return all
}

// connections returns the peers with the names of their nodes, the oldest first.
func (p *peers) connections(g *graph) (all []Connection) {
	for _, e := range p.list() {
		all = append(all, Connection{Node: g.nodeOf(e.GUID), ID: e.id})
	}
	return all
}

// settleTime is how long a peer may take from receiving the announcement of an endpoint to sending messages to it, or
// accepting messages from it. Implementations of DDS do so in another thread, within a millisecond. 100 ms is a guess.
const settleTime = 100 * time.Millisecond

// settled is like connections, but leaves out peers that may still lose messages. The function known reports whether a
// participant has received the announcement of our endpoint. As long as the name of a node is unknown, the connection
// has the name of its participant.
func (p *peers) settled(g *graph, known func(rtps.Prefix) bool) (all []Connection) {
	now := time.Now()
	for _, e := range p.list() {
		if e.known.IsZero() && known(e.GUID.Prefix()) {
			p.mu.Lock()
			if x, ok := p.all[e.GUID]; ok {
				x.known = now
				p.all[e.GUID] = x
			}
			p.mu.Unlock()
		}
		if !e.known.IsZero() && now.Sub(e.known) > settleTime {
			name := cmp.Or(g.nodeOf(e.GUID), fmt.Sprintf("participant %x", e.GUID.Prefix()))
			all = append(all, Connection{Node: name, ID: e.id})
		}
	}
	return all
}

// nodeNames returns the names of connections that are known, sorted.
func nodeNames(all []Connection) (names []string) {
	for _, c := range all {
		if c.Node != "" {
			names = append(names, c.Node)
		}
	}
	slices.Sort(names)
	return names
}
