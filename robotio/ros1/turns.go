package ros1

import (
	"fmt"
	"slices"
	"sync"
)

// Turns gives one subscriber the messages of several topics one at a time, in the order in which they were published: the next when the one
// before is done. TCPROS has a connection a topic, and what comes by two of them comes in no order.
type Turns struct {
	node       *Node
	subscriber string

	mu     sync.Mutex
	topics map[string]int // connections of each
	absent int            // topics without one
	queue  []turn         // what has not been given yet
	now    *link          // by which the message was given that is not done; nil if there is none
	over   bool
}

// turn is a message to be given.
type turn struct {
	by *link
	f  *frame
}

// maxTurns bounds how many messages wait for a subscriber; the oldest are dropped. A guess: a step has a few, and who is waited for falls
// behind by no more.
const maxTurns = 1024

// TakeTurns has a subscriber get the messages of topics of this node, by their resolved names, in turn from now on, instead of those of
// earlier Turns.
func (n *Node) TakeTurns(subscriber string, topics []string) *Turns {
	t := &Turns{node: n, subscriber: subscriber, topics: map[string]int{}}
	for _, name := range topics {
		t.topics[name] = 0
	}
	t.absent = len(t.topics)
	n.mu.Lock()
	before := n.turns[subscriber]
	n.turns[subscriber] = t
	n.mu.Unlock()
	if before != nil {
		before.end()
	}
	pubs, _ := n.snapshot()
	for _, p := range pubs {
		p.mu.Lock()
		for _, l := range p.peers {
			n.enterTurns(l)
		}
		p.mu.Unlock()
	}
	return t
}

// enterTurns has a connection take part in its subscriber's turns, if it has any; the topic is locked.
func (n *Node) enterTurns(l *link) {
	n.mu.Lock()
	t := n.turns[l.peer]
	n.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	count, mine := t.topics[l.topic]
	if !mine || t.over || l.turns.Load() == t {
		return
	}
	l.turns.Store(t)
	if t.topics[l.topic]++; count == 0 {
		t.absent--
	}
}

// add gives f by l now or later, and returns the frame that is to be dropped instead, or nil.
func (t *Turns) add(l *link, f *frame) (out *frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.over:
		return l.push(f)
	case t.now == nil && len(t.queue) == 0:
		t.now = l
		return l.push(f)
	case len(t.queue) >= maxTurns:
		out = t.queue[0].f
		t.queue[0].by.dropped.Add(1)
		t.queue = slices.Delete(t.queue, 0, 1)
	}
	t.queue = append(t.queue, turn{l, f})
	return out
}

// Pending returns the topic of the message that the subscriber has, and empty if it has none.
func (t *Turns) Pending() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now == nil {
		return ""
	}
	return t.now.topic
}

// Done gives the next message after one of a topic; if the subscriber has none any more, as after its connection broke, nothing happens. It
// fails, and gives none, when the subscriber has a message of another topic.
func (t *Turns) Done(topic string) error {
	t.mu.Lock()
	var out *frame
	if t.now != nil {
		if t.now.topic != topic {
			defer t.mu.Unlock()
			return fmt.Errorf("topic %s: %s has a message of %s to acknowledge first", topic, t.subscriber, t.now.topic)
		}
		out = t.next()
	}
	t.mu.Unlock()
	if out != nil {
		out.drop()
	}
	return nil
}

// next gives the next message and returns a frame to be dropped, or nil.
func (t *Turns) next() (out *frame) {
	t.now = nil
	if len(t.queue) == 0 {
		return nil
	}
	first := t.queue[0]
	t.queue = slices.Delete(t.queue, 0, 1)
	t.now = first.by
	return first.by.push(first.f)
}

// leave forgets what was to be given by a connection that is over.
func (t *Turns) leave(l *link) {
	var drop []*frame
	t.mu.Lock()
	if t.topics[l.topic]--; t.topics[l.topic] == 0 {
		t.absent++
	}
	t.queue = slices.DeleteFunc(t.queue, func(w turn) bool {
		if w.by == l {
			drop = append(drop, w.f)
		}
		return w.by == l
	})
	if t.now == l {
		if out := t.next(); out != nil {
			drop = append(drop, out)
		}
	}
	t.mu.Unlock()
	for _, f := range drop {
		f.drop()
	}
}

// Absent returns the topics that the subscriber is not connected to, sorted; nil if there is none.
func (t *Turns) Absent() (topics []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.absent == 0 {
		return nil
	}
	for name, n := range t.topics {
		if n == 0 {
			topics = append(topics, name)
		}
	}
	slices.Sort(topics)
	return topics
}

// end gives everything that waits at once: the connections of the subscriber that are left go by themselves.
func (t *Turns) end() {
	var drop []*frame
	t.mu.Lock()
	t.over, t.now = true, nil
	for _, w := range t.queue {
		if out := w.by.push(w.f); out != nil {
			drop = append(drop, out)
		}
	}
	t.queue = nil
	t.mu.Unlock()
	for _, f := range drop {
		f.drop()
	}
}
