package ros2

import (
	"cmp"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Connection is a connection to an endpoint of another node.
type Connection struct {
	Node string // name of the node; empty as long as it is unknown
	ID   int    // number of the connection; newer connections have higher numbers
}

// peers are the endpoints of others that match one of ours.
type peers struct {
	mu      sync.Mutex
	last    int
	all     map[rtps.GUID]peer
	changed chan struct{} // is closed at the next change
}

type peer struct {
	rtps.Endpoint
	id int
}

func newPeers() *peers { return &peers{all: map[rtps.GUID]peer{}, changed: make(chan struct{})} }

func (p *peers) match(e rtps.Endpoint, matched bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if matched {
		p.last++
		p.all[e.GUID] = peer{e, p.last}
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
		all = append(all, Connection{g.nodeOf(e.GUID), e.id})
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
