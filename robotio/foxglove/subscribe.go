package foxglove

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/web"
)

// queueLength is the length of a client's queue for a topic. It is a guess: one second at 100 Hz.
const queueLength = 100

// subscription is a client's subscription of one channel.
type subscription struct {
	session *session
	id      uint32
	channel uint32
	topic   string
	md5     string // of the channel's type
	out     *web.Outbox
	head    []byte // buffer of write
}

// subscribe subscribes to all channels that it can and joins the errors of the others.
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
	s.out = x.client.NewOutbox(queueLength, 0, s.write)
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
		return fmt.Errorf("subscription %d of channel %d: a subscription with this id or of this channel exists", id,
			ch)
	case full:
		return fmt.Errorf("channel %d: the client subscribes to %d channels: must be at most %[2]d", ch,
			x.client.Limits().Subscriptions)
	}
	if err := x.server.Subs.Subscribe(s.topic, s.out); err != nil {
		x.mu.Lock()
		delete(x.subs, id)
		x.mu.Unlock()
		return err
	}
	if c, _ := x.server.catalog.channel(ch); c == nil {
		x.drop(ch) // the channel was withdrawn meanwhile
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
			errs = append(errs, fmt.Errorf("subscription %d: does not exist", id))
			continue
		}
		x.server.Subs.Unsubscribe(s.topic, s.out)
	}
	return errors.Join(errs...)
}

// drop ends the subscription of a channel that was withdrawn. It does not wait for the master.
func (x *session) drop(ch uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, s := range x.subs {
		if s.channel == ch {
			delete(x.subs, id)
			x.client.Go(func() { x.server.Subs.Unsubscribe(s.topic, s.out) })
		}
	}
}

// write sends one message without copying it.
func (s *subscription) write(m *web.Message) error {
	if m.From.Def.MD5 != s.md5 {
		return nil // the publisher has another type than the channel
	}
	at := web.WallTime(m.At)
	if clock := s.session.server.Clock; clock.Sim() {
		at = clock.Now()
	}
	s.head = appendMessageHead(s.head[:0], s.id, at)
	return s.session.client.Write(true, s.head, m.Data)
}
