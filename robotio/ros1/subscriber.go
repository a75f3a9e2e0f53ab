package ros1

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Subscriber receives messages of one topic.
type Subscriber struct{ sub *subscription }

// Subscribe calls f with every message of topic, of the message type typ, from all its publishers, one message at a
// time; f owns the message. A slow f loses the publishers' older messages, not ours. Publishers that come, go or
// come back are followed. It fails on a type that the node does not know, on a Go type that does not match it, and
// when the master does not answer.
func Subscribe[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	return subscribeTo(n, topic, typ, func() *T { return new(T) }, f)
}

// SubscribeLent is Subscribe for large messages: f may look at the message until it returns, and the next one is
// decoded into the same memory. Images come without garbage in this way.
func SubscribeLent[T any](n *Node, topic, typ string, f func(*T)) (*Subscriber, error) {
	m := new(T)
	return subscribeTo(n, topic, typ, func() *T { return m }, f)
}

// subscribeTo subscribes; make returns what a message is decoded into.
func subscribeTo[T any](n *Node, topic, typ string, make func() *T, f func(*T)) (*Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	return SubscribeAs(n, topic, codec.Def(), func(b []byte) error {
		m := make()
		if err := codec.Decode(b, m); err != nil {
			return err
		}
		f(m)
		return nil
	})
}

// Topic returns the resolved name of the topic.
func (s *Subscriber) Topic() string { return s.sub.name }

// NumPublishers returns the number of publishers that the subscriber is connected to.
func (s *Subscriber) NumPublishers() int {
	n := 0
	for _, f := range s.sub.snapshot() {
		if f.connected.Load() {
			n++
		}
	}
	return n
}

// SubscribeEach is Subscribe for those who tell publishers apart: open is called with the name of each publisher that connects, and returns
// what its messages are given to.
func SubscribeEach[T any](n *Node, topic, typ string, open func(publisher string) func(*T)) (*Subscriber, error) {
	codec, err := messageCodec[T](n, typ)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	full, err := n.resolve(topic)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s := &subscription{node: n, name: full, def: codec.Def()}
	s.open = func(theirs header) (func([]byte) error, error) {
		if err := s.fits(theirs); err != nil {
			return nil, err
		}
		f := open(theirs["callerid"])
		return func(b []byte) error {
			m := new(T)
			if err := codec.Decode(b, m); err != nil {
				return err
			}
			f(m)
			return nil
		}, nil
	}
	if s, err = n.follow(s); err != nil {
		return nil, err
	}
	return &Subscriber{s}, nil
}

// Close ends all connections and, with the node's last subscriber of the topic, unregisters it. A callback that is
// running may still finish. It fails when the master does not answer; the subscriber is closed all the same.
func (s *Subscriber) Close() error { return s.sub.node.unsubscribe(s.sub) }

// subscription is one subscriber, whatever its Go type.
type subscription struct {
	node   *Node
	name   string
	def    *msg.Definition
	handle func([]byte) error
	open   func(header) (func([]byte) error, error) // of raw ones: handle for the publisher that sent this header
	turn   sync.Mutex                               // held while handle runs
	over   atomic.Bool
	ask    atomic.Bool // publishers whether they know of their connections, see Peers

	mu    sync.Mutex
	feeds map[string]*feed // by the publisher's URI
}

func (n *Node) subscribe(name string, def *msg.Definition, handle func([]byte) error) (*subscription, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	return n.follow(&subscription{node: n, name: full, def: def, handle: handle})
}

// follow registers a subscription and starts to follow its publishers.
func (n *Node) follow(s *subscription) (*subscription, error) {
	full := s.name
	s.feeds = map[string]*feed{}
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
	s.add(list) // what the master has said meanwhile is newer
	return s, nil
}

// forget removes s and says whether it was the topic's last subscription.
func (n *Node) forget(s *subscription) (last bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := len(n.subs[s.name])
	n.subs[s.name] = slices.DeleteFunc(slices.Clone(n.subs[s.name]), func(o *subscription) bool { return o == s })
	if len(n.subs[s.name]) == 0 {
		delete(n.subs, s.name)
		return before > 0
	}
	return false
}

func (n *Node) unsubscribe(s *subscription) error {
	last := n.forget(s)
	s.stop()
	if !last {
		return nil
	}
	if _, err := n.callMaster(n.ctx, "unregisterSubscriber", s.name, n.uri); err != nil {
		return n.errorf("topic %s: %w", s.name, err)
	}
	return nil
}

// fits says why the messages of a publisher that sent this header are not the subscription's, or nil.
func (s *subscription) fits(h header) error {
	if !matches(h["md5sum"], s.def.MD5) || !matches(h["type"], s.def.Name) {
		return fmt.Errorf("topic %s: publisher has %s/%s: must be %s/%s", s.name, h["type"], h["md5sum"], s.def.Name, s.def.MD5)
	}
	return nil
}

// add follows the publishers of a list besides those that it follows.
func (s *subscription) add(list any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over.Load() {
		s.start(s.node.publishers(s.name, list))
	}
}

// start starts feeds from publishers that have none.
func (s *subscription) start(uris []string) {
	for _, uri := range uris {
		if s.feeds[uri] == nil {
			s.feeds[uri] = s.startFeed(uri)
		}
	}
}

// update follows a new list of publishers: it stops feeds that are gone, unless keep and connected, and starts new
// ones.
func (s *subscription) update(uris []string, keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over.Load() {
		return
	}
	for uri, f := range s.feeds {
		if !slices.Contains(uris, uri) && !(keep && f.connected.Load()) {
			f.cancel()
			delete(s.feeds, uri)
		}
	}
	s.start(uris)
}

// stop ends all feeds for good.
func (s *subscription) stop() {
	s.over.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.feeds {
		f.cancel()
	}
	clear(s.feeds)
}

func (s *subscription) snapshot() []*feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*feed
	for _, f := range s.feeds {
		list = append(list, f)
	}
	return list
}

// deliver hands one message to the callback, unless the subscription is over.
func (s *subscription) deliver(b []byte, handle func([]byte) error) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.over.Load() {
		return nil
	}
	return handle(b)
}
