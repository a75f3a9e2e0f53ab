package ros2

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// MismatchError means that a node publishes a topic with a type that differs from the type of a subscriber. If the type
// has another name, no messages from that node are received. As in ROS, they are received over DDS if only
// the definitions differ, and may be misread.
type MismatchError = wire.MismatchError

// mismatches are the publishers with other types.
type mismatches struct {
	mu     sync.Mutex
	all    map[rtps.GUID]*mismatch
	notify func(*MismatchError)
}

type mismatch struct {
	MismatchError
	told bool
}

const (
	maxMismatches = 100 // for one subscriber; a guess
	// nameWait is how long the report of a mismatch waits for the name of the publisher's node. The name usually
	// follows within milliseconds; a guess.
	nameWait = time.Second
)

// OnMismatch makes the subscriber call f once for each publisher of the topic that has another type. It calls f on any
// goroutine, also for publishers that exist already.
func (s *Subscriber) OnMismatch(f func(*MismatchError)) {
	s.wrong.mu.Lock()
	defer s.wrong.mu.Unlock()
	s.wrong.notify = f
	for id, m := range s.wrong.all {
		s.tell(id, m)
	}
}

// Mismatches returns an error for each publisher of the topic that has another type.
func (s *Subscriber) Mismatches() (all []*MismatchError) {
	s.wrong.mu.Lock()
	defer s.wrong.mu.Unlock()
	for id, m := range s.wrong.all {
		e := m.MismatchError
		e.Publisher = s.node.c.graph.nodeOf(id)
		all = append(all, &e)
	}
	slices.SortFunc(all, func(a, b *MismatchError) int { return strings.Compare(a.Error(), b.Error()) })
	return all
}

// tell reports a mismatch once. The caller holds the lock of the mismatches.
func (s *Subscriber) tell(id rtps.GUID, m *mismatch) {
	f := s.wrong.notify
	if f == nil || m.told {
		return
	}
	m.told = true
	e := m.MismatchError
	s.node.c.spawn(func() {
		e.Publisher = s.node.c.graph.awaitNode(s.ctx, id, nameWait)
		if s.ctx.Err() == nil {
			f(&e)
		}
	})
}

// compare notes whether a publisher has another type than def. def is nil if the subscriber takes any type, and does
// not know this one.
func (s *Subscriber) compare(e *rtps.Endpoint, def *msg.Definition) {
	m := &mismatch{MismatchError: MismatchError{Topic: s.name, Type: rosType(e.Type), Hash: typeHash(e.UserData)}}
	if def != nil {
		m.WantType, m.WantHash = def.TypeName, def.Hash
	}
	if z, ok := s.node.c.transport.(*zenohTransport); ok {
		m.Strict, m.Hash, m.WantHash = true, cmp.Or(m.Hash, noHash), z.hash(m.WantHash)
	}
	if m.Type == m.WantType && (m.Hash == "" || m.WantHash == "" || m.Hash == m.WantHash) {
		return
	}
	s.wrong.mu.Lock()
	defer s.wrong.mu.Unlock()
	if len(s.wrong.all) >= maxMismatches {
		return
	}
	if s.wrong.all == nil {
		s.wrong.all = map[rtps.GUID]*mismatch{}
	}
	s.wrong.all[e.GUID] = m
	s.tell(e.GUID, m)
}

// forget removes a publisher that is gone.
func (m *mismatches) forget(id rtps.GUID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, id)
}

// typeHash returns the hash of a type in the user data of an endpoint, or "".
func typeHash(userData string) string {
	for pair := range strings.SplitSeq(userData, ";") {
		if hash, ok := strings.CutPrefix(pair, "typehash="); ok {
			return hash
		}
	}
	return ""
}
