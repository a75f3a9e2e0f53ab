package rtps

import (
	"net/netip"
	"time"
)

// work is what the goroutine that sends has to do.
type work struct {
	urgent, bulk []*Writer // writers with something to send: in single datagrams, and in fragments
	greet        []Prefix  // participants that should get our announcement at once
	spareOut     []*outSample
	spareIn      []*sample
	nextTick     time.Time
	nextAnnounce time.Time
	announces    int
	burst        int     // bytes that were sent since the last pause
	lanes        [2]lane // memory for datagrams: of urgent and of other samples
	replies      outbox  // for timers
}

// lane is memory for the datagrams of a sample. An urgent sample is sent between the fragments of another.
type lane struct {
	m, tail message
	dests   []dest
}

// dest is where a datagram goes: one reader, or all matched readers of a participant at an address.
type dest struct {
	to       netip.AddrPort
	prefix   Prefix
	reader   uint32
	reliable bool
	burst    int // bytes that may be sent without a pause
}

func (t *target) dest() dest {
	d := dest{t.remote.addr(t.e), t.remote.prefix, t.guid.entity(), t.reliable, maxBurst}
	if t.remote.vendor == FastDDS {
		d.burst = maxBurstFastDDS
	}
	return d
}

const (
	tickPeriod = 50 * time.Millisecond
	// Bytes that are sent without a pause. The default receive buffer of Linux holds three fragments, and Fast DDS uses
	// that. CycloneDDS asks for more, of which it gets at least twice the default.
	maxBurst         = 2 * fragmentSize
	maxBurstFastDDS  = fragmentSize
	earlyAnnounces   = 10 // the first announcements follow each other faster
	earlyPeriod      = 100 * time.Millisecond
	announcePeriod   = 3 * time.Second // as Fast DDS
	announcesInLease = 4
)

// send sends what is due until the participant closes.
func (p *Participant) send() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var m message
	for {
		now := time.Now()
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			p.farewell(&m)
			p.broadcast(m)
			return
		}
		p.tick(now)
		greet := p.greet
		p.greet = nil
		w := p.pick(&p.urgent)
		if w == nil {
			w = p.pick(&p.bulk)
		}
		if w != nil {
			p.serve(w, &p.lanes[1])
		}
		announce, tick := !now.Before(p.nextAnnounce), p.nextTick
		p.mu.Unlock()
		for _, prefix := range greet {
			p.greetRemote(&m, prefix)
		}
		if announce {
			p.announcement(&m, Prefix{})
			p.broadcast(m)
			if p.announces++; p.announces < earlyAnnounces {
				p.nextAnnounce = now.Add(earlyPeriod)
			} else {
				p.nextAnnounce = now.Add(min(announcePeriod, p.cfg.Lease/announcesInLease))
			}
		}
		if w == nil && len(greet) == 0 {
			p.burst = 0
			timer.Reset(time.Until(tick))
			select {
			case <-timer.C:
			case <-p.wake:
			case <-p.closing:
			}
		}
	}
}

func (p *Participant) greetRemote(m *message, prefix Prefix) {
	p.mu.Lock()
	r := p.remotes[prefix]
	p.mu.Unlock()
	if r != nil {
		p.announcement(m, prefix)
		p.out.send(r.meta, *m)
	}
}

// pick removes the first writer of a queue.
func (p *Participant) pick(queue *[]*Writer) *Writer {
	if len(*queue) == 0 {
		return nil
	}
	w := (*queue)[0]
	*queue = append((*queue)[:0], (*queue)[1:]...)
	w.queued = false
	return w
}

// tick does what is due every tickPeriod. The lock is held.
func (p *Participant) tick(now time.Time) {
	if now.Before(p.nextTick) {
		return
	}
	p.nextTick = now.Add(tickPeriod)
	for _, r := range p.remotes {
		if now.Sub(r.heard) > r.lease {
			p.removeRemote(r)
		}
	}
	for _, w := range p.writers {
		for i := 0; i < len(w.history); {
			if s := w.history[i]; s.expired(now) {
				w.removeAt(i)
			} else {
				i++
			}
		}
		if !now.Before(w.beatAt) && w.unacked() {
			w.beatAt = now.Add(beatPeriod)
			for _, t := range w.targets {
				t.greet = t.greet || t.reliable && t.acked < w.sent
			}
			w.queue()
		}
	}
	for _, list := range p.sources {
		for _, x := range list {
			x.tick(now, &p.replies)
		}
	}
	p.replies.flush(func(to netip.AddrPort, m message) { p.out.send(to, m) })
}

