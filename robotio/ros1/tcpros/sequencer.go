package tcpros

import (
	"fmt"
	"slices"
	"sync"
)

// Sequencer gives one subscriber the messages of several topics one at a time, in the order of their publication: the
// next one when the one before is acknowledged. TCPROS has one connection per topic, and messages of two connections
// arrive in no order.
type Sequencer struct {
	subscriber string

	mu      sync.Mutex
	topics  map[string]int // links per topic
	missing int            // topics without a link
	queue   []queued
	pending *SubscriberLink // by which the message was sent that is not acknowledged; nil if there is none
	closed  bool
}

// queued is a message that waits.
type queued struct {
	link *SubscriberLink
	m    *Message
}

// maxSequenced bounds how many messages wait for a subscriber; the oldest are dropped. A guess: a step has a few, and a
// program that is waited for falls behind by no more.
const maxSequenced = 1024

// NewSequencer returns a sequencer for a subscriber and topics, by their resolved names. Links join by Join.
func NewSequencer(subscriber string, topics []string) *Sequencer {
	s := &Sequencer{subscriber: subscriber, topics: map[string]int{}}
	for _, name := range topics {
		s.topics[name] = 0
	}
	s.missing = len(s.topics)
	return s
}

// Join has the sequencer order a link's messages, if the link's topic is one of its own.
func (s *Sequencer) Join(l *SubscriberLink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	links, ours := s.topics[l.Topic]
	if !ours || s.closed || l.sequencer.Load() == s {
		return
	}
	l.sequencer.Store(s)
	if s.topics[l.Topic]++; links == 0 {
		s.missing--
	}
}

// add sends m by l now or later, and returns the message that the caller is to drop, or nil.
func (s *Sequencer) add(l *SubscriberLink, m *Message) (drop *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return l.Push(m)
	case s.pending == nil && len(s.queue) == 0:
		s.pending = l
		return l.Push(m)
	case len(s.queue) >= maxSequenced:
		drop = s.queue[0].m
		s.queue[0].link.Dropped.Add(1)
		s.queue = slices.Delete(s.queue, 0, 1)
	}
	s.queue = append(s.queue, queued{l, m})
	return drop
}

// Pending returns the topic of the message that the subscriber has to acknowledge, and empty if it has none.
func (s *Sequencer) Pending() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		return ""
	}
	return s.pending.Topic
}

// Acknowledge sends the next message after one of topic; without a pending message, as after a connection broke,
// nothing happens. It fails, and sends none, when the pending message is of another topic.
func (s *Sequencer) Acknowledge(topic string) error {
	s.mu.Lock()
	var drop *Message
	if s.pending != nil {
		if s.pending.Topic != topic {
			defer s.mu.Unlock()
			return fmt.Errorf("topic %s: %s has a message of %s to acknowledge first", topic, s.subscriber,
				s.pending.Topic)
		}
		drop = s.next()
	}
	s.mu.Unlock()
	if drop != nil {
		drop.Drop()
	}
	return nil
}

// next sends the next message and returns one to be dropped, or nil; the caller holds mu.
func (s *Sequencer) next() (drop *Message) {
	s.pending = nil
	if len(s.queue) == 0 {
		return nil
	}
	first := s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	s.pending = first.link
	return first.link.Push(first.m)
}

// Leave drops what was to be sent by a link that is over, once its topic sends nothing more by it.
func (l *SubscriberLink) Leave() {
	s := l.sequencer.Load()
	if s == nil {
		return
	}
	var drop []*Message
	s.mu.Lock()
	if s.topics[l.Topic]--; s.topics[l.Topic] == 0 {
		s.missing++
	}
	s.queue = slices.DeleteFunc(s.queue, func(q queued) bool {
		if q.link == l {
			drop = append(drop, q.m)
		}
		return q.link == l
	})
	if s.pending == l {
		if m := s.next(); m != nil {
			drop = append(drop, m)
		}
	}
	s.mu.Unlock()
	for _, m := range drop {
		m.Drop()
	}
}

// Missing returns the topics that the subscriber is not connected to, sorted; nil if there is none.
func (s *Sequencer) Missing() (topics []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing == 0 {
		return nil
	}
	for name, links := range s.topics {
		if links == 0 {
			topics = append(topics, name)
		}
	}
	slices.Sort(topics)
	return topics
}

// Close sends everything that waits at once; from then on messages are sent as they come.
func (s *Sequencer) Close() {
	var drop []*Message
	s.mu.Lock()
	s.closed, s.pending = true, nil
	for _, q := range s.queue {
		if m := q.link.Push(q.m); m != nil {
			drop = append(drop, m)
		}
	}
	s.queue = nil
	s.mu.Unlock()
	for _, m := range drop {
		m.Drop()
	}
}
