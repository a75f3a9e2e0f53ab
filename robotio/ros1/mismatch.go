package ros1

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// MismatchError means that a node publishes a topic with a type that differs from the type of this node's subscription.
type MismatchError = wire.MismatchError

// OnMismatch makes the subscriber call f once for each publisher of the topic that has another type. It calls f on any
// goroutine, also for publishers that exist already. It calls f again if such a publisher changes its type.
func (s *Subscriber) OnMismatch(f func(*MismatchError)) {
	s.onMismatch.Store(&f)
	for _, l := range s.topic.connections() {
		l.notifyMismatch(s)
	}
}

// Mismatches returns an error for each publisher of the topic that has another type.
func (s *Subscriber) Mismatches() (all []*MismatchError) {
	for _, l := range s.topic.connections() {
		l.mu.Lock()
		if l.mismatch != nil && !fits(l.mismatch, s.def) {
			all = append(all, l.mismatch)
		}
		l.mu.Unlock()
	}
	return all
}

// fits reports whether the publisher has the given type.
func fits(e *MismatchError, def *msg.Definition) bool {
	return matches(def.Name, e.Type) && matches(def.MD5, e.MD5)
}

// notifyMismatch reports the mismatch of the publisher to a subscriber, if this mismatch has not been reported before.
func (l *publisherLink) notifyMismatch(s *Subscriber) {
	f := s.onMismatch.Load()
	l.mu.Lock()
	e := l.mismatch
	tell := f != nil && e != nil && !fits(e, s.def) && l.notified[s] != e
	if tell {
		if l.notified == nil {
			l.notified = map[*Subscriber]*MismatchError{}
		}
		l.notified[s] = e
	}
	l.mu.Unlock()
	if tell {
		(*f)(e)
	}
}

// setMismatch stores the mismatch of the publisher and reports it to the subscribers. e is nil if there is no mismatch.
func (l *publisherLink) setMismatch(e *MismatchError) {
	l.mu.Lock()
	if e == nil || l.mismatch == nil || *l.mismatch != *e { // the mismatch is new
		l.mismatch = e
	}
	l.mu.Unlock()
	if e == nil {
		return
	}
	for _, s := range l.sub.all() {
		l.notifyMismatch(s)
	}
}

// refusedAs is called after a publisher has refused a subscriber. It asks the publisher for its type, but only once for
// each text of a refusal. If the types do not match, refusedAs returns the mismatch. If they match, it returns the
// refusal unchanged. During the request, the publisher has one more subscriber.
func (l *publisherLink) refusedAs(ctx context.Context, def *msg.Definition, refusal error) error {
	r, refused := errors.AsType[*tcpros.RefusedError](refusal)
	if !refused || def == anyMessage || r.Text == l.asked {
		return refusal
	}
	n := l.sub.node
	conn, _, theirs, err := n.dialPublisher(ctx, l.uri, tcpros.Header{"topic": l.sub.name, "type": "*", "md5sum": "*"})
	if err != nil {
		return refusal
	}
	n.untrack(conn)
	l.asked = r.Text
	return mismatch(l.sub.name, def, theirs, refusal)
}

// mismatch compares the header of a publisher with a definition. It returns a *MismatchError if they differ, else err.
func mismatch(topic string, def *msg.Definition, theirs tcpros.Header, err error) error {
	if matches(theirs["md5sum"], def.MD5) && matches(theirs["type"], def.Name) {
		return err
	}
	return &MismatchError{Topic: topic, Publisher: bounded(theirs["callerid"]), Type: bounded(theirs["type"]),
		MD5: bounded(theirs["md5sum"]), WantType: def.Name, WantMD5: def.MD5}
}

// bounded returns at most 200 bytes of a text that a peer has sent. Valid names are shorter.
func bounded(s string) string { return fmt.Sprintf("%.200s", s) }
