package zenoh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Errors of Put and Get.
var (
	ErrNotConnected = errors.New("no connection to the Zenoh router")
	ErrFull         = errors.New("the Zenoh router takes messages too slowly")
	ErrTimeout      = errors.New("no answer in time")
	errClosed       = errors.New("session is closed")
)

// Config says how a session connects. The zero value of a field means its default.
type Config struct {
	Router   string        // address of the router; default 127.0.0.1:7447
	Lease    time.Duration // after which silence ends the connection; default 10 s, which is zenohd's
	MaxBytes int           // of one message that arrives, and of those that wait to be sent; default 64 MiB, a guess
	// OnState receives whether the session is connected, and why it is not. It is called when that changes.
	OnState func(connected bool, err error)
}

// Limits of what a session keeps.
const (
	maxEntities = 1 << 16 // declared by the router
	maxKeys     = 1 << 14 // numbers of keys, of the router
	maxPending  = 1 << 12 // queries that wait for answers
)

// Waits between attempts to connect. They are guesses.
const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = time.Second
)

// entity is a subscriber, queryable or token of others that the router has declared to us.
type entity struct {
	kind declaration
	id   uint32
}

// Session is a client of a router.
type Session struct {
	cfg   Config
	id    ID
	stop  context.CancelFunc
	ended chan struct{}

	mu       sync.Mutex
	closed   bool
	ending   sync.WaitGroup // calls of onDone
	link     *link          // nil without a connection
	lastID   uint32
	declared map[uint32]*Declaration
	pending  map[uint32]*query
}

// Declaration is a subscriber, a queryable, a token or a watch of a session.
type Declaration struct {
	s     *Session
	id    uint32
	key   string
	hello message // what declares it to the router
	bye   message

	onSample func(Sample)
	onQuery  func(*Query)
	onChange func(key string, present bool)
	watched  declaration     // of a watch
	present  map[string]bool // keys of which a watch knows; for the reading goroutine
}

// Open starts a session. It does not wait for the router.
func Open(cfg Config) (*Session, error) {
	cfg.Router = cmp.Or(cfg.Router, "127.0.0.1:7447")
	cfg.Lease = cmp.Or(cfg.Lease, 10*time.Second)
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, 64<<20)
	if _, _, err := net.SplitHostPort(cfg.Router); err != nil {
		return nil, fmt.Errorf("router = %q: must be an address with a port: %w", cfg.Router, err)
	}
	if cfg.Lease < 10*time.Millisecond || cfg.Lease > time.Hour {
		return nil, fmt.Errorf("lease = %v: must be 10 ms to 1 h", cfg.Lease)
	}
	if cfg.MaxBytes < maxBatch {
		return nil, fmt.Errorf("maximum bytes = %d: must be at least %d", cfg.MaxBytes, maxBatch)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Session{cfg: cfg, id: newID(), stop: stop, ended: make(chan struct{}),
		declared: map[uint32]*Declaration{}, pending: map[uint32]*query{}}
	go s.run(ctx)
	return s, nil
}

// ID returns what identifies the session.
func (s *Session) ID() ID { return s.id }

// Connected reports whether the session has a connection to the router.
func (s *Session) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link != nil
}

// Close ends the session. It sends what waits, and returns after the last callback.
func (s *Session) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	<-s.ended
	s.ending.Wait()
}

// run connects again and again until the session is closed.
func (s *Session) run(ctx context.Context) {
	defer close(s.ended)
	defer s.failQueries(errClosed)
	wait := minBackoff
	var last string
	for ctx.Err() == nil {
		connected, err := s.connect(ctx)
		if connected {
			wait = minBackoff
		}
		if ctx.Err() != nil {
			return
		}
		s.failQueries(ErrNotConnected)
		if text := err.Error(); s.cfg.OnState != nil && (connected || text != last) {
			last = text
			s.cfg.OnState(false, fmt.Errorf("zenoh router %s: %w", s.cfg.Router, err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, maxBackoff)
	}
}

// connect opens a link and serves it until its end. It reports whether there was a link.
func (s *Session) connect(ctx context.Context) (connected bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dialer := net.Dialer{Timeout: s.cfg.Lease}
	conn, err := dialer.DialContext(ctx, "tcp", s.cfg.Router)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	abort := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	l, err := establish(conn, s.id, s.cfg.Lease, s.cfg.MaxBytes)
	if !abort() || err != nil {
		return false, cmp.Or(err, ctx.Err())
	}
	context.AfterFunc(ctx, l.finish)
	written := make(chan error, 1)
	go func() {
		err := l.write(ctx.Done(), s.cfg.Lease)
		_ = conn.Close() // ends the reading
		written <- err
	}()
	s.attach(l)
	if s.cfg.OnState != nil {
		s.cfg.OnState(true, nil)
	}
	for err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(l.lease))
		var batch []byte
		if batch, err = l.read(); err == nil {
			err = l.receive(batch, func(m *message) error { return s.handle(l, m) })
		}
	}
	s.mu.Lock()
	s.link = nil
	s.mu.Unlock()
	cancel()
	if werr := <-written; errors.Is(err, net.ErrClosed) {
		err = cmp.Or(werr, err)
	}
	s.forget()
	return true, err
}

