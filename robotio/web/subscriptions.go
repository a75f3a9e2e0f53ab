package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Subscriptions holds the subscriptions that the clients of a server share.
type Subscriptions struct {
	node *ros1.Node

	mu     sync.Mutex
	topics map[string]*subscription
}

// NewSubscriptions returns an empty set of subscriptions of a node.
func NewSubscriptions(n *ros1.Node) *Subscriptions {
	return &Subscriptions{node: n, topics: map[string]*subscription{}}
}

// subscription is the subscription of one topic for all clients.
type subscription struct {
	users   int        // number of outboxes; guarded by Subscriptions.mu
	opening sync.Mutex // locked while sub is opened or closed
	sub     *ros1.Subscriber

	mu      sync.Mutex
	outs    []*Outbox
	latched map[string]*Message // newest message of each latching publisher
	codecs  map[*ros1.Source]*dynamic.Codec
}

// maxSources is the maximum number of publishers in the maps of a subscription. If there are more, the maps are
// cleared. A guess.
const maxSources = 64

// Subscribe delivers the messages of a topic to o. It begins with the latched messages of the topic's publishers. It
// fails if the name is invalid or the master does not answer.
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

// prune removes the latched messages of publishers that no longer exist, because ROS would not deliver them either.
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
		return // keep them all
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for who := range f.latched {
		if !slices.Contains(g.Publishers[graph.Resolve(s.node.Name(), topic)], who) {
			delete(f.latched, who)
		}
	}
}

// graphTime is the maximum wall time of a query of the master; a guess.
const graphTime = 5 * time.Second

func (f *subscription) start(n *ros1.Node, topic string) (err error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.sub == nil {
		f.sub, err = ros1.SubscribeRaw(n, topic, func(from *ros1.Source, b []byte) { f.deliver(topic, from, b) })
	}
	return err
}

// deliver pushes a message to every outbox.
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

// Unsubscribe undoes Subscribe. If o was the last outbox, it unsubscribes from the topic.
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
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.sub != nil {
		_ = f.sub.Close() // an error means that the master does not answer, which does not matter
	}
}

// FindType returns the definition of a message type. It comes from the node's library or, if the library lacks the
// type, from a publisher in the graph. FindType fails if neither has the definition.
func FindType(ctx context.Context, n *ros1.Node, g *graph.State, typ string) (*msg.Definition, error) {
	def, err := n.MessageType(typ)
	if !errors.Is(err, msg.ErrUnknown) {
		return def, err
	}
	for topic, t := range g.Types {
		if t != typ {
			continue
		}
		for _, node := range g.Publishers[topic] {
			if def, err := ros1.ProbeTopic(ctx, n, topic, node); err == nil && def.Name == typ {
				return def, nil
			}
		}
	}
	return nil, fmt.Errorf("type = %.80q: must be known to the library or to a publisher", typ)
}

// Message is one message of a topic. All clients share it, so it must not be modified.
type Message struct {
	Topic string // name of the topic in the subscription
	From  *ros1.Source
	Codec *dynamic.Codec // codec of the message; nil if the definition cannot be converted
	Data  []byte         // in the encoding of ROS
	At    time.Time      // wall time of arrival

	forms [maxForms]form
}

// maxForms is the largest number of encodings of a message in a protocol.
const maxForms = 4

type form struct {
	once sync.Once
	b    []byte
	err  error
}

// Form returns the message in encoding number i of the protocol. The first call for an encoding calls make to encode
// the message.
func (m *Message) Form(i int, make func() ([]byte, error)) ([]byte, error) {
	f := &m.forms[i]
	f.once.Do(func() { f.b, f.err = make() })
	return f.b, f.err
}
