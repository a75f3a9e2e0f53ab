package rtps

import (
	"slices"
	"time"
)

// ReaderConfig configures a reader.
type ReaderConfig struct {
	Topic, Type string // names of DDS
	QoS         QoS
	UserData    string
	// OnSample receives the samples of each writer in their order. The payload begins with the encapsulation of CDR and
	// may be followed by up to 3 bytes of padding. It is valid only during the call.
	OnSample func(payload []byte, info Info)
	// OnMatch receives the writers that the reader gets samples from: when they appear, and when they disappear.
	OnMatch func(writer Endpoint, matched bool)
}

// Info describes a received sample.
type Info struct {
	Identity           // writer and sequence number
	Time     time.Time // source timestamp; zero if the writer gave none
	Related  Identity  // the request that the sample answers, or whose answer goes to that GUID; zero: none
}

// Reader subscribes to a topic.
type Reader struct {
	p       *Participant
	id      uint32
	cfg     ReaderConfig
	builtin func(*remote, *sample) // handles a sample with the lock held; nil for users' readers
	sources []*source
	queued  []*sample // for the callback
	ready   bool
	closed  bool
}

// sample is a sample that is received.
type sample struct {
	info     Info
	q        inlineQoS
	remote   *remote
	buf      []byte // at least size bytes
	size     int
	since    time.Time
	complete bool
	skipped  bool     // will not come
	missing  int      // fragments
	total    int      // fragments
	each     int      // bytes of a fragment
	have     []uint64 // a bit for each fragment that is there
}

// NewReader starts to subscribe to a topic.
func (p *Participant) NewReader(cfg ReaderConfig) (*Reader, error) {
	if err := checkNames(cfg.Topic, cfg.Type, cfg.UserData, &cfg.QoS); err != nil {
		return nil, err
	}
	if cfg.OnSample == nil {
		cfg.OnSample = func([]byte, Info) {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	rd := &Reader{p: p, id: p.newEntity(readerKind), cfg: cfg}
	p.readers[rd.id] = rd
	p.subs.announce(rd.GUID(), p.describe(rd.GUID(), cfg.Topic, cfg.Type, cfg.QoS, cfg.UserData), nil)
	for _, r := range p.remotes {
		for _, e := range r.endpoints {
			p.matchWriter(rd, r, e)
		}
	}
	return rd, nil
}

// GUID returns the reader's GUID.
func (rd *Reader) GUID() GUID { return newGUID(rd.p.prefix, rd.id) }

// NumMatched returns the number of writers that the reader gets samples from.
func (rd *Reader) NumMatched() int {
	rd.p.mu.Lock()
	defer rd.p.mu.Unlock()
	return len(rd.sources)
}

// Known reports whether another participant has received the announcement of the reader.
func (rd *Reader) Known(to Prefix) bool { return rd.p.known(rd.p.subs, subsReader, rd.GUID(), to) }

// Close ends the subscription. A callback that runs at the same time may still finish.
func (rd *Reader) Close() {
	p := rd.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if rd.closed || p.closed {
		return
	}
	rd.closed = true
	for _, x := range slices.Clone(rd.sources) {
		rd.remove(x.guid)
	}
	for _, s := range rd.queued {
		p.discard(s)
	}
	rd.queued = nil
	delete(p.readers, rd.id)
	p.subs.withdraw(rd.GUID())
}

// add adds a writer of another participant.
func (rd *Reader) add(r *remote, g GUID, e *Endpoint) {
	if slices.ContainsFunc(rd.sources, func(x *source) bool { return x.guid == g }) {
		return
	}
	x := &source{reader: rd, guid: g, remote: r, e: e, reliable: rd.cfg.QoS.Reliable}
	if e != nil {
		r.matches++
	}
	rd.sources = append(rd.sources, x)
	rd.p.sources[g] = append(rd.p.sources[g], x)
	rd.p.nextTick = time.Time{} // asks the writer
	signal(rd.p.wake)
}

// remove removes a writer of another participant, if it is there.
func (rd *Reader) remove(g GUID) {
	i := slices.IndexFunc(rd.sources, func(x *source) bool { return x.guid == g })
	if i < 0 {
		return
	}
	x := rd.sources[i]
	rd.sources = slices.Delete(rd.sources, i, i+1)
	rest := slices.DeleteFunc(rd.p.sources[g], func(o *source) bool { return o == x })
	if rd.p.sources[g] = rest; len(rest) == 0 {
		delete(rd.p.sources, g)
	}
	x.dropHeld(len(x.held))
	if x.e != nil {
		x.remote.matches--
		rd.p.notify(rd, rd.cfg.OnMatch, x.e, false)
	}
}

// deliver queues a complete sample for the callback. A full queue loses its oldest sample.
func (rd *Reader) deliver(s *sample) {
	if rd.builtin != nil {
		rd.builtin(s.remote, s)
		rd.p.discard(s)
		return
	}
	if len(rd.queued) >= rd.cfg.QoS.Depth {
		rd.p.stats.Dropped++
		rd.p.discard(shift(&rd.queued))
	}
	rd.queued = append(rd.queued, s)
	if !rd.ready {
		rd.ready = true
		rd.p.ready = append(rd.p.ready, rd)
		signal(rd.p.calls)
	}
}

// pop removes the oldest sample of the queue. If there are others, the reader's turn comes again.
func (rd *Reader) pop() *sample {
	rd.ready = false
	if len(rd.queued) == 0 {
		return nil
	}
	s := shift(&rd.queued)
	if len(rd.queued) > 0 {
		rd.ready = true
		rd.p.ready = append(rd.p.ready, rd)
	}
	return s
}
