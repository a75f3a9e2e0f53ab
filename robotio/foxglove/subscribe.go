package foxglove

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/web"
)

// queue is how many messages of a topic wait for a client: a second at 100 Hz. A guess.
const queue = 100

// subscription is a client's subscription of one channel.
type subscription struct {
	session *session
	id      uint32
	channel uint32
	topic   string
	md5     string // of the channel's messages
	out     *web.Outbox
	head    []byte // the writer's
}

// subscribe does as much as it can, and returns the errors of the rest.
func (x *session) subscribe(r *request) error {
	var errs []error
	for _, want := range r.Subscriptions {
		if err := x.subscribeOne(want.ID, want.Channel); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (x *session) subscribeOne(id, ch uint32) error {
	c, md5 := x.server.catalog.channel(ch)
	if c == nil {
		return fmt.Errorf("channel %d: is not advertised", ch)
	}
	s := &subscription{session: x, id: id, channel: ch, topic: c.Topic, md5: md5}
	s.out = x.client.NewOutbox(queue, 0, s.write)
	x.mu.Lock()
	_, taken := x.subs[id]
	for _, o := range x.subs {
		taken = taken || o.channel == ch
	}
	full := len(x.subs) >= x.client.Limits().Subscriptions
	if !taken && !full {
		x.subs[id] = s
	}
	x.mu.Unlock()
	switch {
	case taken:
		return fmt.Errorf("subscription %d of channel %d: there is one with this id or of this channel", id, ch)
	case full:
		return fmt.Errorf("channel %d: %d channels are subscribed to: must be at most %[2]d", ch,
			x.client.Limits().Subscriptions)
	}
	if err := x.server.subs.Subscribe(s.topic, s.out); err != nil {
		x.mu.Lock()
		delete(x.subs, id)
		x.mu.Unlock()
		return err
	}
	if c, _ := x.server.catalog.channel(ch); c == nil {
		x.forget(ch) // unadvertised meanwhile
	}
	return nil
}

func (x *session) unsubscribe(r *request) error {
	var errs []error
	for _, id := range r.SubscriptionIDs {
		x.mu.Lock()
		s := x.subs[id]
		delete(x.subs, id)
		x.mu.Unlock()
		if s == nil {
			errs = append(errs, fmt.Errorf("subscription %d: is none", id))
			continue
		}
		x.server.subs.Unsubscribe(s.topic, s.out)
	}
	return errors.Join(errs...)
}

// forget ends the subscription of a channel that has been unadvertised. It does not wait for the master.
func (x *session) forget(ch uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, s := range x.subs {
		if s.channel == ch {
			delete(x.subs, id)
			x.wait.Go(func() { x.server.subs.Unsubscribe(s.topic, s.out) })
		}
	}
}

// write sends one message, which is copied nowhere on its way.
func (s *subscription) write(m *web.Message) error {
	if m.From.Def.MD5 != s.md5 {
		return nil // a publisher of another type; the channel follows the topic's first
	}
	at := web.WallTime(m.At)
	if clock := s.session.server.clock; clock.Sim() {
		at = clock.Now()
	}
	s.head = appendMessageHead(s.head[:0], s.id, at)
	return s.session.client.Write(true, s.head, m.Data)
}
