package robotio

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/sensors"
)

// topicGroup holds the topics of a node that one sensor feeds, or all topics that are published periodically. Most
// topics have no subscriber. So a group keeps the topics that have one, and counts subscribers again only after a
// subscriber has come or gone.
type topicGroup struct {
	node    wire.Node
	present atomic.Pointer[topicSet]
	mu      sync.Mutex // held while present is replaced
	dropped *topicSet  // the set when waiting observations were last dropped; belongs to the goroutine that steps
}

// topicSet is immutable.
type topicSet struct {
	all, subscribed []*topicPublisher
	changes         uint64 // value of SubscriberChanges for which subscribed was found
}

// topicsOf adds a topic to the group of the given name. If the group is new, it calls begin.
func (n *node) topicsOf(name string, p *topicPublisher, begin func(*topicGroup) error) error {
	g, ok := n.groups[name]
	if !ok {
		g = &topicGroup{node: n.Node}
		g.present.Store(&topicSet{})
		n.groups[name] = g
	}
	g.mu.Lock()
	g.find(append(slices.Clone(g.present.Load().all), p))
	g.mu.Unlock()
	if ok {
		return nil
	}
	return begin(g)
}

// now returns the present set. Any goroutine may call it.
func (g *topicGroup) now() *topicSet {
	s := g.present.Load()
	if s.changes == g.node.SubscriberChanges() {
		return s
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.find(g.present.Load().all)
}

// find replaces the set. The caller holds mu.
func (g *topicGroup) find(all []*topicPublisher) *topicSet {
	s := &topicSet{all: all, changes: g.node.SubscriberChanges()} // before counting: a change meanwhile counts again
	for _, p := range all {
		if p.pub.NumSubscribers() > 0 {
			s.subscribed = append(s.subscribed, p)
		}
	}
	g.present.Store(s)
	return s
}

// listener returns the listener that publishes a sensor's observations.
func (g *topicGroup) listener() omnipitch.Listener {
	return omnipitch.Listener{
		Wants: func(level abstraction.Level) bool {
			for _, p := range g.now().subscribed {
				if !p.Publish.Beside && p.FedAt(level) && p.wanted() {
					return true
				}
			}
			return false
		},
		Overlay: func() (parts sensors.OverlayParts) {
			for _, p := range g.now().subscribed {
				if more := p.Overlay(); more != 0 && p.wanted() {
					parts |= more
				}
			}
			return parts
		},
		Observe: func(o *sensors.Observation) {
			s := g.now()
			if g.dropped != s {
				g.dropped = s
				for _, p := range s.all {
					if !slices.Contains(s.subscribed, p) {
						p.dropWaiting()
					}
				}
			}
			for _, p := range s.subscribed {
				p.observeNow(o)
			}
		},
	}
}
