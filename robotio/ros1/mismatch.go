package ros1

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
)

// MismatchError says that a node publishes a topic as another type than this node subscribes to it as: none of its
// messages arrives.
type MismatchError struct {
	Topic, Publisher  string
	Type, MD5         string // the publisher's
	WantType, WantMD5 string // the subscriber's
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("topic %s: %s: its messages are not taken", e.Topic, e.Types())
}

// Types says who publishes which type, and which is wanted, with the whole sums where the types have one name, as two
// definitions of one message do.
func (e *MismatchError) Types() string {
	if e.Type == e.WantType {
		return fmt.Sprintf("%s publishes another %s (md5 %s, here %s)", e.Publisher, e.Type, e.MD5, e.WantMD5)
	}
	return fmt.Sprintf("%s publishes %s, here it is %s", e.Publisher, e.Type, e.WantType)
}

// OnMismatch has f called, on any goroutine, once for every publisher of the topic that publishes another type, those
// that are there already too, and again when such a publisher changes its type.
func (s *Subscriber) OnMismatch(f func(*MismatchError)) {
	s.onMismatch.Store(&f)
	for _, l := range s.topic.connections() {
		l.tellMismatch(s)
	}
}

// Mismatches lists the publishers of the topic that publish another type.
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

// tellMismatch tells a subscriber that the publisher's messages are of another type, unless it has been told.
func (l *publisherLink) tellMismatch(s *Subscriber) {
	f := s.onMismatch.Load()
	l.mu.Lock()
	e := l.mismatch
	tell := f != nil && e != nil && !e.fits(s.def) && l.told[s] != e
	if tell {
		if l.told == nil {
			l.told = map[*Subscriber]*MismatchError{}
		}
		l.told[s] = e
	}
	l.mu.Unlock()
	if tell {
		(*f)(e)
	}
}

// setMismatch keeps in which way the publisher's messages are of another type, or that they are not with nil, and tells
// the subscribers.
func (l *publisherLink) setMismatch(e *MismatchError) {
	l.mu.Lock()
	if e == nil || l.mismatch == nil || *l.mismatch != *e { // a publisher that is asked again is no other
		l.mismatch = e
	}
	l.mu.Unlock()
	if e == nil {
		return
	}
	for _, s := range l.sub.all() {
		l.tellMismatch(s)
	}
}

// refusedAs asks a publisher that has refused a subscriber for its type, once for each wording of its refusal, and
// returns the mismatch that is the reason, or the refusal itself. For a moment the publisher has a subscriber more.
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

// mismatch returns how a publisher's header does not fit a definition, and else the error.
func mismatch(topic string, def *msg.Definition, theirs tcpros.Header, otherwise error) error {
	if matches(theirs["md5sum"], def.MD5) && matches(theirs["type"], def.Name) {
		return otherwise
	}
	return &MismatchError{topic, bounded(theirs["callerid"]), bounded(theirs["type"]), bounded(theirs["md5sum"]),
		def.Name, def.MD5}
}

// bounded cuts what a peer says of itself: names are shorter.
func bounded(s string) string { return fmt.Sprintf("%.200s", s) }