func (s *outSample) expired(now time.Time) bool { return !s.expires.IsZero() && now.After(s.expires) }

// serve sends the next sample of a writer, or what a reader asks for. The lock is held, but not while datagrams are
// sent.
func (p *Participant) serve(w *Writer, l *lane) {
	w.serving = true
	w.answers = !w.answers // neither new samples nor requests keep the others waiting
	done := w.answers && p.answerNext(w, l) || p.sendNext(w, l) || !w.answers && p.answerNext(w, l)
	w.serving = false
	if done && !w.closed {
		w.queue()
	}
}

// sendNext sends the next new sample of a writer, and reports whether there was one.
func (p *Participant) sendNext(w *Writer, l *lane) bool {
	s := w.find(w.sent + 1)
	if s == nil {
		return false
	}
	l.dests = append(l.dests[:0], w.dests...)
	if s.to != (GUID{}) {
		l.dests = l.dests[:0]
		if t := w.readers[s.to]; t != nil {
			l.dests = append(l.dests, t.dest())
		}
	}
	w.beatAt = time.Now().Add(beatPeriod)
	seq, to := s.seq, s.to
	p.transmit(w, s, l, nil, seq)
	w.sent = seq
	if to != (GUID{}) { // all other reliable readers must not wait for it
		l.dests = l.dests[:0]
		for _, t := range w.targets {
			if t.reliable && t.guid != to {
				l.dests = append(l.dests, t.dest())
			}
		}
		for _, d := range l.dests {
			p.sendGap(w, l, d, seq, seq+1)
		}
	}
	w.trim()
	return true
}

// answerNext sends one thing that one of the readers asks for, and reports whether there was one.
func (p *Participant) answerNext(w *Writer, l *lane) bool {
	for range w.targets {
		w.turn = (w.turn + 1) % len(w.targets)
		if p.answer(w, w.targets[w.turn], l) {
			return true
		}
	}
	return false
}

// answer sends one thing that a reader asks for, and reports whether there was one.
func (p *Participant) answer(w *Writer, t *target, l *lane) bool {
	d := t.dest()
	l.dests = append(l.dests[:0], d)
	if seq, ok := t.want.next(0); ok && seq <= w.sent {
		s := w.find(seq)
		for s != nil && !s.fits(t) && s.seq <= w.sent {
			s = w.find(s.seq + 1)
		}
		end := w.sent + 1 // the reader does not get the samples before this one
		if s != nil {
			end = min(end, s.seq)
		}
		for v, ok := seq, true; ok && v <= max(seq, end-1); v, ok = t.want.next(v + 1) {
			t.want.remove(v)
		}
		if end == seq {
			p.stats.Resent++
			p.transmit(w, s, l, nil, w.sent)
		} else {
			p.sendGap(w, l, d, seq, end)
		}
		return true
	}
	t.want.n = 0
	for i := range t.frags {
		f := &t.frags[i]
		if f.seq == 0 {
			continue
		}
		want, s, seq := f.want, w.find(f.seq), f.seq
		f.seq = 0
		if s != nil && s.seq == seq && s.size > fragmentSize && s.fits(t) {
			p.stats.Resent++
			p.transmit(w, s, l, &want, w.sent)
		} else {
			p.sendGap(w, l, d, seq, seq+1)
		}
		return true
	}
	if t.greet {
		t.greet = false
		l.m.start(p.prefix, d.prefix)
		w.heartbeat(&l.m, d.reader, w.sent)
		p.mu.Unlock()
		p.out.send(d.to, l.m)
		p.mu.Lock()
		return true
	}
	return false
}

// fits reports whether a reader may get a sample.
func (s *outSample) fits(t *target) bool {
	return s.seq >= t.start && (s.to == GUID{} || s.to == t.guid)
}

