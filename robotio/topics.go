package robotio

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Topics delivers messages of topics to the conditions of one simulation, and to the callers of SubscribeRaw. The same
// Topics must be in the Options of the simulation, and in the Options of its bridges.
// For conditions, only the main nodes of bridges subscribe. So conditions receive nothing from a robot with its own
// master.
type Topics struct {
	mu      sync.Mutex
	bridges []*Bridge
	topics  map[topicKey]*watchedTopic
	queue   []arrival // messages since the last call of Take, oldest first
	bytes   int       // total size of the whole messages in the queue
	spare   []arrival // memory of the previous queue, for reuse
}

// topicKey identifies a topic by the robot whose own master has it and by its name. The common master has the topics
// whose robot is "".
type topicKey struct{ robot, name string }

// watchedTopic is a topic that has receivers, or had receivers earlier. The subscription lasts until the bridge closes,
// even without receivers.
type watchedTopic struct {
	topicKey
	receivers []*receiver
	subs      map[*Bridge]wire.Subscriber
}

// receiver is a subscription of a condition or of SubscribeRaw.
type receiver struct {
	fields  []string
	receive func(*condition.Message)
	// the function that was passed to SubscribeRaw, or nil; if set, fields and receive are unused
	raw func(*RawMessage)
}

// RawMessage is a whole message of a topic. It is valid only until the function that receives it returns.
type RawMessage struct {
	Def     *msg.Definition // definition of the message's type
	Data    []byte          // the encoded message
	Arrived time.Duration   // sim time of the newest state when the message arrived
}

// arrival is a message for one receiver.
type arrival struct {
	*receiver
	message condition.Message
	raw     RawMessage
}

// Limits of the queue of messages between two steps, for example while the run is paused. If the queue exceeds a limit,
// the older half of its messages is dropped. The values are guesses with a wide margin: robots send less than a
// thousandth.
const (
	maxQueued      = 1 << 16
	maxQueuedBytes = 64 << 20 // total size of whole messages, in bytes
)

// NewTopics returns Topics without bridges. Such Topics receive no messages.
func NewTopics() *Topics { return &Topics{topics: map[topicKey]*watchedTopic{}} }

// Subscribe implements condition.Topics.
func (t *Topics) Subscribe(topic string, fields []string, receive func(*condition.Message)) (remove func()) {
	return t.add(topicKey{name: topic}, &receiver{fields: fields, receive: receive})
}

// SubscribeRaw calls the function receive with each whole message of a topic, until the returned function remove is
// called. The stepping goroutine calls receive at the start of the first step after the message has arrived. If the
// robot has its own master, SubscribeRaw uses the topic at that master.
func (t *Topics) SubscribeRaw(robot, topic string, receive func(*RawMessage)) (remove func()) {
	return t.add(topicKey{robot, topic}, &receiver{raw: receive})
}

func (t *Topics) add(topic topicKey, r *receiver) (remove func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.topics[topic]
	if h == nil {
		h = &watchedTopic{topicKey: topic, subs: map[*Bridge]wire.Subscriber{}}
		t.topics[topic] = h
		for _, b := range t.bridges { // they exist already if the simulation has restarted with another world
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

// Waiting returns the number of messages that the next call of Take will deliver. A message counts once for each
// receiver.
func (t *Topics) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// connect adds a bridge and subscribes to all topics through it.
func (t *Topics) connect(b *Bridge) error {
	t.mu.Lock()
	t.bridges = append(t.bridges, b)
	all := make([]*watchedTopic, 0, len(t.topics))
	for _, h := range t.topics {
		all = append(all, h)
	}
	t.mu.Unlock()
	b.closers = append(b.closers, func() error { return t.close(b) })
	var errs []error
	for _, h := range all {
		errs = append(errs, t.open(b, h))
	}
	return errors.Join(errs...)
}

// close ends all subscriptions through a bridge.
func (t *Topics) close(b *Bridge) error {
	t.mu.Lock()
	t.bridges = slices.DeleteFunc(t.bridges, func(o *Bridge) bool { return o == b })
	var subs []wire.Subscriber
	for _, h := range t.topics {
		if s := h.subs[b]; s != nil {
			subs = append(subs, s)
			delete(h.subs, b)
		}
	}
	t.mu.Unlock()
	var errs []error
	for _, s := range subs {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// open subscribes to a topic through a bridge. The publishers of the topic may have any message type.
func (t *Topics) open(b *Bridge, h *watchedTopic) error {
	readers := map[*msg.Definition]*topicReader{} // guarded by t.mu
	node := b.main
	if own := b.ownNodes[h.robot]; own != nil {
		node = own
	}
	sub, err := node.SubscribeAny(h.name, func(from *wire.Source, message []byte) {
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
	h.subs[b] = sub
	return nil
}

// Deliver delivers a message as if it had come over a bridge: with the next step.
func (t *Topics) Deliver(topic string, def *msg.Definition, message []byte) {
	t.mu.Lock()
	var all []*watchedTopic
	for key, h := range t.topics {
		if key.name == topic {
			all = append(all, h)
		}
	}
	t.mu.Unlock()
	for _, h := range all {
		t.enqueue(h, map[*msg.Definition]*topicReader{}, def, message)
	}
}

// topicReader reads the messages of a topic that have a certain type, for the topic's receivers.
type topicReader struct {
	receivers []*receiver // receivers for which the picker was compiled
	picker    *dynamic.Picker
	stamped   bool
	known     []bool // whether the definition has the field at a path, by index of the path
}

// stampField is the first path of every topicReader.
const stampField = "header.stamp"

func newTopicReader(def *msg.Definition, receivers []*receiver) (*topicReader, error) {
	paths := []string{stampField}
	for _, r := range receivers {
		paths = append(paths, r.fields...)
	}
	p, err := dynamic.NewPicker(def, paths)
	missing, lacks := errors.AsType[dynamic.MissingError](err)
	if err != nil && !lacks {
		return nil, err
	}
	known := slices.Repeat([]bool{true}, len(paths))
	for _, m := range missing {
		known[m.Index] = false
	}
	return &topicReader{slices.Clone(receivers), p, known[0] && def.HasHeader(), known}, nil
}

// enqueue queues a message for the next step. If the message cannot be decoded, receivers of fields do not get it, but
// receivers of whole messages do.
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

// push adds a message to the queue. The caller holds mu.
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
