package ros1

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// anyMessage is the definition that fits every topic: a star for type and md5 sum, as rospy's AnyMsg has.
var anyMessage = &msg.Definition{Name: "*", MD5: "*"}

// Subscriber receives messages of one topic.
type Subscriber struct {
	node    *Node
	name    string
	def     *msg.Definition
	handle  func([]byte) error
	open    func(tcpros.Header) (func([]byte) error, error) // of raw ones: handle for the publisher that sent this header
	calling sync.Mutex                                      // held while handle runs
	over    atomic.Bool
	confirm atomic.Bool // see Subscriber.Confirm

	mu    sync.Mutex
	links map[string]*publisherLink // by the publisher's URI
}

// start registers the subscription and connects to its publishers.
func (s *Subscriber) start() (*Subscriber, error) {
	n := s.node
	full, err := n.resolve(s.name)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s.name, s.links = full, map[string]*publisherLink{}
	n.mu.Lock()
	if n.closed {
		n.mu.Unlock()
		return nil, n.errorf("topic %s: %w", full, net.ErrClosed)
	}
	n.subs[full] = append(n.subs[full], s)
	n.mu.Unlock()
	list, err := n.callMaster(n.ctx, "registerSubscriber", full, s.def.Name, n.uri)
	if err != nil {
		n.forget(s)
		return nil, n.errorf("topic %s: %w", full, err)
	}
	s.add(list) // what the master has sent meanwhile is newer
	return s, nil
}

// forget removes s and says whether it was the topic's last subscription.
func (n *Node) forget(s *Subscriber) (last bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := len(n.subs[s.name])
	n.subs[s.name] = slices.DeleteFunc(slices.Clone(n.subs[s.name]), func(o *Subscriber) bool { return o == s })
	if len(n.subs[s.name]) == 0 {
		delete(n.subs, s.name)
		return before > 0
	}
	return false
}

// accepts says why the messages of a publisher that sent this header are not the subscription's, or nil.
func (s *Subscriber) accepts(h tcpros.Header) error {
	if !matches(h["md5sum"], s.def.MD5) || !matches(h["type"], s.def.Name) {
		return fmt.Errorf("topic %s: publisher has %s/%s: must be %s/%s", s.name, h["type"], h["md5sum"], s.def.Name, s.def.MD5)
	}
	return nil
}

// add connects to the publishers of a list besides those that there are.
func (s *Subscriber) add(list any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over.Load() {
		s.connect(s.node.publishers(s.name, list))
	}
}

// connect makes links to publishers that have none; the caller holds mu.
func (s *Subscriber) connect(uris []string) {
	for _, uri := range uris {
		if s.links[uri] == nil {
			s.links[uri] = s.newLink(uri)
		}
	}
}

// update follows a new list of publishers: it ends links to publishers that are not in it, unless keep and connected, and
// makes new ones.
func (s *Subscriber) update(uris []string, keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over.Load() {
		return
	}
	for uri, l := range s.links {
		if !slices.Contains(uris, uri) && !(keep && l.connected.Load()) {
			l.cancel()
			delete(s.links, uri)
		}
	}
	s.connect(uris)
}

// stop ends all links for good.
func (s *Subscriber) stop() {
	s.over.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.cancel()
	}
	clear(s.links)
}

func (s *Subscriber) connections() []*publisherLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.links))
}

// deliver hands one message to the callback, unless the subscription is over.
func (s *Subscriber) deliver(b []byte, handle func([]byte) error) error {
	s.calling.Lock()
	defer s.calling.Unlock()
	if s.over.Load() {
		return nil
	}
	return handle(b)
}

// definition returns the definition that a publisher's header describes.
func (n *Node) definition(h tcpros.Header) (*msg.Definition, error) {
	typ, sum := h["type"], h["md5sum"]
	if def, err := n.types.Message(typ); err == nil && def.MD5 == sum {
		return def, nil
	}
	def, err := msg.ParseFull(typ, h["message_definition"])
	if err != nil {
		return nil, fmt.Errorf("publisher's definition of %.80q: %w", typ, err)
	}
	if !matches(sum, def.MD5) {
		return nil, fmt.Errorf("publisher's definition of %s has md5 sum %s: must have that of its header, %s", typ, def.MD5, sum)
	}
	return def, nil
}
