package ros1

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// anyMessage is a definition that matches every topic: a star for type and MD5 sum, as in rospy's AnyMsg.
var anyMessage = &msg.Definition{Name: "*", MD5: "*"}

// subscription is a topic that a node subscribes to. All subscribers of the topic in the node use one registration, and
// one connection to each publisher. This is needed because a rospy publisher sends only to the newest connection of
// each caller id (1.15, Topic.add_connection).
type subscription struct {
	node        *Node
	name        string
	pool        tcpros.Pool
	subscribers []*Subscriber // elements are never changed; a change replaces the slice; guarded by the node's lock

	calling    sync.Mutex // locked while the master is called
	registered bool       // guarded by calling

	mu    sync.Mutex
	links map[string]*publisherLink // by the publisher's URI
	// left reports whether the last subscriber has left and the links have ended. Then the next subscriber registers
	// again, to receive the list of publishers.
	left bool
}

// addSubscriber adds a subscriber to the subscription of its topic. It returns an error if the node is closed, or if
// the node has a subscriber of the topic with another type.
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

// leave removes a subscriber. If it was the last subscriber, leave ends all connections. leave returns false if s is
// not a subscriber of this subscription.
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

// all returns the subscribers in the order in which they joined.
func (t *subscription) all() []*Subscriber {
	t.node.mu.Lock()
	defer t.node.mu.Unlock()
	return t.subscribers
}

// definition returns the definition that all subscribers except raw subscribers have in common. If there are only raw
// subscribers, it returns anyMessage. The caller holds the node's lock.
func (t *subscription) definition() *msg.Definition {
	for _, s := range t.subscribers {
		if s.def != anyMessage {
			return s.def
		}
	}
	return anyMessage
}

// requested returns the definition that the node sends to publishers. It is anyMessage if a raw subscriber accepts any
// type.
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

// register registers the subscription at the master and connects to the publishers. It does nothing if the subscription
// is registered and connected already.
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
	t.add(list) // only add links, because updates that the master sent during the call are newer than the list
	return nil
}

// unregister unregisters a subscription that has no subscribers. A subscriber that joins during the call registers the
// subscription again.
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

// add connects to each publisher in a list to which there is no connection yet.
func (t *subscription) add(list any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connect(t.node.publishers(t.name, list))
}

// connect makes a link to each publisher that has no link yet. The caller holds mu.
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

// update applies a new list of publishers. It makes links to new publishers, and ends links to publishers that are not
// in the list. If keep is true, links to connected publishers are not ended.
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

// disconnect ends all links. The caller holds mu.
func (t *subscription) disconnect() {
	for _, l := range t.links {
		l.cancel()
	}
	clear(t.links)
}

// close ends all links and all subscribers. It is called when the node closes.
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

// definition returns the definition of the message type in a publisher's header.
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
