package robotio

import (
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

// Topics bring what comes on topics to the conditions of one simulation: it gets them in its Options, and a bridge when there is one. Then the
// bridge's main node subscribes to each topic that a condition names. Of a robot with a master of its own there is nothing.
type Topics struct {
	mu     sync.Mutex
	bridge *Bridge // nil without
	topics map[string]*watchedTopic
	come   []arrival // since the last Take, oldest first
	taken  []arrival // spare
}

// watchedTopic is a topic that conditions name. It stays subscribed to until the bridge closes.
type watchedTopic struct {
	name      string
	receivers []*receiver
	sub       *ros1.Subscriber
}

// receiver is what a condition has subscribed.
type receiver struct {
	fields  []string
	receive func(*condition.Message)
}

// arrival is a message for a receiver.
type arrival struct {
	*receiver
	message condition.Message
}

// maxCome bounds the messages between two steps, as of a run that is paused: older ones are dropped. A guess: thousands of times what robots send.
const maxCome = 1 << 16

// NewTopics returns topics without a bridge, on which nothing comes.
func NewTopics() *Topics { return &Topics{topics: map[string]*watchedTopic{}} }

// Subscribe implements condition.Topics.
func (t *Topics) Subscribe(topic string, fields []string, receive func(*condition.Message)) (remove func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.topics[topic]
	if h == nil {
		h = &watchedTopic{name: topic}
		t.topics[topic] = h
		if b := t.bridge; b != nil { // of a world that has begun again as another
			b.calls.Go(func() {
				if err := t.open(b, h); err != nil {
					b.refused(err)
				}
			})
		}
	}
	r := &receiver{fields, receive}
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
	t.come, t.taken = t.taken[:0], t.come
	t.mu.Unlock()
	for i := range t.taken {
		m := &t.taken[i].message
		m.Arrived = now
		if !m.Stamped {
			m.Stamp = now
		}
		t.taken[i].receive(m)
	}
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
	sub, err := ros1.SubscribeRaw(b.main, h.name, func(from *ros1.Source, message []byte) {
		t.add(h, readers, from.Def, message)
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

// add has a message wait for the next step. One that cannot be read is left out.
func (t *Topics) add(h *watchedTopic, readers map[*msg.Definition]*topicReader, def *msg.Definition, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
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
		m := base
		m.Values = make([]condition.Value, len(to.fields))
		for i := range m.Values {
			v := picked[at]
			m.Values[i] = condition.Value{Known: r.known[at], IsText: v.IsText, Number: v.Number, Text: v.Text}
			at++
		}
		if len(t.come) == maxCome {
			t.come = slices.Delete(t.come, 0, maxCome/2)
		}
		t.come = append(t.come, arrival{to, m})
	}
}
