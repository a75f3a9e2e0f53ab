package tcpros

import (
	"fmt"
	"slices"
	"sync"
)

// Sequencer sends the messages of several topics to one subscriber, one at a time, in the order of publication. It
// sends the next message when the preceding message has been acknowledged. Without a Sequencer the order is undefined,
// because TCPROS uses a separate connection for each topic.
type Sequencer struct {
	subscriber string

	mu      sync.Mutex
	topics  map[string]int // number of links per topic
	missing int            // number of topics without a link
	queue   []queued
	pending *SubscriberLink // link of the unacknowledged message; nil if there is none
	closed  bool
}

// queued is a message in the queue.
type queued struct {
	link *SubscriberLink
	m    *Message
}

// maxSequenced is the maximum length of the queue of a subscriber. If the queue is longer, the oldest messages are
// dropped. It is a guess: a step has a few messages, and a program in lockstep lags by no more than a step.
const maxSequenced = 1024

// NewSequencer returns a sequencer for a subscriber and some topics, given by their resolved names. It has no links at
// first; Join adds them.
func NewSequencer(subscriber string, topics []string) *Sequencer {
	s := &Sequencer{subscriber: subscriber, topics: map[string]int{}}
	for _, name := range topics {
		s.topics[name] = 0
	}
	s.missing = len(s.topics)
	return s
}

// Join adds a link, if its topic is one of the sequencer's.
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

// add sends m through l, now or later. It returns a message that the caller must drop, or nil.
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

// Pending returns the topic of the unacknowledged message, or "".
func (s *Sequencer) Pending() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		return ""
	}
	return s.pending.Topic
}

// Acknowledge acknowledges a message of a topic and sends the next message. If there is no unacknowledged message, for
// example after a broken connection, Acknowledge does nothing. If the unacknowledged message belongs to another topic,
// it sends nothing and returns an error.
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

// next sends the next message. It returns a message that the caller must drop, or nil. The caller holds mu.
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

// Leave drops the queued messages of a closed link. The topic must not send on it any more.
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

// Missing returns the topics without a connection to the subscriber, sorted, or nil.
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

// Close sends all queued messages at once. Later messages are sent immediately.
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
