package robotio

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Topics delivers messages to the conditions of one simulation and to SubscribeRaw. The same Topics must be in the
// Options of the simulation and of its bridge, if it has one. The bridge's main node subscribes to the topics that
// conditions name, so conditions receive nothing from a robot with its own master.
type Topics struct {
	mu     sync.Mutex
	bridge *Bridge // nil if there is none
	topics map[topicKey]*watchedTopic
	queue  []arrival // since the last Take, oldest first
	bytes  int       // size of whole messages in queue
	spare  []arrival // the slice of the previous queue, for reuse
}

// topicKey is a topic at a master: a robot's own, or the common one if robot is "".
type topicKey struct{ robot, name string }

// watchedTopic is a topic with receivers, or that had some. It stays subscribed until the bridge closes.
type watchedTopic struct {
	topicKey
	receivers []*receiver
	sub       *ros1.Subscriber
}

// receiver is a subscription of a condition or of SubscribeRaw.
type receiver struct {
	fields  []string
	receive func(*condition.Message)
	raw     func(*RawMessage) // of SubscribeRaw, instead of fields and receive
}

// RawMessage is a whole message of a topic. It is valid until the callback returns.
type RawMessage struct {
	Def     *msg.Definition // of its type
	Data    []byte          // encoded
	Arrived time.Duration   // sim time of the newest state at its arrival
}

// arrival is a message for a receiver.
type arrival struct {
	*receiver
	message condition.Message
	raw     RawMessage
}

// Bounds of the queue between two steps, for example while the run is paused. Beyond them, the older half of the
// messages is dropped. Guesses: thousands of times as much as robots send.
const (
	maxQueued      = 1 << 16
	maxQueuedBytes = 64 << 20 // of whole messages
)

// NewTopics returns Topics without a bridge, which receive no messages.
func NewTopics() *Topics { return &Topics{topics: map[topicKey]*watchedTopic{}} }

// Subscribe implements condition.Topics.
func (t *Topics) Subscribe(topic string, fields []string, receive func(*condition.Message)) (remove func()) {
	return t.add(topicKey{name: topic}, &receiver{fields: fields, receive: receive})
}

// SubscribeRaw calls receive with each whole message of a topic until remove is called. The stepping goroutine calls it
// at the start of the first step after the message has arrived. If robot has its own master, the topic is there.
func (t *Topics) SubscribeRaw(robot, topic string, receive func(*RawMessage)) (remove func()) {
	return t.add(topicKey{robot, topic}, &receiver{raw: receive})
}

func (t *Topics) add(topic topicKey, r *receiver) (remove func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.topics[topic]
	if h == nil {
		h = &watchedTopic{topicKey: topic}
		t.topics[topic] = h
		if b := t.bridge; b != nil { // after a restart with another world
			b.calls.Go(func() {
				if err := t.open(b, h); err != nil {
					b.refused(err)
				}
			})
		}
	}
	h.receivers = append(h.receivers, r)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		h.receivers = slices.DeleteFunc(h.receivers, func(x *receiver) bool { return x == r })
		t.queue = slices.DeleteFunc(t.queue, func(a arrival) bool { return a.receiver == r })
	}
}

// Take implements condition.Topics.
func (t *Topics) Take(now time.Duration) {
	t.mu.Lock()
	t.queue, t.spare, t.bytes = t.spare[:0], t.queue, 0
	t.mu.Unlock()
	for i := range t.spare {
		if raw := t.spare[i].receiver.raw; raw != nil {
			m := &t.spare[i].raw
			m.Arrived = now
			raw(m)
			*m = RawMessage{} // release its memory
			continue
		}
		m := &t.spare[i].message
		m.Arrived = now
		if !m.Stamped {
			m.Stamp = now
		}
		t.spare[i].receive(m)
	}
}

// Waiting returns the number of messages in the queue of the next Take. A message counts once for each receiver.
func (t *Topics) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// connect subscribes to all topics through a bridge.
func (t *Topics) connect(b *Bridge) error {
	t.mu.Lock()
	t.bridge = b
	all := make([]*watchedTopic, 0, len(t.topics))
	for _, h := range t.topics {
		all = append(all, h)
	}
	t.mu.Unlock()
	b.closers = append(b.closers, t.close)
	var errs []error
	for _, h := range all {
		errs = append(errs, t.open(b, h))
	}
	return errors.Join(errs...)
}

