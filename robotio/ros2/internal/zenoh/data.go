package zenoh

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Sample is what somebody has published, or a reply. Its bytes are valid until the callback returns.
type Sample struct {
	Key        string
	Payload    []byte
	Attachment []byte // nil if there is none
	Deleted    bool

	source source // who has sent it, if it has an order
	order  uint64 // grows with each sample of a source; 0 if unknown
}

func (m *message) sample(key string) Sample {
	sample := Sample{Key: key, Payload: m.payload, Attachment: m.attachment, Deleted: m.del}
	if (m.source != source{}) {
		sample.source, sample.order = m.source, uint64(m.sequence)+1
	} else if m.time != 0 {
		copy(sample.source.session[:], m.timeSource)
		sample.order = m.time
	}
	return sample
}

// Options are what a publication or reply may have besides its payload.
type Options struct {
	Attachment []byte
	Block      bool // routers wait for slow receivers instead of dropping the message
}

// Qualities of service: the priority of data, which is the default, and its bit not to drop.
const (
	qosData  = 5
	qosBlock = qosData | 1<<3
)

func (o Options) qos() byte {
	if o.Block {
		return qosBlock
	}
	return 0
}

// Put publishes a payload. It copies it and does not wait for the network.
func (s *Session) Put(keyText string, payload []byte, o Options) error {
	return s.send(&message{kind: kindPush, key: key{text: keyText, sender: true}, qos: o.qos(), body: bodyPut,
		payload: payload, attachment: o.Attachment})
}

func (s *Session) send(m *message) error {
	if err := checkKey(m.key.text); err != nil {
		return err
	}
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil {
		return ErrNotConnected
	}
	return l.send(m, false)
}

// Subscribe calls fn for each sample whose key matches the key expression.
func (s *Session) Subscribe(keyText string, fn func(Sample)) (*Declaration, error) {
	return s.declare(&Declaration{key: keyText, onSample: fn,
		hello: message{kind: kindDeclare, declare: declareSubscriber},
		bye:   message{kind: kindDeclare, declare: declareSubscriber + 1}})
}

// Token declares a liveliness token. It vanishes with the session's connection.
func (s *Session) Token(keyText string) (*Declaration, error) {
	return s.declare(&Declaration{key: keyText,
		hello: message{kind: kindDeclare, declare: declareToken},
		bye:   message{kind: kindDeclare, declare: declareToken + 1, key: key{text: keyText, sender: true}}})
}

// WatchTokens calls fn when a liveliness token appears or vanishes. The session's own tokens count, too. When the
// connection ends, all tokens vanish.
func (s *Session) WatchTokens(keyText string, fn func(key string, present bool)) (*Declaration, error) {
	return s.watch(keyText, declareToken, interestTokens, fn)
}

// WatchSubscribers calls fn when the first subscriber of a key expression appears in other sessions, and when the last
// one vanishes.
func (s *Session) WatchSubscribers(keyText string, fn func(key string, present bool)) (*Declaration, error) {
	return s.watch(keyText, declareSubscriber, interestSubscribers, fn)
}

func (s *Session) watch(keyText string, kind declaration, option byte, fn func(string, bool)) (*Declaration, error) {
	return s.declare(&Declaration{key: keyText, onChange: fn, watched: kind, present: map[string]bool{},
		hello: message{kind: kindInterest, modes: interestCurrent | interestFuture,
			options: interestKeys | option | interestRestricted},
		bye: message{kind: kindInterest}})
}

// Queryable calls fn for each query that matches the key expression. If complete, it has all answers for those keys.
func (s *Session) Queryable(keyText string, complete bool, fn func(*Query)) (*Declaration, error) {
	return s.declare(&Declaration{key: keyText, onQuery: fn,
		hello: message{kind: kindDeclare, declare: declareQueryable, complete: complete},
		bye:   message{kind: kindDeclare, declare: declareQueryable + 1}})
}

// Query is a question of another session. It may be answered after the callback, from any goroutine.
type Query struct {
	Key        string // an expression
	Parameters string
	Payload    []byte
	Attachment []byte // nil if there is none
	link       *link
	id         uint32
	left       *atomic.Int32 // who has not called Done
}

