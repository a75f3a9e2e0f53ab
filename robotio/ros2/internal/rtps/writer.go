package rtps

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"
	"time"
)

// ErrHistoryFull is returned for a sample that exceeds Limits.History together with those of other writers.
var ErrHistoryFull = errors.New("rtps: the history of all writers is full")

// WriterConfig configures a writer.
type WriterConfig struct {
	Topic, Type string // names of DDS, such as rt/chatter and std_msgs::msg::dds_::String_
	QoS         QoS
	UserData    string
	// OnMatch receives the readers that the writer reaches: when they appear, and when they disappear.
	OnMatch func(reader Endpoint, matched bool)
}

// Outgoing is a sample to write: the concatenation of Head, Body and Tail. The first four bytes are the encapsulation
// of CDR.
type Outgoing struct {
	Head, Tail []byte
	// Body is borrowed if Release is set. The writer calls Release exactly once, when no reader needs Body any more,
	// also if that is at once. Release must not block, nor call this package. Without it, Body is copied.
	Body    []byte
	Release func()
	Time    time.Time // source timestamp; zero: now
	To      GUID      // the only reader that gets the sample; zero: all
	Related Identity  // the request that the sample answers; zero: none
}

// Writer publishes samples of a topic. Its methods may be called from any goroutine, but not from Release.
type Writer struct {
	p       *Participant
	id      uint32
	cfg     WriterConfig
	last    int64
	sent    int64 // newest sample that was sent
	history []*outSample
	readers map[GUID]*target
	targets []*target    // those in readers, in the order of their appearance
	matched atomic.Int32 // their number
	dests   []dest       // see destinations
	moved   bool
	beats   uint32
	beatAt  time.Time // when the next HEARTBEAT is due, if a reader lacks samples
	turn    int       // index in targets of the reader that was answered last
	queued  bool
	closed  bool
}

// outSample is a sample in a writer's history.
type outSample struct {
	seq              int64
	head, body, tail []byte
	size             int
	release          func()
	time, expires    time.Time
	to               GUID
	inline           message
	key              GUID
	brief            bool // is kept only for the present readers
	busy             bool // is being sent
	gone             bool // left the history while it was busy
}

// NewWriter starts to publish a topic.
func (p *Participant) NewWriter(cfg WriterConfig) (*Writer, error) {
	if err := checkNames(cfg.Topic, cfg.Type, cfg.UserData, &cfg.QoS); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	w := &Writer{p: p, id: p.newEntity(writerKind), cfg: cfg, readers: map[GUID]*target{}}
	p.writers[w.id] = w
	p.pubs.announce(w.GUID(), p.describe(w.GUID(), cfg.Topic, cfg.Type, cfg.QoS, cfg.UserData), nil)
	for _, r := range p.remotes {
		for _, e := range r.endpoints {
			p.matchReader(w, r, e)
		}
	}
	return w, nil
}

func checkNames(topic, typ, userData string, q *QoS) error {
	switch {
	case topic == "" || len(topic) >= maxName:
		return fmt.Errorf("topic = %q: must have 1 to %d bytes", topic, maxName-1)
	case typ == "" || len(typ) >= maxName:
		return fmt.Errorf("type = %q: must have 1 to %d bytes", typ, maxName-1)
	case len(userData) > maxUserData:
		return fmt.Errorf("user_data has %d bytes: must have at most %d", len(userData), maxUserData)
	}
	if err := q.validate(); err != nil {
		return err
	}
	if q.Depth == 0 {
		q.Depth = defaultDepth
	}
	return nil
}

// GUID returns the writer's GUID.
func (w *Writer) GUID() GUID { return newGUID(w.p.prefix, w.id) }

// Matched reports whether the writer reaches a reader.
func (w *Writer) Matched(reader GUID) bool {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	return w.readers[reader] != nil
}

// Known reports whether another participant has received the announcement of the writer.
func (w *Writer) Known(to Prefix) bool { return w.p.known(w.p.pubs, pubsReader, w.GUID(), to) }

// known reports whether a participant has acknowledged the announcement of an endpoint of ours. by is the writer of
// announcements, and reader is the entity that reads them in every participant.
func (p *Participant) known(by *Writer, reader uint32, own GUID, to Prefix) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := by.readers[newGUID(to, reader)]
	i := slices.IndexFunc(by.history, func(s *outSample) bool { return s.key == own })
	return t != nil && i >= 0 && t.acked >= by.history[i].seq
}

// MatchChanges returns a number that changes after the NumMatched of one of the participant's writers has.
func (p *Participant) MatchChanges() uint64 { return p.matchChanges.Load() }

// NumMatched returns the number of readers that the writer reaches.
func (w *Writer) NumMatched() int { return int(w.matched.Load()) }

// Acknowledged reports whether all samples have been sent, and received by all reliable readers.
func (w *Writer) Acknowledged() bool {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	return w.sent == w.last && !w.unacked()
}

