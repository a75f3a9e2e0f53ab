package rtps

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// forger sends datagrams in the name of participants that do not exist.
type forger struct {
	t    testing.TB
	conn *net.UDPConn
	to   *Participant
	sent int
}

func newForger(t testing.TB, to *Participant) *forger {
	t.Helper()
	conn := must.Get(net.DialUDP("udp4", nil, to.meta.LocalAddr().(*net.UDPAddr)))(t)
	t.Cleanup(func() { conn.Close() })
	return &forger{t: t, conn: conn, to: to}
}

func forgedPrefix(n int) (p Prefix) {
	copy(p[:], []byte{1, 0x7e, 9, 9, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	return p
}

// announce announces participant n, in datagrams of participant as.
func (f *forger) announce(n, as int) {
	fake := &Participant{prefix: forgedPrefix(n), cfg: Config{Domain: f.to.cfg.Domain, Lease: time.Minute}}
	fake.sockets.index = 20
	var m message
	fake.announcement(&m, Prefix{})
	prefix := forgedPrefix(as)
	copy(m[8:20], prefix[:])
	f.send(m)
}

// endpoint announces a writer or a reader of participant n.
func (f *forger) endpoint(n int, entity uint32, topic string, seq int64) {
	fake := &Participant{prefix: forgedPrefix(n)}
	list := fake.describe(newGUID(fake.prefix, entity), topic, testType, QoS{Reliable: true}, "")
	var m message
	m.start(fake.prefix, f.to.prefix)
	m.data(pubsReader, pubsWriter, seq, flagData, nil, len(list))
	m = append(m, list...)
	m.heartbeat(pubsReader, pubsWriter, 1, seq, uint32(seq))
	f.send(m)
}

// send sends a datagram and waits now and then, so that the receive buffer does not overflow.
func (f *forger) send(m message) {
	f.t.Helper()
	must.Get(f.conn.Write(m))(f.t)
	if f.sent++; f.sent%16 == 0 {
		pause()
	}
}

// memory returns the bytes that are in use.
func memory() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// 10,000 participants, with writers, take no place from those that exchange samples with us, and cost bounded memory.
func TestFloodOfParticipants(t *testing.T) {
	const count = 10_000
	d := must.Domain(t)
	a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
	in := subscribe(t, a, QoS{Reliable: true, Depth: maxDepth})
	w := advertise(t, b, QoS{Reliable: true, Depth: maxDepth})
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
	f, before := newForger(t, a), memory()
	for n := range count {
		f.announce(n, n)
		if n%50 == 0 {
			must.Get(w.Write(Outgoing{Head: text(fmt.Sprint(n))}))(t)
		}
		if n%100 == 0 {
			for e := range 20 {
				f.endpoint(n, uint32(e+1)<<8|writerKind, testTopic, int64(e+1))
			}
		}
	}
	must.Until(t, "the samples", func() bool { return len(in.got.All()) == count/50 })
	places := a.cfg.Limits.Participants
	must.Until(t, "the count of what was refused", func() bool { // the kernel may have refused some, too
		f.announce(1, 2) // in the name of another
		s := a.Stats()
		return s.Participants <= places && s.RefusedParticipants > count/20 && s.Forged > 0
	})
	must.Until(t, "matches of few participants only", func() bool { return in.NumMatched() <= 1+places*20 })
	if used := memory() - before; used > 16<<20 {
		t.Errorf("%d bytes are in use after %d participants, want at most %d", used, count, 16<<20)
	}
}

// Whatever is sent in the name of a healthy writer's participant, its samples arrive: samples with forged numbers,
// HEARTBEATs and GAPs of other writers, and announcements that another participant's endpoints are gone.
func TestForgedDatagrams(t *testing.T) {
	d := must.Domain(t)
	a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
	in := subscribe(t, a, QoS{Reliable: true, Depth: maxDepth})
	w := advertise(t, b, QoS{Reliable: true, Depth: maxDepth})
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
	f := newForger(t, a)
	const writer = 1<<8 | writerKind
	var m message
	from := func(p Prefix, build func()) {
		m.start(p, Prefix{})
		build()
		f.send(m)
	}
	must.Until(t, "the forger's match", func() bool {
		f.announce(1, 1)
		f.endpoint(1, writer, testTopic, 1)
		return in.NumMatched() == 2
	})
	forger := forgedPrefix(1)
	for n := range 500 {
		seq := int64(n + 1)
		from(forger, func() { m.data(anyEntity, writer, seq<<20, flagData, nil, 4); m = append(m, 0, 1, 0, 0) })
		from(forger, func() { m.heartbeat(anyEntity, writer, seq, seq<<40, uint32(n)) })
		from(forger, func() { m.gap(anyEntity, writer, 1, maxSeq) })
		from(forger, func() { // the healthy writer is gone, says another participant
			key, inline := disposal(w.GUID(), pidEndpoint)
			m.data(anyEntity, pubsWriter, seq+1, flagKey, inline, len(key))
			m = append(m, key...)
		})
		from(forger, func() {
			key, inline := disposal(b.GUID(), pidParticipant)
			m.data(anyEntity, spdpWriter, seq+1, flagKey, inline, len(key))
			m = append(m, key...)
		})
		from(forgedPrefix(n+100), func() { m.ackNack(in.id, writer, &set{base: seq << 30}, uint32(n), true) })
		must.Get(w.Write(Outgoing{Head: text(fmt.Sprint(n))}))(t)
	}
	healthy := func() (n int) {
		for _, info := range in.got.All() {
			if info.GUID == w.GUID() {
				n++
			}
		}
		return n
	}
	must.Until(t, "the healthy writer's samples", func() bool { return healthy() == 500 })
	must.Equal(t, in.NumMatched() >= 1 && w.NumMatched() == 1, true, "they still match")
	must.Equal(t, a.Stats().Forged > 0, true, "forged announcements are counted")
}

// A writer that begins giant samples and never ends them gets a bounded part of the memory.
func TestGiantFragments(t *testing.T) {
	d := must.Domain(t)
	a := open(t, Config{Domain: d, Limits: Limits{Received: 64 << 20, Sample: 8 << 20}})
	b := open(t, Config{Domain: d})
	in := subscribe(t, a, QoS{Reliable: true})
	w := advertise(t, b, QoS{Reliable: true})
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
	f := newForger(t, a)
	const entity = 1<<8 | writerKind
	must.Until(t, "the writer's match", func() bool {
		f.announce(1, 1)
		f.endpoint(1, entity, testTopic, 1)
		return in.NumMatched() == 2
	})
	var m message
	for seq := int64(1); seq < 300; seq++ {
		m.start(forgedPrefix(1), Prefix{})
		m.fragment(anyEntity, entity, seq, 2, 7<<20, nil, fragmentSize)
		m = append(m, make([]byte, fragmentSize)...)
		f.send(m)
		m.start(forgedPrefix(1), Prefix{})
		m.fragment(anyEntity, entity, seq, 1, 1<<31, nil, 4)
		f.send(append(m, 1, 2, 3, 4))
	}
	must.Get(w.Write(Outgoing{Head: []byte{0, 1, 0, 0}, Body: make([]byte, 3<<20)}))(t)
	must.Until(t, "the healthy writer's sample", func() bool { return len(in.got.All()) == 1 })
	s := a.Stats()
	if s.ReceivedBytes > 16<<20 || s.RefusedSamples < 100 {
		t.Errorf("%d bytes are held and %d samples refused, want at most %d, and at least 100", s.ReceivedBytes,
			s.RefusedSamples, 16<<20)
	}
}

// fuzzed is a participant without goroutines that knows a peer with a writer and a reader, both matched.
func fuzzed(t testing.TB) *Participant {
	cfg := Config{Limits: Limits{Received: 1 << 20, Sample: 1 << 18, Participants: 4, Endpoints: 4}}
	cfg.setDefaults()
	p := newParticipant(cfg)
	p.local = []netip.Addr{loopback}
	w := must.Get(p.NewWriter(WriterConfig{Topic: testTopic, Type: testType, QoS: QoS{Reliable: true,
		TransientLocal: true}}))(t)
	must.Get(p.NewReader(ReaderConfig{Topic: testTopic, Type: testType, QoS: QoS{Reliable: true}}))(t)
	at := netip.AddrPortFrom(loopback, 9)
	p.addRemote(&announcement{guid: newGUID(forgedPrefix(1), participantEntity), lease: time.Minute,
		builtin: builtinSet}, at, at, loopback, time.Unix(1, 0))
	r := p.remotes[forgedPrefix(1)]
	for _, entity := range []uint32{1<<8 | writerKind, 2<<8 | readerKind} {
		e := &Endpoint{GUID: newGUID(r.prefix, entity), Writer: isWriter(entity), Topic: testTopic, Type: testType,
			QoS: QoS{Reliable: true}}
		r.endpoints[entity] = e
		p.matchReader(w, r, e)
		for _, rd := range p.readers {
			p.matchWriter(rd, r, e)
		}
	}
	return p
}

// FuzzDatagrams handles datagrams of a known peer. No sequence of them may panic, or hold more than the limits allow.
func FuzzDatagrams(f *testing.F) {
	var m message
	add := func(build func()) {
		m.start(forgedPrefix(1), Prefix{})
		build()
		f.Add([]byte(m[headerSize:]))
	}
	fake := &Participant{prefix: forgedPrefix(1)}
	list := fake.describe(newGUID(fake.prefix, 5<<8|writerKind), testTopic, testType, QoS{}, "a=b;")
	const ours, writer, reader = 1<<8 | writerKind, 1<<8 | writerKind, 2<<8 | readerKind
	add(func() { m.data(0, pubsWriter, 1, flagData, nil, len(list)); m = append(m, list...) })
	add(func() { fake.announcement(&m, Prefix{}) })
	add(func() { fake.farewell(&m) })
	add(func() { m.time(time.Unix(5, 6)); m.data(0, writer, 1, flagData, nil, 8); m = append(m, text("abc")...) })
	add(func() {
		m.fragment(0, writer, 2, 1, 100_000, nil, 300)
		m = append(m, make([]byte, 300)...)
		m.heartbeat(0, writer, 1, 2, 1)
	})
	add(func() { m.gap(0, writer, 1, 5) })
	add(func() { m.ackNack(reader, ours, &set{base: 1, n: 3, bits: [8]uint32{1 << 31}}, 1, false) })
	add(func() { m.nackFrag(reader, ours, 1, &set{base: 1, n: 3, bits: [8]uint32{1 << 31}}, 1) })
	add(func() {
		m.fragment(0, writer, 3, 1, 100_000, nil, 300)
		m = append(m, make([]byte, 300)...)
		m.heartbeatFrag(0, writer, 3, 2, 1)
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		p := fuzzed(t)
		prefix := forgedPrefix(1)
		header := append([]byte{'R', 'T', 'P', 'S', 2, 3, 1, 0x7e}, prefix[:]...)
		var out outbox
		for i := range 3 {
			p.handle(append(header, b...), netip.AddrPortFrom(loopback, 9), time.Unix(int64(2+i), 0), &out)
		}
		if p.pool.used > 1<<20 || len(p.remotes) > 4 || out.n > 3*len(b) {
			t.Errorf("%d bytes held, %d participants, %d answers", p.pool.used, len(p.remotes), out.n)
		}
	})
}

// Received samples cost no allocations.
func TestNoAllocations(t *testing.T) {
	d := must.Domain(t)
	a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
	q := QoS{Reliable: true, Depth: 100}
	var got int
	done := make(chan struct{}, 1)
	must.Get(b.NewReader(ReaderConfig{Topic: testTopic, Type: testType, QoS: q, OnSample: func([]byte, Info) {
		if got++; got%10 == 0 {
			done <- struct{}{}
		}
	}}))(t)
	w := advertise(t, a, q)
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 })
	body, release, head, late := make([]byte, 921_600), func() {}, text("x"), time.After(time.Minute)
	round := func() {
		for i := range 10 {
			o := Outgoing{Head: head, Body: body, Release: release}
			if i%2 == 0 {
				o.Body, o.Release = nil, nil
			}
			must.Get(w.Write(o))(t)
		}
		select {
		case <-done:
		case <-late:
			t.Fatalf("samples are missing; %+v", b.Stats())
		}
	}
	for range 10 {
		round()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 40 {
		round()
	}
	runtime.ReadMemStats(&after)
	if each := float64(after.Mallocs-before.Mallocs) / 400; !(each < 0.5) { // timers and announcements take a few
		t.Errorf("%.2f allocations a sample", each)
	}
}