// close ends all subscriptions.
func (t *Topics) close() error {
	t.mu.Lock()
	t.bridge = nil
	var subs []*ros1.Subscriber
	for _, h := range t.topics {
		if h.sub != nil {
			subs = append(subs, h.sub)
			h.sub = nil
		}
	}
	t.mu.Unlock()
	var errs []error
	for _, s := range subs {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// open subscribes to a topic whose publishers may have any type.
func (t *Topics) open(b *Bridge, h *watchedTopic) error {
	readers := map[*msg.Definition]*topicReader{} // guarded by t.mu
	node := b.main
	if own := b.ownNodes[h.robot]; own != nil {
		node = own
	}
	sub, err := ros1.SubscribeRaw(node, h.name, func(from *ros1.Source, message []byte) {
		t.enqueue(h, readers, from.Def, message)
		for _, a := range b.acks {
			a.countMessageOf(from.Publisher)
		}
	})
	if err != nil {
		return err
	}
	sub.Confirm()
	t.mu.Lock()
	defer t.mu.Unlock()
	h.sub = sub
	return nil
}

// topicReader reads a topic's messages of one type for receivers.
type topicReader struct {
	receivers []*receiver // for which it was compiled
	picker    *mapping.Picker
	stamped   bool
	known     []bool // by path: whether the definition has it
}

// stampField is the first path of every topicReader.
const stampField = "header.stamp"

func newTopicReader(def *msg.Definition, receivers []*receiver) (*topicReader, error) {
	paths := []string{stampField}
	for _, r := range receivers {
		paths = append(paths, r.fields...)
	}
	p, missing, err := mapping.MatchPicker(def, paths)
	r := &topicReader{receivers: slices.Clone(receivers), picker: p, known: make([]bool, len(paths))}
	for i := range r.known {
		r.known[i] = !slices.Contains(missing, i)
	}
	r.stamped = r.known[0] && def.HasHeader()
	return r, err
}

// enqueue queues a message for the next step. Receivers of fields do not get a message that cannot be decoded.
func (t *Topics) enqueue(h *watchedTopic, readers map[*msg.Definition]*topicReader, def *msg.Definition,
	message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range h.receivers {
		if r.raw != nil {
			t.push(arrival{receiver: r, raw: RawMessage{Def: def, Data: bytes.Clone(message)}})
		}
	}
	r := readers[def]
	if r == nil || !slices.Equal(r.receivers, h.receivers) {
		var err error
		if r, err = newTopicReader(def, h.receivers); err != nil {
			return
		}
		readers[def] = r
	}
	picked, err := r.picker.Pick(message)
	if err != nil {
		return
	}
	base := condition.Message{Stamped: r.stamped}
	if r.stamped {
		base.Stamp = time.Duration(math.Round(picked[0].Number * 1e9))
	}
	next := 1 // index in picked
	for _, to := range r.receivers {
		if to.raw != nil {
			continue
		}
		m := base
		m.Values = make([]condition.Value, len(to.fields))
		for i := range m.Values {
			v := picked[next]
			m.Values[i] = condition.Value{Known: r.known[next], IsText: v.IsText, Number: v.Number, Text: v.Text}
			next++
		}
		t.push(arrival{receiver: to, message: m})
	}
}

// push adds a message to the queue; the caller holds mu.
func (t *Topics) push(a arrival) {
	if len(t.queue) == maxQueued || t.bytes+len(a.raw.Data) > maxQueuedBytes && len(t.queue) > 0 {
		t.queue = slices.Delete(t.queue, 0, (len(t.queue)+1)/2)
		t.bytes = 0
		for i := range t.queue {
			t.bytes += len(t.queue[i].raw.Data)
		}
	}
	t.queue, t.bytes = append(t.queue, a), t.bytes+len(a.raw.Data)
}
