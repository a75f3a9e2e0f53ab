package web

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Publishers holds the topics that the clients of a server publish together.
type Publishers struct {
	node *ros1.Node

	mu  sync.Mutex // held while topics come and go, and the master is told
	all map[string]*Publisher
}

// NewPublishers returns publishers of a node.
func NewPublishers(n *ros1.Node) *Publishers {
	return &Publishers{node: n, all: map[string]*Publisher{}}
}

// Clients often publish right after they advertise, before subscribers have connected: the first messages wait for the
// first subscriber. Wall time, count and bytes are guesses.
const (
	holdTime     = time.Second
	maxHeld      = 16
	maxHeldBytes = 1 << 20
)

// Publisher is one topic that clients publish.
type Publisher struct {
	all   *Publishers
	pub   *ros1.RawPublisher
	users int // guarded by all.mu

	mu    sync.Mutex
	until time.Time // hold messages until then, or until there is a subscriber
	held  [][]byte
	size  int // bytes in held
	timer *time.Timer
}

// Advertise registers a topic, or joins the clients that publish it already. It fails as ros1.AdvertiseRaw does, and
// where the topic has another type. The caller closes the publisher.
func (p *Publishers) Advertise(topic string, def *msg.Definition, opts ros1.PubOptions) (*Publisher, error) {
	topic = graph.Resolve(p.node.Name(), topic)
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.all[topic]; t != nil {
		if have := t.pub.Def(); have.Name != def.Name || have.MD5 != def.MD5 {
			return nil, fmt.Errorf("topic %s: type = %s: must be %s, as another client advertises it", topic, def.Name,
				have.Name)
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

// flush sends what is held once there is a subscriber, or the time is over.
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

// Close leaves the topic; without clients left, it is unregistered.
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
	_ = t.pub.Close() // a master that does not answer knows no publisher
}
