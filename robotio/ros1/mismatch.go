package ros1

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// MismatchError says that a node publishes a topic with another type than this node subscribes to. None of its messages
// is received.
type MismatchError struct {
	Topic, Publisher  string
	Type, MD5         string // the publisher's
	WantType, WantMD5 string // the subscriber's
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("topic %s: %s: its messages are not taken", e.Topic, e.Types())
}

// Types describes both types. It includes the MD5 sums if the types have the same name but different definitions.
func (e *MismatchError) Types() string {
	if e.Type == e.WantType {
		return fmt.Sprintf("%s publishes another %s (md5 %s, here %s)", e.Publisher, e.Type, e.MD5, e.WantMD5)
	}
	return fmt.Sprintf("%s publishes %s, here it is %s", e.Publisher, e.Type, e.WantType)
}

// OnMismatch calls f, on any goroutine, once for each publisher of the topic with another type, including existing
// ones. It calls f again if such a publisher changes its type.
func (s *Subscriber) OnMismatch(f func(*MismatchError)) {
	s.onMismatch.Store(&f)
	for _, l := range s.topic.connections() {
		l.notifyMismatch(s)
	}
}

// Mismatches returns the publishers of the topic with another type.
func (s *Subscriber) Mismatches() (all []*MismatchError) {
	for _, l := range s.topic.connections() {
		l.mu.Lock()
		if l.mismatch != nil && !l.mismatch.fits(s.def) {
			all = append(all, l.mismatch)
		}
		l.mu.Unlock()
	}
	return all
}

func (e *MismatchError) fits(def *msg.Definition) bool {
	return matches(def.Name, e.Type) && matches(def.MD5, e.MD5)
}

// notifyMismatch reports the publisher's mismatch to a subscriber, unless that was done.
func (l *publisherLink) notifyMismatch(s *Subscriber) {
	f := s.onMismatch.Load()
	l.mu.Lock()
	e := l.mismatch
	tell := f != nil && e != nil && !e.fits(s.def) && l.notified[s] != e
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

// setMismatch stores the publisher's mismatch, or nil for none, and reports it to the subscribers.
func (l *publisherLink) setMismatch(e *MismatchError) {
	l.mu.Lock()
	if e == nil || l.mismatch == nil || *l.mismatch != *e { // not the same mismatch again
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

// refusedAs asks a publisher that refused a subscriber for its type, once for each text of refusal. It returns the
// mismatch that explains the refusal, or else the refusal. For a moment the publisher has one more subscriber.
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

// mismatch compares a publisher's header with a definition. It returns the mismatch, or else the error otherwise.
func mismatch(topic string, def *msg.Definition, theirs tcpros.Header, otherwise error) error {
	if matches(theirs["md5sum"], def.MD5) && matches(theirs["type"], def.Name) {
		return otherwise
	}
	return &MismatchError{topic, bounded(theirs["callerid"]), bounded(theirs["type"]), bounded(theirs["md5sum"]),
		def.Name, def.MD5}
}

// bounded truncates a peer's text. Valid names are shorter.
func bounded(s string) string { return fmt.Sprintf("%.200s", s) }
