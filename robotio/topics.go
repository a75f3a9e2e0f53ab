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

// Topics bring what comes on topics to the conditions of one simulation, and whole messages to SubscribeRaw: it gets
// them in its Options, and a bridge when there is one. Then the bridge's main node subscribes to each topic that a
// condition names: of a robot with a master of its own conditions get nothing.
type Topics struct {
	mu     sync.Mutex
	bridge *Bridge // nil without
	topics map[topicKey]*watchedTopic
	come   []arrival // since the last Take, oldest first
	bytes  int       // of whole messages in come
	taken  []arrival // spare
}

// topicKey is a topic at a master: that of a robot, the common one for "".
type topicKey struct{ robot, name string }

// watchedTopic is a topic that somebody has subscribed. It stays subscribed to until the bridge closes.
type watchedTopic struct {
	topicKey
	receivers []*receiver
	sub       *ros1.Subscriber
}

// receiver is what a condition, or SubscribeRaw, has subscribed.
type receiver struct {
	fields  []string
	receive func(*condition.Message)
	raw     func(*RawMessage) // instead
}

// RawMessage is a whole message of a topic. It is valid during the call that it is passed to.
type RawMessage struct {
	Def     *msg.Definition // of its type
	Data    []byte          // encoded
	Arrived time.Duration   // sim time of the state that was the newest then
}

// arrival is a message for a receiver.
type arrival struct {
	*receiver
	message condition.Message
	raw     RawMessage
}

// Bounds of what waits between two steps, as of a run that is paused: older messages are dropped. Guesses: thousands of
// times what robots send.
const (
	maxCome      = 1 << 16
	maxComeBytes = 64 << 20 // of whole messages
)

// NewTopics returns topics without a bridge, on which nothing comes.
func NewTopics() *Topics { return &Topics{topics: map[topicKey]*watchedTopic{}} }

// Subscribe implements condition.Topics.
func (t *Topics) Subscribe(topic string, fields []string, receive func(*condition.Message)) (remove func()) {
	return t.add(topicKey{name: topic}, &receiver{fields: fields, receive: receive})
}

// SubscribeRaw has each whole message of a topic shown to receive, by the goroutine that steps, when the step begins
// before which it came, until remove is called. The topic is that of the master of a robot, if that has one of its own.
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
		if b := t.bridge; b != nil { // of a world that has begun again as another
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
		t.come = slices.DeleteFunc(t.come, func(a arrival) bool { return a.receiver == r })
	}
}

// Take implements condition.Topics.
func (t *Topics) Take(now time.Duration) {
	t.mu.Lock()
	t.come, t.taken, t.bytes = t.taken[:0], t.come, 0
	t.mu.Unlock()
	for i := range t.taken {
		if raw := t.taken[i].receiver.raw; raw != nil {
			m := &t.taken[i].raw
			m.Arrived = now
			raw(m)
			*m = RawMessage{} // its memory goes
			continue
		}
		m := &t.taken[i].message
		m.Arrived = now
		if !m.Stamped {
			m.Stamp = now
		}
		t.taken[i].receive(m)
	}
}

// Waiting returns how many messages the next Take shows, of all topics; each counts once for each that has subscribed.
func (t *Topics) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.come)
}

// connect has a bridge subscribe to all topics.
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

// open subscribes to a topic, of whatever type its publishers have.
func (t *Topics) open(b *Bridge, h *watchedTopic) error {
	readers := map[*msg.Definition]*topicReader{} // of the one goroutine that takes a publisher's messages at a time
	node := b.main
	if own := b.ownNodes[h.robot]; own != nil {
		node = own
	}
	sub, err := ros1.SubscribeRaw(node, h.name, func(from *ros1.Source, message []byte) {
		t.take(h, readers, from.Def, message)
		for _, a := range b.acks {
			a.published(from.Publisher)
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
	receivers []*receiver // that it was made for
	picker    *mapping.Picker
	stamped   bool
	known     []bool // by path
}

// stampField is the path that comes before those of the receivers.
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

// take has a message wait for the next step. One that cannot be read is left out for those who read fields.
func (t *Topics) take(h *watchedTopic, readers map[*msg.Definition]*topicReader, def *msg.Definition, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range h.receivers {
		if r.raw != nil {
			t.wait(arrival{receiver: r, raw: RawMessage{Def: def, Data: bytes.Clone(message)}})
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
	at := 1
	for _, to := range r.receivers {
		if to.raw != nil {
			continue
		}
		m := base
		m.Values = make([]condition.Value, len(to.fields))
		for i := range m.Values {
			v := picked[at]
			m.Values[i] = condition.Value{Known: r.known[at], IsText: v.IsText, Number: v.Number, Text: v.Text}
			at++
		}
		t.wait(arrival{receiver: to, message: m})
	}
}

// wait adds a message to those that wait.
func (t *Topics) wait(a arrival) {
	if len(t.come) == maxCome || t.bytes+len(a.raw.Data) > maxComeBytes && len(t.come) > 0 {
		t.come = slices.Delete(t.come, 0, (len(t.come)+1)/2)
		t.bytes = 0
		for i := range t.come {
			t.bytes += len(t.come[i].raw.Data)
		}
	}
	t.come, t.bytes = append(t.come, a), t.bytes+len(a.raw.Data)
}
