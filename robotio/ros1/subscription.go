package ros1

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// anyMessage is the definition that fits every topic: a star for type and md5 sum, as rospy's AnyMsg has.
var anyMessage = &msg.Definition{Name: "*", MD5: "*"}

// subscription is a topic that a node subscribes to: one registration at the master and one connection to each
// publisher, which all subscribers of the topic in the node share. A rospy publisher sends only to the newest of
// several connections of one caller id (1.15, Topic.add_connection).
type subscription struct {
	node        *Node
	name        string
	pool        tcpros.Pool
	subscribers []*Subscriber // replaced, not changed; guarded by the node's lock

	calling    sync.Mutex // held while the master is called
	registered bool       // guarded by calling

	mu    sync.Mutex
	links map[string]*publisherLink // by the publisher's URI
	// the last subscriber has left, and the links have ended; who comes next registers anew, to be told the publishers
	left bool
}

// addSubscriber adds a subscriber to the subscription of its topic. It fails on a closed node, and where the node has a
// subscriber of another type.
func (n *Node) addSubscriber(s *Subscriber) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return net.ErrClosed
	}
	t := n.subs[s.name]
	if t == nil {
		t = &subscription{node: n, name: s.name, links: map[string]*publisherLink{}}
	}
	if have := t.definition(); have != anyMessage && s.def != anyMessage && (have.Name != s.def.Name ||
		have.MD5 != s.def.MD5) {
		return fmt.Errorf("this node subscribes to it as %s/%s: must not be %s/%s", have.Name, have.MD5, s.def.Name,
			s.def.MD5)
	}
	s.topic, n.subs[s.name] = t, t
	t.subscribers = append(slices.Clone(t.subscribers), s)
	return nil
}

// leave removes a subscriber, and ends the connections of a subscription without any. It returns false if s was none of
// the node's.
func (t *subscription) leave(s *Subscriber) bool {
	n := t.node
	n.mu.Lock()
	before := len(t.subscribers)
	t.subscribers = slices.DeleteFunc(slices.Clone(t.subscribers), func(o *Subscriber) bool { return o == s })
	was := !n.closed && len(t.subscribers) < before
	n.mu.Unlock()
	s.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.links {
		l.leave(s)
	}
	if len(t.all()) == 0 {
		t.disconnect()
		t.left = true
	}
	return was
}

// all returns the subscribers, in the order in which they came.
func (t *subscription) all() []*Subscriber {
	t.node.mu.Lock()
	defer t.node.mu.Unlock()
	return t.subscribers
}

// definition returns the definition that all subscribers but raw ones have, and anyMessage where those are alone. The
// node is locked.
func (t *subscription) definition() *msg.Definition {
	for _, s := range t.subscribers {
		if s.def != anyMessage {
			return s.def
		}
	}
	return anyMessage
}

// requested returns the definition by which a publisher is asked for messages: anyMessage if a raw subscriber wants
// them of any type.
func (t *subscription) requested() *msg.Definition {
	t.node.mu.Lock()
	defer t.node.mu.Unlock()
	for _, s := range t.subscribers {
		if s.def == anyMessage {
			return anyMessage
		}
	}
	return t.definition()
}

// register registers the subscription, unless it is and its links are there, and connects to its publishers.
func (t *subscription) register() error {
	t.calling.Lock()
	defer t.calling.Unlock()
	t.mu.Lock()
	left := t.left
	t.left = false
	t.mu.Unlock()
	if t.registered && !left {
		return nil
	}
	n := t.node
	n.mu.Lock()
	typ := t.definition().Name
	n.mu.Unlock()
	list, err := n.callMaster(n.ctx, "registerSubscriber", t.name, typ, n.uri)
	if err != nil {
		return err
	}
	t.registered = true
	t.add(list) // what the master has sent meanwhile is newer
	return nil
}

// unregister unregisters a subscription without subscribers. One that comes meanwhile registers it anew.
func (t *subscription) unregister() error {
	t.calling.Lock()
	defer t.calling.Unlock()
	if len(t.all()) > 0 {
		return nil
	}
	n := t.node
	var err error
	if t.registered {
		_, err = n.callMaster(n.ctx, "unregisterSubscriber", t.name, n.uri)
	}
	t.registered = false
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(t.subscribers) == 0 && n.subs[t.name] == t {
		delete(n.subs, t.name)
	}
	return err
}

// add connects to the publishers of a list besides those that there are.
func (t *subscription) add(list any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connect(t.node.publishers(t.name, list))
}

// connect makes links to publishers that have none; the caller holds mu.
func (t *subscription) connect(uris []string) {
	if len(t.all()) == 0 {
		return
	}
	for _, uri := range uris {
		if t.links[uri] == nil {
			t.links[uri] = t.newLink(uri)
		}
	}
}

// update follows a new list of publishers: it ends links to publishers that are not in it, unless keep and connected,
// and makes new ones.
func (t *subscription) update(uris []string, keep bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for uri, l := range t.links {
		if !slices.Contains(uris, uri) && !(keep && l.connected.Load()) {
			l.cancel()
			delete(t.links, uri)
		}
	}
	t.connect(uris)
}

// disconnect ends all links; the caller holds mu.
func (t *subscription) disconnect() {
	for _, l := range t.links {
		l.cancel()
	}
	clear(t.links)
}

// close ends all links and subscribers of a node that closes.
func (t *subscription) close() {
	for _, s := range t.all() {
		s.stop()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disconnect()
}

func (t *subscription) connections() []*publisherLink {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.links))
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
		return nil, fmt.Errorf("publisher's definition of %s has md5 sum %s: must have that of its header, %s", typ,
			def.MD5, sum)
	}
	return def, nil
}