// answer passes a query to the queryables. Each of them gets a copy.
func (s *Session) answer(l *link, m *message, text string) {
	found := s.matching(text, func(d *Declaration) bool { return d.onQuery != nil })
	left := new(atomic.Int32)
	left.Store(int32(len(found)) + 1)
	q := Query{Key: text, Parameters: m.parameters, link: l, id: m.id, left: left}
	for _, d := range found {
		own := q
		own.Payload, own.Attachment = bytes.Clone(m.payload), bytes.Clone(m.attachment)
		d.onQuery(&own)
	}
	q.Done()
}

// Reply sends a reply. The key must match the query's.
func (q *Query) Reply(keyText string, payload []byte, o Options) error {
	if err := checkKey(keyText); err != nil {
		return err
	}
	m := message{kind: kindResponse, id: q.id, key: key{text: keyText, sender: true}, qos: qosBlock, body: bodyReply,
		payload: payload, attachment: o.Attachment}
	return q.link.send(&m, false)
}

// Done says that there are no more replies. It must be called once.
func (q *Query) Done() {
	if q.left.Add(-1) == 0 {
		_ = q.link.send(&message{kind: kindFinal, id: q.id, qos: qosBlock}, false)
	}
}

// Target says which of the queryables that match receive a query.
type Target byte

// Targets of a query: the best ones, all, or all that have all answers.
const (
	BestMatching Target = iota
	All
	AllComplete
)

// Question is a query that a session asks.
type Question struct {
	Key        string
	Parameters string
	Payload    []byte // nil for none
	Attachment []byte
	Target     Target
	Timeout    time.Duration // default 10 s, as zenohd's
}

// query is a question that waits for answers.
type query struct {
	onReply func(Sample)
	onDone  func(error)
	timer   *time.Timer
	err     error // of a reply; for the reading goroutine
}

// consolidationNone lets all replies through, as they come.
const consolidationNone = 1

// Get asks a question. It calls onReply for each reply, and then onDone once. After the timeout, it calls onDone with
// ErrTimeout on a goroutine of its own. If Get returns an error, it calls neither.
func (s *Session) Get(q Question, onReply func(Sample), onDone func(error)) error {
	q.Timeout = cmp.Or(q.Timeout, 10*time.Second)
	s.mu.Lock()
	if s.closed || len(s.pending) >= maxPending {
		defer s.mu.Unlock()
		if s.closed {
			return errClosed
		}
		return ErrFull
	}
	s.lastID++
	id := s.lastID
	p := &query{onReply: onReply, onDone: onDone}
	s.pending[id] = p
	p.timer = time.AfterFunc(q.Timeout, func() { s.end(id, ErrTimeout) })
	s.mu.Unlock()
	err := s.send(&message{kind: kindRequest, id: id, key: key{text: q.Key, sender: true}, qos: qosBlock,
		target: byte(q.Target), timeout: uint64(max(1, q.Timeout.Milliseconds())), body: bodyQuery,
		mode: consolidationNone, parameters: q.Parameters, payload: q.Payload, hasPayload: q.Payload != nil,
		attachment: q.Attachment})
	if err == nil || s.remove(id) == nil {
		return nil // or the timeout has called onDone
	}
	s.ending.Done()
	return err
}

// answered handles a response to a question. A question may have ended before.
func (s *Session) answered(m *message, text string) {
	s.mu.Lock()
	p := s.pending[m.id]
	s.mu.Unlock()
	switch {
	case p == nil:
	case m.kind == kindFinal:
		s.end(m.id, p.err)
	case m.body == bodyErr:
		p.err = fmt.Errorf("the query failed: %q", m.payload[:min(len(m.payload), 200)])
	default:
		p.onReply(m.sample(text))
	}
}

// end ends a question if it has not ended.
func (s *Session) end(id uint32, err error) {
	if p := s.remove(id); p != nil {
		defer s.ending.Done()
		p.onDone(err)
	}
}

// remove forgets a question and returns it, or nil if there is none. Close waits for a call of s.ending.Done.
func (s *Session) remove(id uint32) *query {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[id]
	if p != nil {
		delete(s.pending, id)
		p.timer.Stop()
		s.ending.Add(1)
	}
	return p
}

// failQueries ends all questions.
func (s *Session) failQueries(err error) {
	s.mu.Lock()
	var ids []uint32
	for id := range s.pending {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	slices.Sort(ids)
	for _, id := range ids {
		s.end(id, err)
	}
}