// Write queues a sample and returns its sequence number. It never waits. If the history is full, the sample replaces
// the oldest one. If Write fails, it does not call Release.
func (w *Writer) Write(o Outgoing) (int64, error) {
	size := len(o.Head) + len(o.Body) + len(o.Tail)
	if size < 4 {
		return 0, fmt.Errorf("sample has %d bytes: must have at least the 4 of the encapsulation", size)
	}
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || w.closed {
		return 0, ErrClosed
	}
	if !w.cfg.QoS.TransientLocal && len(w.targets) == 0 { // nobody needs it
		w.last++
		w.sent = w.last
		if o.Release != nil {
			o.Release()
		}
		return w.last, nil
	}
	for len(w.history) >= w.cfg.QoS.Depth || p.history+size > p.cfg.Limits.History && len(w.history) > 0 {
		if w.history[0].seq > w.sent {
			p.stats.Replaced++
		}
		w.drop(1)
	}
	if p.history+size > p.cfg.Limits.History {
		return 0, ErrHistoryFull
	}
	s := p.newOutSample()
	s.head = append(s.head, o.Head...)
	if s.body, s.release = o.Body, o.Release; o.Release == nil {
		s.head, s.body = append(s.head, o.Body...), nil
	}
	s.tail = append(s.tail, o.Tail...)
	if s.time, s.to = o.Time, o.To; s.time.IsZero() {
		s.time = time.Now()
	}
	if life := w.cfg.QoS.Lifespan; life > 0 {
		s.expires = time.Now().Add(life)
	}
	if o.Related != (Identity{}) {
		s.inline.paramIdentity(pidRelated, o.Related)
		s.inline.paramIdentity(pidRelatedOld, o.Related)
		s.inline.sentinel()
	}
	w.append(s)
	return s.seq, nil
}

// append adds a sample to the history and queues it to be sent, unless there are no readers.
func (w *Writer) append(s *outSample) {
	w.last++
	s.seq, s.size = w.last, len(s.head)+len(s.body)+len(s.tail)
	w.p.history += s.size
	w.history = append(w.history, s)
	if len(w.targets) == 0 {
		w.sent = w.last
		w.trim()
		return
	}
	w.queue()
}

// announce publishes what a writer of endpoints says about one. With inline QoS, it says that the endpoint is gone.
func (w *Writer) announce(key GUID, text, inline message) {
	s := w.p.newOutSample()
	s.head, s.inline, s.key = append(s.head, text...), append(s.inline, inline...), key
	s.brief, s.time = len(inline) > 0, time.Now()
	w.append(s)
}

// withdraw publishes that an endpoint is gone.
func (w *Writer) withdraw(key GUID) {
	if i := slices.IndexFunc(w.history, func(s *outSample) bool { return s.key == key }); i >= 0 {
		w.removeAt(i)
	}
	text, inline := disposal(key, pidEndpoint)
	w.announce(key, text, inline)
}

// Close stops to publish and releases all samples, also those that a reader has not received.
func (w *Writer) Close() {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	if w.closed || w.p.closed {
		return
	}
	w.closed = true
	for _, t := range slices.Clone(w.targets) {
		w.remove(t.guid)
	}
	w.drop(len(w.history))
	delete(w.p.writers, w.id)
	w.p.pubs.withdraw(w.GUID())
}

// drop removes the oldest n samples of the history.
func (w *Writer) drop(n int) {
	for range n {
		w.removeAt(0)
	}
}

func (w *Writer) removeAt(i int) {
	s := w.history[i]
	w.history = slices.Delete(w.history, i, i+1)
	if s.gone = true; !s.busy {
		w.p.free(s)
	}
}

// trim removes the samples that no reader needs any more.
func (w *Writer) trim() {
	done := w.sent
	for _, t := range w.targets {
		if t.reliable {
			done = min(done, t.acked)
		}
	}
	for i := 0; i < len(w.history) && w.history[i].seq <= done; {
		if w.cfg.QoS.TransientLocal && !w.history[i].brief {
			i++
		} else {
			w.removeAt(i)
		}
	}
}

// find returns the sample with the lowest number from seq on, or nil.
func (w *Writer) find(seq int64) *outSample {
	i := sort.Search(len(w.history), func(i int) bool { return w.history[i].seq >= seq })
	if i == len(w.history) {
		return nil
	}
	return w.history[i]
}

// first returns the number of the oldest sample that was sent and is still there, or of the next one.
func (w *Writer) first() int64 {
	if len(w.history) > 0 {
		return min(w.history[0].seq, w.sent+1)
	}
	return w.sent + 1
}

// unacked reports whether a reliable reader lacks a sample that was sent.
func (w *Writer) unacked() bool {
	return slices.ContainsFunc(w.targets, func(t *target) bool { return t.reliable && t.acked < w.sent })
}

// queue queues the writer to be served, if it has work.
func (w *Writer) queue() {
	if !w.queued && !w.p.closed {
		w.queued = true
		if s := w.find(w.sent + 1); s != nil && s.size > fragmentSize {
			w.p.bulk = append(w.p.bulk, w)
		} else {
			w.p.urgent = append(w.p.urgent, w)
		}
		signal(w.p.wake)
	}
}
