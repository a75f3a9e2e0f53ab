package rtps

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
)

// ErrClosed is returned after Participant.Close.
var ErrClosed = errors.New("rtps: the participant is closed")

// Participant finds other participants and exchanges samples with them.
type Participant struct {
	cfg     Config
	prefix  Prefix
	out     *sender       // used by the goroutine of send only
	wake    chan struct{} // there is something to send
	calls   chan struct{} // there is a callback to call
	closing chan struct{}
	wait    sync.WaitGroup
	sockets

	mu           sync.Mutex
	closed       bool
	remotes      map[Prefix]*remote
	places       *admission.Table
	writers      map[uint32]*Writer
	readers      map[uint32]*Reader
	sources      map[GUID][]*source // other participants' writers, each for the readers that it fits
	lastEntity   uint32
	pubs, subs   *Writer // announce our writers and readers
	pool         pool
	history      int           // bytes that writers keep
	matchChanges atomic.Uint64 // number of readers that writers have gained or lost
	stats        Stats
	work
	callbacks
}

// Stats counts events since the participant was opened.
type Stats struct {
	Participants        int // others' participants that are present
	Malformed           int // datagrams that break the protocol
	Forged              int // announcements in the name of another participant
	RefusedParticipants int // participants, endpoints and samples beyond the limits
	RefusedEndpoints    int
	RefusedSamples      int
	Incompatible        int // endpoints of a topic of ours whose type or QoS does not fit
	Dropped             int // samples that a slow callback has not received
	Replaced            int // samples that writers have replaced before they were sent
	Resent              int // samples that were sent again, in whole or in part
	HistoryBytes        int // bytes that writers keep
	ReceivedBytes       int // bytes of samples that are incomplete or wait for a callback
}

// Open starts a participant. It has three or four goroutines: one reads each socket, one sends and keeps time, and one
// calls callbacks.
func Open(cfg Config) (*Participant, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.setDefaults()
	p := newParticipant(cfg)
	if err := p.open(&p.cfg); err != nil {
		return nil, err
	}
	var err error
	if p.out, err = newSender(p.wide, p.near); err != nil {
		p.sockets.close()
		return nil, err
	}
	for _, conn := range p.sockets.all() {
		p.wait.Go(func() { p.receive(conn) })
	}
	p.wait.Go(p.send)
	p.wait.Go(p.call)
	return p, nil
}

// newParticipant returns a participant without sockets.
func newParticipant(cfg Config) *Participant {
	p := &Participant{cfg: cfg, wake: make(chan struct{}, 1), calls: make(chan struct{}, 1),
		closing: make(chan struct{}), remotes: map[Prefix]*remote{}, writers: map[uint32]*Writer{},
		readers: map[uint32]*Reader{}, sources: map[GUID][]*source{}, pool: pool{limit: cfg.Limits.Received},
		places: admission.NewTable(cfg.Limits.Participants, 1), work: work{rooms: map[netip.AddrPort]*room{}}}
	_, _ = rand.Read(p.prefix[:]) // it never fails
	copy(p.prefix[:], ourVendor[:])
	p.openBuiltin()
	return p
}

// GUID returns the participant's GUID.
func (p *Participant) GUID() GUID { return newGUID(p.prefix, participantEntity) }

// Stats returns the present counts.
func (p *Participant) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Participants, s.HistoryBytes, s.ReceivedBytes = len(p.remotes), p.history, p.pool.used
	return s
}

// Close tells the other participants, releases all samples and waits for callbacks. A callback must not call it.
func (p *Participant) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.closed = true
	close(p.closing)
	p.mu.Unlock()
	p.sockets.close()
	p.wait.Wait()
	p.mu.Lock()
	for _, w := range p.writers {
		w.drop(len(w.history))
	}
	p.mu.Unlock()
	p.out.close()
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// remote is another participant.
type remote struct {
	prefix     Prefix
	vendor     Vendor
	meta, user netip.AddrPort
	lease      time.Duration
	heard      time.Time // when its last message came
	userData   string
	endpoints  map[uint32]*Endpoint
	matches    int // matches of its endpoints with ours
	bytes      int // of its samples that are incomplete or wait for a callback
	place      *admission.Conn
}

// Endpoint is a writer or a reader of another participant.
type Endpoint struct {
	GUID                GUID
	Writer              bool // otherwise, the endpoint is a reader
	Vendor              Vendor
	Topic, Type         string
	QoS                 QoS
	UserData            string
	ParticipantUserData string

	own netip.AddrPort // zero: the participant's address for data
}

// addr returns where an endpoint of a participant receives; e is nil for the entities that every participant has.
func (r *remote) addr(e *Endpoint) netip.AddrPort {
	switch {
	case e == nil:
		return r.meta
	case e.own.IsValid():
		return e.own
	}
	return r.user
}

// newEntity returns the number of a new writer or reader.
func (p *Participant) newEntity(kind uint32) uint32 {
	p.lastEntity++
	return p.lastEntity<<8 | kind
}

// callbacks are the callbacks that are due, in order.
type callbacks struct {
	events []event
	ready  []*Reader // readers with samples for their callbacks
}

// event is the appearance or disappearance of an endpoint, for one listener.
type event struct {
	owner   any
	do      func(Endpoint, bool)
	e       *Endpoint
	present bool
}

// notify queues an event. An appearance that the listener has not seen yet is withdrawn instead of followed by a
// disappearance, so that the queue stays bounded.
func (p *Participant) notify(owner any, do func(Endpoint, bool), e *Endpoint, present bool) {
	if do == nil {
		return
	}
	for i, old := range p.events {
		if !present && old.present && old.owner == owner && old.e.GUID == e.GUID {
			p.events = slices.Delete(p.events, i, i+1)
			return
		}
	}
	p.events = append(p.events, event{owner, do, e, present})
	signal(p.calls)
}

// call calls callbacks until the participant closes.
func (p *Participant) call() {
	for {
		p.mu.Lock()
		switch {
		case p.closed:
			p.mu.Unlock()
			return
		case len(p.events) > 0:
			e := shift(&p.events)
			p.mu.Unlock()
			e.do(*e.e, e.present)
		case len(p.ready) > 0:
			rd := shift(&p.ready)
			s := rd.pop()
			p.mu.Unlock()
			if s != nil {
				rd.cfg.OnSample(s.buf[:s.size], s.info)
				p.mu.Lock()
				p.discard(s)
				p.mu.Unlock()
			}
		default:
			p.mu.Unlock()
			select {
			case <-p.calls:
			case <-p.closing:
				return
			}
		}
	}
}
