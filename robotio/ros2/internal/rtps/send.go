package rtps

import (
	"net/netip"
	"slices"
	"time"
)

// work is what the goroutine that sends has to do.
type work struct {
	urgent, bulk []*Writer // writers with something to send: in single datagrams, and in fragments
	greet        []dest    // participants that should get our announcement at once
	spareOut     []*outSample
	nextTick     time.Time
	nextAnnounce time.Time
	announces    int
	burst        int // bytes that were sent since the last pause
	rooms        map[netip.AddrPort]*room
	m, tail      message // memory for the datagrams of a sample
	one          [1]dest // the destination of an answer
	replies      outbox  // for timers
}

// dest is where a datagram goes: one reader, or all matched readers of a participant at an address.
type dest struct {
	to       netip.AddrPort
	prefix   Prefix
	reader   uint32
	reliable bool
	burst    int // bytes that may be sent without a pause if the room is unknown
}

func (t *target) dest() dest {
	d := dest{t.remote.addr(t.e), t.remote.prefix, t.guid.entity(), t.reliable, maxBurst}
	if t.remote.vendor == FastDDS {
		d.burst = maxBurstFastDDS
	}
	return d
}

// destinations returns the readers, grouped by address: readers in one process share a datagram. The groups are made
// again after moved has been set.
func (w *Writer) destinations() []dest {
	if !w.moved {
		return w.dests
	}
	w.moved, w.dests = false, nil
	for _, t := range w.targets {
		d := t.dest()
		i := slices.IndexFunc(w.dests, func(o dest) bool { return o.to == d.to && o.prefix == d.prefix })
		if i < 0 {
			w.dests = append(w.dests, d)
		} else {
			w.dests[i].reader, w.dests[i].reliable = anyEntity, w.dests[i].reliable || d.reliable
		}
	}
	return w.dests
}

const (
	tickPeriod       = 50 * time.Millisecond
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
			p.serve(w)
		}
		announce, tick := !now.Before(p.nextAnnounce), p.nextTick
		p.mu.Unlock()
		for _, d := range greet {
			p.announcement(&m, d.prefix)
			p.out.send(d.to, m)
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

// pick removes the first writer of a queue.
func (p *Participant) pick(queue *[]*Writer) *Writer {
	if len(*queue) == 0 {
		return nil
	}
	w := shift(queue)
	w.queued = false
	return w
}

// shift removes the first element of a list.
func shift[T any](list *[]T) T {
	first := (*list)[0]
	*list = slices.Delete(*list, 0, 1)
	return first
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
		for len(w.history) > 0 && w.history[0].expired(now) {
			w.drop(1)
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

// serve sends one thing that a reader asks for, and the next new sample. The lock is held, but not while datagrams are
// sent.
func (p *Participant) serve(w *Writer) {
	answered := p.answerNext(w)
	if sent := p.sendNext(w); (answered || sent) && !w.closed {
		w.queue()
	}
}

// sendNext sends the next new sample of a writer, and reports whether there was one.
func (p *Participant) sendNext(w *Writer) bool {
	s := w.find(w.sent + 1)
	if s == nil {
		return false
	}
	seq, to, dests := s.seq, s.to, w.destinations()
	if to != (GUID{}) {
		dests = nil
		if t := w.readers[to]; t != nil {
			p.one[0] = t.dest()
			dests = p.one[:]
		}
	}
	w.beatAt = time.Now().Add(beatPeriod)
	p.transmit(w, s, dests, nil, seq)
	w.sent = max(w.sent, seq)
	for i := 0; to != (GUID{}) && i < len(w.targets); i++ { // all other reliable readers must not wait for it
		if t := w.targets[i]; t.reliable && t.guid != to {
			p.sendGap(w, t.dest(), seq, seq+1)
		}
	}
	w.trim()
	return true
}

// answerNext sends one thing that one of the readers asks for, and reports whether there was one.
func (p *Participant) answerNext(w *Writer) bool {
	for range w.targets {
		w.turn = (w.turn + 1) % len(w.targets)
		if p.answer(w, w.targets[w.turn]) {
			return true
		}
	}
	return false
}

// answer sends one thing that a reader asks for, and reports whether there was one.
func (p *Participant) answer(w *Writer, t *target) bool {
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
			p.resend(w, s, t, nil)
		} else {
			p.sendGap(w, t.dest(), seq, end)
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
			p.resend(w, s, t, &want)
		} else {
			p.sendGap(w, t.dest(), seq, seq+1)
		}
		return true
	}
	beat := t.greet
	if t.greet = false; beat {
		p.sendGap(w, t.dest(), 0, 0)
	}
	return beat
}

// resend sends a sample again, or the fragments of it that a reader wants.
func (p *Participant) resend(w *Writer, s *outSample, t *target, want *set) {
	p.stats.Resent++
	p.one[0] = t.dest()
	p.transmit(w, s, p.one[:], want, w.sent)
}

// fits reports whether a reader may get a sample.
func (s *outSample) fits(t *target) bool {
	return s.seq >= t.start && (s.to == GUID{} || s.to == t.guid)
}

func (w *Writer) heartbeat(m *message, reader uint32, last int64) {
	w.beats++
	m.heartbeat(reader, w.id, w.first(), last, w.beats)
}

// sendGap tells a reader which samples will not come, if any, and which ones there are.
func (p *Participant) sendGap(w *Writer, d dest, first, end int64) {
	p.m.start(p.prefix, d.prefix)
	if end > first {
		p.m.gap(d.reader, w.id, first, end)
	}
	w.heartbeat(&p.m, d.reader, w.sent)
	p.mu.Unlock()
	p.out.send(d.to, p.m)
	p.mu.Lock()
}

// transmit sends a sample, or only the fragments in want. The last datagram says that the writer's newest sample is
// last. The lock is held, but not while datagrams are sent.
func (p *Participant) transmit(w *Writer, s *outSample, dests []dest, want *set, last int64) {
	s.busy = true
	p.tail = append(p.tail[:0], 0, 0, 0)[:padded(s.size)-s.size]
	pad := len(p.tail)
	w.heartbeat(&p.tail, anyEntity, last)
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
		p.pace(dests, to-from)
		head, body, tail := s.pieces(from, to)
		for _, d := range dests {
			p.m.start(p.prefix, d.prefix)
			p.m.time(s.time)
			if fragments == 1 {
				p.m.data(d.reader, w.id, s.seq, flags, s.inline, s.size)
			} else {
				p.m.fragment(d.reader, w.id, s.seq, i, s.size, s.inline, to-from)
			}
			start, end := pad, pad // of what follows the payload
			if i == fragments {
				start = 0 // the size of other fragments is a multiple of 4
			}
			if i == final && d.reliable {
				end = len(p.tail)
			}
			p.out.send(d.to, p.m, head, body, tail, p.tail[start:end])
		}
	}
	p.mu.Lock()
	if s.busy = false; s.gone {
		p.free(s)
	}
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

// next returns a datagram to fill for an address.
func (o *outbox) next(to netip.AddrPort) *message {
	if o.n == len(o.datagrams) {
		o.datagrams = append(o.datagrams, datagram{})
	}
	d := &o.datagrams[o.n]
	o.n++
	d.to = to
	return &d.m
}

// undo forgets the last datagram.
func (o *outbox) undo() { o.n-- }

func (o *outbox) flush(send func(netip.AddrPort, message)) {
	for i := range o.datagrams[:o.n] {
		send(o.datagrams[i].to, o.datagrams[i].m)
	}
	o.n = 0
}
