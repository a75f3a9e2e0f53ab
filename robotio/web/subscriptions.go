package web

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Subscriptions holds the subscriptions that the clients of a server share.
type Subscriptions struct {
	node *ros1.Node

	mu     sync.Mutex
	topics map[string]*subscription
}

// NewSubscriptions returns subscriptions of a node.
func NewSubscriptions(n *ros1.Node) *Subscriptions {
	return &Subscriptions{node: n, topics: map[string]*subscription{}}
}

// subscription is one topic, subscribed to once for all clients.
type subscription struct {
	users int        // guarded by Subscriptions.mu
	begin sync.Mutex // held while sub is made
	sub   *ros1.Subscriber

	mu      sync.Mutex
	outs    []*Outbox
	latched map[string]*Message // by publisher: the last message of each that latches
	codecs  map[*ros1.Source]*dynamic.Codec
}

// maxSources bounds the publishers that a subscription remembers; beyond it, all are forgotten. A guess.
const maxSources = 64

// Subscribe has o get the messages of topic, first those that its publishers latched. It fails on a bad name and when
// the master does not answer.
func (s *Subscriptions) Subscribe(topic string, o *Outbox) error {
	s.mu.Lock()
	f := s.topics[topic]
	if f == nil {
		f = &subscription{latched: map[string]*Message{}, codecs: map[*ros1.Source]*dynamic.Codec{}}
		s.topics[topic] = f
	}
	f.users++
	s.mu.Unlock()
	err := f.start(s.node, topic)
	if err != nil {
		s.Unsubscribe(topic, o)
		return err
	}
	s.prune(topic, f)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outs = append(f.outs, o)
	for _, m := range f.latched {
		o.Push(m)
	}
	return nil
}

// prune forgets the latched messages of publishers that have left: a new subscriber of theirs would not get them.
func (s *Subscriptions) prune(topic string, f *subscription) {
	f.mu.Lock()
	n := len(f.latched)
	f.mu.Unlock()
	if n == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), graphTime)
	defer cancel()
	g, err := s.node.Graph(ctx)
	if err != nil {
		return // and keep them all
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for who := range f.latched {
		if !slices.Contains(g.Publishers[graph.Resolve(s.node.Name(), topic)], who) {
			delete(f.latched, who)
		}
	}
}

// graphTime bounds asking the master, wall time. A guess.
const graphTime = 5 * time.Second

func (f *subscription) start(n *ros1.Node, topic string) (err error) {
	f.begin.Lock()
	defer f.begin.Unlock()
	if f.sub == nil {
		f.sub, err = ros1.SubscribeRaw(n, topic, func(from *ros1.Source, b []byte) { f.deliver(topic, from, b) })
	}
	return err
}

// deliver queues a message for every client.
func (f *subscription) deliver(topic string, from *ros1.Source, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	codec, known := f.codecs[from]
	if !known {
		if len(f.codecs) >= maxSources {
			clear(f.codecs)
		}
		codec, _ = dynamic.Compile(from.Def)
		f.codecs[from] = codec
	}
	m := &Message{Topic: topic, From: from, Codec: codec, Data: bytes.Clone(b), At: time.Now()}
	if from.Latched {
		if len(f.latched) >= maxSources {
			clear(f.latched)
		}
		f.latched[from.Publisher] = m
	}
	for _, o := range f.outs {
		o.Push(m)
	}
}

// Unsubscribe ends what Subscribe began; without outboxes left, the topic is unsubscribed.
func (s *Subscriptions) Unsubscribe(topic string, o *Outbox) {
	o.Close()
	s.mu.Lock()
	f := s.topics[topic]
	if f == nil {
		s.mu.Unlock()
		return
	}
	f.users--
	last := f.users == 0
	if last {
		delete(s.topics, topic)
	}
	s.mu.Unlock()
	f.mu.Lock()
	f.outs = slices.DeleteFunc(f.outs, func(x *Outbox) bool { return x == o })
	f.mu.Unlock()
	if !last {
		return
	}
	f.begin.Lock()
	defer f.begin.Unlock()
	if f.sub != nil {
		_ = f.sub.Close() // a master that does not answer knows no subscriber
	}
}
