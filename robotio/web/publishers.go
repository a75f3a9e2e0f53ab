package web

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
)

// Publishers holds the topics that the clients of a server publish. Clients share the publisher of a topic.
type Publishers struct {
	node *ros1.Node

	mu  sync.Mutex // locked while a topic is registered or unregistered at the master
	all map[string]*Publisher
}

// NewPublishers returns an empty set of publishers of a node.
func NewPublishers(n *ros1.Node) *Publishers {
	return &Publishers{node: n, all: map[string]*Publisher{}}
}

// Clients often publish right after they advertise, before subscribers have connected. So the first messages are held
// until the first subscriber connects. These are the limits of held messages: wall time, number and bytes. The values
// are guesses.
const (
	holdTime     = time.Second
	maxHeld      = 16
	maxHeldBytes = 1 << 20
)

// Publisher is one topic that clients publish.
type Publisher struct {
	all   *Publishers
	pub   *ros1.RawPublisher
	users int // number of clients; guarded by all.mu

	mu    sync.Mutex
	until time.Time // wall time until which messages are held if there is no subscriber
	held  [][]byte
	size  int // bytes in held
	timer *time.Timer
}

// Advertise registers a topic, or returns the publisher that other clients use already. It fails in the same cases as
// ros1.AdvertiseRaw, and if the topic has another type. The caller closes the publisher.
func (p *Publishers) Advertise(topic string, def *msg.Definition, opts ros1.PubOptions) (*Publisher, error) {
	topic = graph.Resolve(p.node.Name(), topic)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.all[topic]; t != nil {
		if have := t.pub.Def(); have.Name != def.Name || have.MD5 != def.MD5 {
			return nil, fmt.Errorf("topic %s: type = %s: must be %s, the type that another client advertises", topic,
				def.Name, have.Name)
		}
		t.users++
		return t, nil
	}
	pub, err := ros1.AdvertiseRaw(p.node, topic, def, opts)
	if err != nil {
		return nil, err
	}
	t := &Publisher{all: p, pub: pub, users: 1, until: time.Now().Add(holdTime)}
	p.all[topic] = t
	return t, nil
}

// Publish sends an encoded message.
func (t *Publisher) Publish(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer == nil && (t.pub.NumSubscribers() > 0 || !time.Now().Before(t.until)) {
		t.pub.Publish(b)
		return
	}
	t.held = append(t.held, bytes.Clone(b))
	t.size += len(b)
	for len(t.held) > maxHeld || len(t.held) > 1 && t.size > maxHeldBytes {
		t.size -= len(t.held[0])
		t.held = t.held[1:]
	}
	if t.timer == nil {
		t.timer = time.AfterFunc(time.Millisecond, t.flush)
	}
}

// flush publishes the held messages if there is a subscriber, or if the time for holding them is over.
func (t *Publisher) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pub.NumSubscribers() == 0 && time.Now().Before(t.until) {
		t.timer.Reset(5 * time.Millisecond)
		return
	}
	for _, b := range t.held {
		t.pub.Publish(b)
	}
	t.held, t.size, t.timer = nil, 0, nil
}

// Close releases the publisher for one client. Close of the last client unregisters the topic.
func (t *Publisher) Close() {
	p := t.all
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.users--; t.users > 0 {
		return
	}
	for name, x := range p.all {
		if x == t {
			delete(p.all, name)
		}
	}
	t.mu.Lock()
	t.until = time.Time{}
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	_ = t.pub.Close() // an error means that the master does not answer, which does not matter
}