// attach makes l the session's link, and declares to the router what the session has.
func (s *Session) attach(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = l
	for _, d := range s.declared {
		_ = l.send(&d.hello, true)
	}
}

// forget tells the watches that nothing is there any more.
func (s *Session) forget() {
	for _, d := range s.watches(0, "") {
		for key := range d.present {
			delete(d.present, key)
			d.onChange(key, false)
		}
	}
}

// declare adds a declaration. Its messages get the next id.
func (s *Session) declare(d *Declaration) (*Declaration, error) {
	if err := checkKey(d.key); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	s.lastID++
	d.s, d.id, d.hello.id, d.bye.id = s, s.lastID, s.lastID, s.lastID
	d.hello.key = key{text: d.key, sender: true}
	s.declared[d.id] = d
	if s.link != nil {
		_ = s.link.send(&d.hello, true)
	}
	return d, nil
}

// Close removes the declaration. A callback may still be running.
func (d *Declaration) Close() {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	if d.s.declared[d.id] != d {
		return
	}
	delete(d.s.declared, d.id)
	if d.s.link != nil {
		_ = d.s.link.send(&d.bye, true)
	}
}

// matching returns the declarations for which want returns true and whose keys overlap with key.
func (s *Session) matching(key string, want func(*Declaration) bool) []*Declaration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Declaration
	for _, d := range s.declared {
		if want(d) && (key == "" || overlap(d.key, key)) {
			found = append(found, d)
		}
	}
	return found
}

func (s *Session) watches(kind declaration, key string) []*Declaration {
	return s.matching(key, func(d *Declaration) bool {
		return d.onChange != nil && (kind == 0 || d.watched == kind)
	})
}

// handle handles a message of the router. An error ends the link.
func (s *Session) handle(l *link, m *message) error {
	text := m.key.text
	if m.key.number != 0 {
		prefix, ok := l.keys[m.key.number]
		if !ok || !m.key.sender { // we declare no numbers
			return fmt.Errorf("key %d is not declared", m.key.number)
		}
		text = prefix + text
	}
	if len(text) > maxKey {
		return fmt.Errorf("key has %d bytes: must have up to %d", len(text), maxKey)
	}
	switch m.kind {
	case kindPush:
		sample := m.sample(text)
		for _, d := range s.matching(text, func(d *Declaration) bool { return d.onSample != nil }) {
			d.onSample(sample)
		}
	case kindRequest:
		s.answer(l, m, text)
	case kindResponse, kindFinal:
		s.answered(m, text)
	case kindInterest:
		if m.modes&interestCurrent != 0 { // clients declare everything without being asked
			_ = l.send(&message{kind: kindDeclare, answers: true, to: m.id, declare: declareFinal}, false)
		}
	case kindDeclare:
		return s.declaration(l, m, text)
	}
	return nil
}

// declaration handles what the router says about others.
func (s *Session) declaration(l *link, m *message, text string) error {
	switch d := m.declare; {
	case d == declareFinal:
	case d == declareKey:
		if len(l.keys) >= maxKeys {
			return fmt.Errorf("the router has declared more than %d keys", maxKeys)
		}
		l.keys[uint16(m.id)] = text
	case d == declareKey+1:
		delete(l.keys, uint16(m.id))
	case d&1 == 0:
		if _, ok := l.entities[entity{d, m.id}]; !ok && len(l.entities) >= maxEntities {
			return fmt.Errorf("the router has declared more than %d entities", maxEntities)
		}
		l.entities[entity{d, m.id}] = text
		for _, w := range s.watches(d, text) {
			if !w.present[text] {
				w.present[text] = true
				w.onChange(text, true)
			}
		}
	default:
		e := entity{d - 1, m.id}
		if known, ok := l.entities[e]; ok {
			text = known
		}
		delete(l.entities, e)
		for other, key := range l.entities {
			if other.kind == e.kind && key == text {
				return nil // another one is left
			}
		}
		for _, w := range s.watches(e.kind, text) {
			if w.present[text] {
				delete(w.present, text)
				w.onChange(text, false)
			}
		}
	}
	return nil
}
