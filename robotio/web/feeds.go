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

// Feeds holds the subscriptions that the clients of a server share.
type Feeds struct {
	node *ros1.Node

	mu    sync.Mutex
	feeds map[string]*feed
}

// NewFeeds returns feeds of a node's graph.
func NewFeeds(n *ros1.Node) *Feeds { return &Feeds{node: n, feeds: map[string]*feed{}} }

// feed is one topic, subscribed to for all who want it.
type feed struct {
	users int        // guarded by Feeds.mu
	begin sync.Mutex // held while sub is made
	sub   *ros1.Subscriber

	mu      sync.Mutex
	outs    []*Outbox
	latched map[string]*Message // by publisher: the last message of each that latches
	codecs  map[*ros1.Source]*dynamic.Codec
}

// maxSources bounds what a feed remembers of publishers; past it, it starts anew. A guess.
const maxSources = 64

// Subscribe has o get the messages of topic, first those that its publishers latched. It fails on a bad name and when
// the master does not answer.
func (s *Feeds) Subscribe(topic string, o *Outbox) error {
	s.mu.Lock()
	f := s.feeds[topic]
	if f == nil {
		f = &feed{latched: map[string]*Message{}, codecs: map[*ros1.Source]*dynamic.Codec{}}
		s.feeds[topic] = f
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

// prune forgets what publishers latched that have gone meanwhile: who subscribes anew would not get it from them.
func (s *Feeds) prune(topic string, f *feed) {
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
		return // better too much than nothing
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

func (f *feed) start(n *ros1.Node, topic string) (err error) {
	f.begin.Lock()
	defer f.begin.Unlock()
	if f.sub == nil {
		f.sub, err = ros1.SubscribeRaw(n, topic, func(from *ros1.Source, b []byte) { f.take(topic, from, b) })
	}
	return err
}

// take hands a message to all who want it.
func (f *feed) take(topic string, from *ros1.Source, b []byte) {
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

// Unsubscribe ends what Subscribe began; the last one to leave a topic unsubscribes it.
func (s *Feeds) Unsubscribe(topic string, o *Outbox) {
	o.Close()
	s.mu.Lock()
	f := s.feeds[topic]
	if f == nil {
		s.mu.Unlock()
		return
	}
	f.users--
	last := f.users == 0
	if last {
		delete(s.feeds, topic)
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
		_ = f.sub.Close() // a master that has gone has forgotten us
	}
}
