package rtps

import (
	"slices"
	"time"
)

// source is a writer of another participant from which a reader gets samples.
type source struct {
	reader         *Reader
	guid           GUID
	remote         *remote
	e              *Endpoint
	reliable       bool
	synced         bool      // a reliable writer has said which samples it has
	next           int64     // all samples before it have been received or will not come
	held           []*sample // incomplete samples, and those that wait for an earlier one, in order
	acks, nackFrag uint32    // numbers of messages
	asked          time.Time // when the writer was last asked which samples it has
}

const (
	maxHeld     = 256 // samples of a reliable writer that wait for an earlier one
	maxPartial  = 2   // incomplete samples of a best-effort writer
	partialAge  = time.Second
	askPeriod   = 200 * time.Millisecond
	minFragment = 256 // smaller fragments would cost too much; CycloneDDS's have 1344 bytes
)

// slot returns the sample with a number, which is created if the number is new, or nil if it is not wanted.
func (x *source) slot(seq int64, now time.Time) *sample {
	if seq < x.next || x.synced && seq >= x.next+maxHeld {
		return nil
	}
	i := len(x.held)
	for i > 0 && x.held[i-1].info.Seq >= seq {
		i--
	}
	if i < len(x.held) && x.held[i].info.Seq == seq {
		return x.held[i]
	}
	p := x.reader.p
	switch {
	case !x.reliable && len(x.held) >= maxPartial:
		x.dropHeld(1)
		i = max(i-1, 0)
	case len(x.held) >= maxHeld:
		p.stats.RefusedSamples++
		return nil
	}
	s := p.newSample()
	s.remote, s.since = x.remote, now
	s.info.Identity = Identity{x.guid, seq}
	x.held = slices.Insert(x.held, i, s)
	return s
}

// dropHeld drops the first n of the samples that are held.
func (x *source) dropHeld(n int) {
	for _, s := range x.held[:n] {
		x.reader.p.discard(s)
	}
	x.held = append(x.held[:0], x.held[n:]...)
}

// forget drops one sample for which there is no memory.
func (x *source) forget(s *sample) {
	x.reader.p.stats.RefusedSamples++
	x.held = slices.DeleteFunc(x.held, func(o *sample) bool { return o == s })
	x.reader.p.discard(s)
}

// whole handles a sample that came in one datagram. Without payload there is nothing to deliver.
func (x *source) whole(in *incoming) {
	s := x.slot(in.seq, in.now)
	if s == nil || s.complete || s.skipped {
		return
	}
	if s.skipped = !in.hasPayload; !s.skipped {
		if s.buf == nil && !x.reader.p.grab(s, len(in.payload)) || s.buf != nil && s.size != len(in.payload) {
			x.forget(s)
			return
		}
		copy(s.buf, in.payload)
		s.complete, s.info.Time, s.info.Related, s.q = true, in.time, in.q.related, in.q
	}
	x.flush()
}

// fragment handles fragments of a sample.
func (x *source) fragment(in *incoming) {
	if in.each < minFragment || in.total < 1 || in.total > x.reader.p.cfg.Limits.Sample {
		x.reader.p.stats.RefusedSamples++
		return
	}
	s := x.slot(in.seq, in.now)
	if s == nil || s.complete || s.skipped {
		return
	}
	if s.buf == nil {
		if !x.reader.p.grab(s, in.total) {
			x.forget(s)
			return
		}
		s.each, s.total = in.each, (in.total+in.each-1)/in.each
		s.missing = s.total
		s.have = append(s.have[:0], make([]uint64, (s.total+63)/64)...)
		s.info.Time, s.info.Related, s.q = in.time, in.q.related, in.q
	}
	if in.total != s.size || in.each != s.each {
		return // it contradicts the first fragment
	}
	payload := in.payload
	for i := in.number; i < in.number+in.count && i <= s.total; i++ {
		from, to := (i-1)*s.each, min(i*s.each, s.size)
		if len(payload) < to-from {
			return
		}
		if word, bit := &s.have[(i-1)/64], uint64(1)<<((i-1)%64); *word&bit == 0 {
			copy(s.buf[from:to], payload)
			*word |= bit
			s.missing--
		}
		payload = payload[to-from:]
	}
	if s.missing == 0 {
		s.complete = true
		x.flush()
	}
}