func (w *Writer) heartbeat(m *message, reader uint32, last int64) {
	w.beats++
	m.heartbeat(reader, w.id, w.first(), last, w.beats)
}

// sendGap tells a reader that samples will not come.
func (p *Participant) sendGap(w *Writer, l *lane, d dest, first, end int64) {
	l.m.start(p.prefix, d.prefix)
	l.m.gap(d.reader, w.id, first, end)
	w.heartbeat(&l.m, d.reader, w.sent)
	p.mu.Unlock()
	p.out.send(d.to, l.m)
	p.mu.Lock()
}

// transmit sends a sample to the destinations in l, or only the fragments in want. The last datagram says that the
// writer's newest sample is last. The lock is held, but not while datagrams are sent.
func (p *Participant) transmit(w *Writer, s *outSample, l *lane, want *set, last int64) {
	s.busy = true
	l.tail = append(l.tail[:0], 0, 0, 0)[:padded(s.size)-s.size]
	pad := len(l.tail)
	w.heartbeat(&l.tail, anyEntity, last)
	p.mu.Unlock()
	fragments := (s.size + fragmentSize - 1) / fragmentSize
	final := fragments // number of the last fragment to send
	for want != nil && final > 1 && !want.has(int64(final)) {
		final--
	}
	flags := byte(flagData)
	if s.brief {
		flags = flagKey
	}
	for i := 1; i <= final; i++ {
		if want != nil && !want.has(int64(i)) {
			continue
		}
		from, to := (i-1)*fragmentSize, min(i*fragmentSize, s.size)
		head, body, tail := s.pieces(from, to)
		burst := maxBurst
		for _, d := range l.dests {
			burst = min(burst, d.burst)
			l.m.start(p.prefix, d.prefix)
			l.m.time(s.time)
			if fragments == 1 {
				l.m.data(d.reader, w.id, s.seq, flags, s.inline, s.size)
			} else {
				l.m.fragment(d.reader, w.id, s.seq, i, s.size, s.inline, to-from)
			}
			start, end := pad, pad // of what follows the payload
			if i == fragments {
				start = 0 // the size of other fragments is a multiple of 4
			}
			if i == final && d.reliable {
				end = len(l.tail)
			}
			p.out.send(d.to, l.m, head, body, tail, l.tail[start:end])
		}
		if len(l.dests) > 0 {
			p.burst += to - from
		}
		if p.burst >= burst {
			p.burst = 0
			pause()
		}
		if i < final && l == &p.lanes[1] {
			p.sendUrgent()
		}
	}
	p.mu.Lock()
	if s.busy = false; s.gone {
		p.free(s)
	}
}

// sendUrgent sends samples that take single datagrams, between the fragments of another sample.
func (p *Participant) sendUrgent() {
	p.mu.Lock()
	for n := len(p.urgent); n > 0 && !p.closed; n-- {
		w := p.pick(&p.urgent)
		if s := w.find(w.sent + 1); w.serving || s != nil && s.size > fragmentSize {
			w.queue()
			continue
		}
		p.serve(w, &p.lanes[0])
	}
	p.mu.Unlock()
}

// pieces returns the memory of the sample's bytes in an interval.
func (s *outSample) pieces(from, to int) (head, body, tail []byte) {
	cut := func(b []byte, start int) []byte {
		lo, hi := max(from-start, 0), min(to-start, len(b))
		if lo >= hi {
			return nil
		}
		return b[lo:hi]
	}
	return cut(s.head, 0), cut(s.body, len(s.head)), cut(s.tail, len(s.head)+len(s.body))
}

// outbox collects datagrams while the lock is held, and reuses their memory.
type outbox struct {
	datagrams []datagram
	n         int
}

type datagram struct {
	to netip.AddrPort
	m  message
}

// next returns an empty datagram for an address.
func (o *outbox) next(to netip.AddrPort) *message {
	if o.n == len(o.datagrams) {
		o.datagrams = append(o.datagrams, datagram{})
	}
	d := &o.datagrams[o.n]
	o.n++
	d.to = to
	return &d.m
}

func (o *outbox) flush(send func(netip.AddrPort, message)) {
	for i := range o.datagrams[:o.n] {
		send(o.datagrams[i].to, o.datagrams[i].m)
	}
	o.n = 0
}
