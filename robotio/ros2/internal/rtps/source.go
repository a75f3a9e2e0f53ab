package rtps

import (
	"cmp"
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

// slot returns a sample that is not complete. It is created with n bytes if its number is new. The result is nil if the
// sample is not wanted.
func (x *source) slot(in *incoming, n int) *sample {
	if in.seq < x.next || x.synced && in.seq >= x.next+maxHeld {
		return nil
	}
	i, found := x.find(in.seq)
	if found {
		if s := x.held[i]; !s.complete && !s.skipped {
			return s
		}
		return nil
	}
	if !x.reliable && len(x.held) >= maxPartial {
		x.dropHeld(1)
		i = max(i-1, 0)
	}
	if len(x.held) >= maxHeld {
		x.reader.p.stats.RefusedSamples++
		return nil
	}
	s := x.reader.p.newSample(x.remote, n)
	if s != nil {
		s.info, s.q, s.since = Info{Identity{x.guid, in.seq}, in.time, in.q.related}, in.q, in.now
		x.held = slices.Insert(x.held, i, s)
	}
	return s
}

// find returns the index at which held has or lacks a sample.
func (x *source) find(seq int64) (i int, found bool) {
	return slices.BinarySearchFunc(x.held, seq, func(s *sample, seq int64) int { return cmp.Compare(s.info.Seq, seq) })
}

// dropHeld drops the first n of the samples that are held.
func (x *source) dropHeld(n int) {
	for _, s := range x.held[:n] {
		x.reader.p.discard(s)
	}
	x.held = slices.Delete(x.held, 0, n)
}

// whole handles a sample that came in one datagram. Without payload there is nothing to deliver.
func (x *source) whole(in *incoming) {
	if !in.hasPayload {
		x.skip(in)
		x.advance(x.next)
	} else if s := x.slot(in, len(in.payload)); s != nil && s.size == len(in.payload) {
		copy(s.buf, in.payload)
		x.completed(s)
	}
}

// skip notes that a sample of a reliable writer will not come.
func (x *source) skip(in *incoming) {
	if !x.reliable {
		return
	}
	if s := x.slot(in, 0); s != nil {
		s.skipped = true
	}
}

// fragment handles fragments of a sample.
func (x *source) fragment(in *incoming) {
	if in.each < minFragment || in.total < 1 || in.total > x.reader.p.cfg.Limits.Sample {
		x.reader.p.stats.RefusedSamples++
		return
	}
	s := x.slot(in, in.total)
	if s == nil {
		return
	}
	if s.each == 0 && s.size == in.total {
		s.each, s.total = in.each, (in.total+in.each-1)/in.each
		s.missing = s.total
		s.have = slices.Grow(s.have, (s.total+63)/64)[:(s.total+63)/64]
		clear(s.have)
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
		x.completed(s)
	}
}

// completed delivers a sample if it is its turn. Of a best-effort writer, older ones are lost then.
func (x *source) completed(s *sample) {
	if s.complete = true; x.reliable {
		x.advance(x.next)
	} else {
		x.advance(s.info.Seq + 1)
	}
}

// advance gives up all samples before seq that are not complete, and delivers the complete ones whose turn it is.
func (x *source) advance(seq int64) {
	x.next = max(x.next, seq)
	for len(x.held) > 0 {
		s := x.held[0]
		if s.info.Seq >= x.next {
			if !x.synced || s.info.Seq > x.next || !s.complete && !s.skipped {
				return
			}
			x.next++
		}
		if shift(&x.held); s.complete {
			x.reader.deliver(s)
		} else {
			x.reader.p.discard(s)
		}
	}
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
	x.advance(max(first, 1))
	m := out.next(x.remote.addr(x.e))
	m.start(x.reader.p.prefix, x.guid.Prefix())
	want, held, partials := set{base: x.next}, x.held, 0
	for seq := x.next; seq <= last && seq < x.next+maxHeld; seq++ {
		if len(held) == 0 || held[0].info.Seq != seq {
			want.add(seq)
			continue
		}
		if s := held[0]; !s.complete && !s.skipped && partials < maxFragWants {
			lost := s.lost(s.total)
			x.nackFrag++
			partials++
			m.nackFrag(x.reader.id, x.guid.entity(), seq, &lost, x.nackFrag)
		}
		held = held[1:]
	}
	if final && want.n == 0 && partials == 0 {
		out.undo()
		return
	}
	x.acks++
	m.ackNack(x.reader.id, x.guid.entity(), &want, x.acks, true)
}

// heartbeatFrag handles that a writer has sent the fragments of a sample up to number last, and asks for those that are
// missing. If all are missing, the next HEARTBEAT asks for the sample.
func (x *source) heartbeatFrag(seq, last int64, out *outbox) {
	i, found := x.find(seq)
	if !x.reliable || !found || x.held[i].complete || x.held[i].skipped {
		return
	}
	s := x.held[i]
	lost := s.lost(int(min(last, int64(s.total))))
	if lost.n == 0 {
		return
	}
	m := out.next(x.remote.addr(x.e))
	m.start(x.reader.p.prefix, x.guid.Prefix())
	x.nackFrag++
	m.nackFrag(x.reader.id, x.guid.entity(), seq, &lost, x.nackFrag)
}

// lost returns the first missing fragments among those up to number last.
func (s *sample) lost(last int) (f set) {
	for i := 1; i <= last; i++ {
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
	for seq := max(first, x.next); seq < irrelevant.base && seq < x.next+maxHeld; seq++ {
		x.skip(&incoming{seq: seq, now: now})
	}
	for seq, ok := irrelevant.next(0); ok; seq, ok = irrelevant.next(seq + 1) {
		x.skip(&incoming{seq: seq, now: now})
	}
	x.advance(x.next)
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
	s := set{base: 1}
	if x.remote.vendor == FastDDS {
		s.base = 0
	}
	m := out.next(x.remote.addr(x.e))
	m.start(x.reader.p.prefix, x.guid.Prefix())
	x.acks++
	m.ackNack(x.reader.id, x.guid.entity(), &s, x.acks, false)
}