// flush delivers the complete samples whose turn it is.
func (x *source) flush() {
	if !x.reliable {
		for i, s := range x.held {
			if s.complete || s.skipped {
				x.next = s.info.Seq + 1
				x.held[i] = nil
				x.dropHeld(i) // of a best-effort writer, older ones are lost
				x.held = append(x.held[:0], x.held[1:]...)
				x.finish(s)
				return
			}
		}
		return
	}
	for x.synced && len(x.held) > 0 {
		s := x.held[0]
		if s.info.Seq != x.next || !s.complete && !s.skipped {
			return
		}
		x.next++
		x.held = append(x.held[:0], x.held[1:]...)
		x.finish(s)
	}
}

func (x *source) finish(s *sample) {
	if s.complete {
		x.reader.deliver(s)
	} else {
		x.reader.p.discard(s)
	}
}

// advance gives up all samples before seq that are not complete.
func (x *source) advance(seq int64) {
	for len(x.held) > 0 && x.held[0].info.Seq < seq {
		s := x.held[0]
		x.held = append(x.held[:0], x.held[1:]...)
		x.finish(s)
	}
	x.next = max(x.next, seq)
	x.flush()
}

// heartbeat handles which samples a writer has, and answers which are missing.
func (x *source) heartbeat(first, last int64, final bool, out *outbox) {
	if !x.reliable || first < 0 || last < first-1 || last > maxSeq {
		return
	}
	if !x.synced {
		x.synced = true
		x.next = first
		if !x.reader.cfg.QoS.TransientLocal && x.e != nil && x.e.QoS.TransientLocal {
			x.next = last + 1 // a volatile reader gets no older samples
		}
		for len(x.held) > 0 && x.held[0].info.Seq < x.next {
			x.dropHeld(1)
		}
	}
	x.next = max(x.next, 1)
	x.advance(first)
	want := set{base: x.next}
	var partial [maxFragWants]*sample
	partials := 0
	held := x.held
	for seq := x.next; seq <= last && seq < x.next+maxHeld; seq++ {
		switch {
		case len(held) == 0 || held[0].info.Seq != seq:
			want.add(seq)
		default:
			if s := held[0]; !s.complete && !s.skipped && partials < len(partial) {
				partial[partials] = s
				partials++
			}
			held = held[1:]
		}
	}
	if final && want.n == 0 && partials == 0 {
		return
	}
	m := out.next(x.remote.addr(x.e))
	m.start(x.reader.p.prefix, x.guid.Prefix())
	x.acks++
	m.ackNack(x.reader.id, x.guid.entity(), &want, x.acks, true)
	for _, s := range partial[:partials] {
		lost := s.lost()
		x.nackFrag++
		m.nackFrag(x.reader.id, x.guid.entity(), s.info.Seq, &lost, x.nackFrag)
	}
}

// lost returns the first missing fragments.
func (s *sample) lost() (f set) {
	for i := 1; i <= s.total; i++ {
		if s.have[(i-1)/64]&(1<<((i-1)%64)) == 0 {
			if f.base == 0 {
				f.base = int64(i)
			}
			f.add(int64(i))
		}
	}
	return f
}

// gap handles that the samples from first on and before irrelevant's base, and those in irrelevant, will not come.
func (x *source) gap(first int64, irrelevant *set, now time.Time) {
	if !x.synced || first < 1 || irrelevant.base < first {
		return
	}
	if first <= x.next && irrelevant.base > x.next {
		x.advance(irrelevant.base)
	}
	skip := func(seq int64) {
		if s := x.slot(seq, now); s != nil && !s.complete {
			s.skipped = true
		}
	}
	for seq := max(first, x.next); seq < irrelevant.base && seq < x.next+maxHeld; seq++ {
		skip(seq)
	}
	for seq, ok := irrelevant.next(0); ok; seq, ok = irrelevant.next(seq + 1) {
		skip(seq)
	}
	x.flush()
}

// tick asks a silent writer which samples it has, and drops what stays incomplete.
func (x *source) tick(now time.Time, out *outbox) {
	x.ask(now, askPeriod, out)
	if !x.reliable && len(x.held) > 0 && now.Sub(x.held[0].since) > partialAge {
		x.dropHeld(1)
	}
}

// ask asks a reliable writer which samples it has, if it has never said so and was not asked for some time. Fast DDS
// answers a preemptive ACKNACK at once if its base is 0, and within 3 s if it is 1.
func (x *source) ask(now time.Time, interval time.Duration, out *outbox) {
	if !x.reliable || x.synced || now.Sub(x.asked) < interval {
		return
	}
	x.asked = now
	m := out.next(x.remote.addr(x.e))
	m.start(x.reader.p.prefix, x.guid.Prefix())
	x.acks++
	s := set{base: 1}
	if x.remote.vendor == FastDDS {
		s.base = 0
	}
	m.ackNack(x.reader.id, x.guid.entity(), &s, x.acks, false)
}
