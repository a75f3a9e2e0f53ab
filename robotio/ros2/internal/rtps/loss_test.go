package rtps

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// losing returns a hook that loses a share of the datagrams.
func losing(share float64, seed uint64) func([]byte) bool {
	var mu sync.Mutex // each socket has its own goroutine
	r := rand.New(rand.NewPCG(seed, 1))
	return func([]byte) bool {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64() < share
	}
}

// A reliable reader gets all samples in order, whatever is lost in both directions, and the writer then keeps none.
func TestReliableInSpiteOfLoss(t *testing.T) {
	for _, size := range []int{8, 400_000} {
		for _, share := range []float64{0.05, 0.3} {
			t.Run(fmt.Sprintf("%d bytes, %.0f %% lost", size, 100*share), func(t *testing.T) {
				const count = 40
				d := must.Domain(t)
				a := open(t, Config{Domain: d, drop: losing(share, 1)})
				b := open(t, Config{Domain: d, drop: losing(share, 2)})
				w := advertise(t, a, QoS{Reliable: true, Depth: count})
				in := subscribe(t, b, QoS{Reliable: true, Depth: count})
				must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
				for i := range count {
					head := binary.LittleEndian.AppendUint32([]byte{0, 1, 0, 0}, uint32(i))
					must.Get(w.Write(Outgoing{Head: head, Body: make([]byte, size)}))(t)
				}
				must.Until(t, "all samples", func() bool { return len(in.got.All()) == count })
				for i, info := range in.got.All() {
					n := binary.LittleEndian.Uint32([]byte(in.payload.All()[i]))
					if info.Seq != int64(i+1) || n != uint32(i) {
						t.Fatalf("sample %d: got number %d with %d", i, info.Seq, n)
					}
				}
				must.Until(t, "the acknowledgement", w.Acknowledged)
				released(t, a)
			})
		}
	}
}

// A reader asks for the fragments that a HEARTBEAT_FRAG names and that it lacks.
func TestHeartbeatFrag(t *testing.T) {
	p := fuzzed(t)
	var m message
	var out outbox
	const writer, total = 1<<8 | writerKind, 4
	handle := func(build func()) {
		m.start(forgedPrefix(1), Prefix{})
		build()
		p.handle(m, netip.AddrPortFrom(loopback, 9), time.Unix(2, 0), &out)
	}
	handle(func() { m.heartbeat(anyEntity, writer, 1, 1, 1) })
	for _, i := range []int{1, 3} {
		handle(func() {
			m.fragment(anyEntity, writer, 1, i, total*fragmentSize, nil, fragmentSize)
			m = append(m, make([]byte, fragmentSize)...)
		})
	}
	for _, c := range []struct {
		seq  int64
		last uint32
		want string
	}{{1, 1, ""}, {1, 3, "[2]"}, {1, 1 << 31, "[2 4]"}, {2, 4, ""}, {-1, 4, ""}} {
		out.n = 0
		handle(func() { m.heartbeatFrag(anyEntity, writer, c.seq, c.last, 1) })
		var got string
		if out.n == 1 {
			b := cursor{b: out.datagrams[0].m[headerSize:]}
			b.take(16) // INFO_DST
			must.Equal(t, b.take(1)[0], idNackFrag, "kind of submessage")
			b.take(3 + 8) // flags, length and entities
			must.Equal(t, b.seq(), c.seq, "sequence number")
			var lost []int64
			for s, v := b.set(false), int64(0); ; {
				var ok bool
				if v, ok = s.next(v + 1); !ok {
					break
				}
				lost = append(lost, v)
			}
			got = fmt.Sprint(lost)
		}
		must.Equal(t, got, c.want, "asked for after fragments to %d of sample %d", c.last, c.seq)
	}
	must.Equal(t, p.stats.Malformed, 0, "malformed datagrams")
}

// heartbeatFrag says that the fragments of a sample up to number last were sent.
func (m *message) heartbeatFrag(reader, writer uint32, seq int64, last, count uint32) {
	m.about(idHeartbeatFrag, 0, 24, reader, writer)
	m.seq(seq)
	m.u32(last)
	m.u32(count)
}

// A late reader gets the newest samples of a transient local writer, and none of a volatile one.
func TestLateJoiners(t *testing.T) {
	for _, transient := range []bool{false, true} {
		t.Run(fmt.Sprintf("transient local %v", transient), func(t *testing.T) {
			d := must.Domain(t)
			q := QoS{Reliable: true, TransientLocal: transient, Depth: 3}
			a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
			w := advertise(t, a, q)
			for i := range 10 {
				must.Get(w.Write(Outgoing{Head: text(strconv.Itoa(i))}))(t)
			}
			in := subscribe(t, b, q)
			must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
			must.Get(w.Write(Outgoing{Head: text("end")}))(t)
			want := []int64{11}
			if transient {
				want = []int64{8, 9, 10, 11} // 8 may be replaced before it is sent
			}
			must.Until(t, "the last sample", func() bool {
				all := in.got.All()
				return len(all) > 0 && all[len(all)-1].Seq == 11
			})
			all := in.got.All()
			if n := len(all); n != len(want) && !(transient && n == 3) {
				t.Fatalf("got %v, want the numbers %v", all, want)
			}
			for i, info := range all {
				must.Equal(t, info.Seq, want[len(want)-len(all)+i], "number of sample %d", i)
			}
		})
	}
}

// Samples older than their lifespan are not sent any more.
func TestLifespan(t *testing.T) {
	d := must.Domain(t)
	q := QoS{Reliable: true, TransientLocal: true}
	a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
	short := q
	short.Lifespan = time.Millisecond
	w := advertise(t, a, short)
	must.Get(w.Write(Outgoing{Head: text("old")}))(t)
	must.Until(t, "the end of its life", func() bool { return a.Stats().HistoryBytes < 300 && w.Acknowledged() })
	must.Until(t, "an empty history", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(w.history) == 0
	})
	in := subscribe(t, b, q)
	must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
	must.Until(t, "a new sample", func() bool {
		must.Get(w.Write(Outgoing{Head: text("new")}))(t)
		return len(in.got.All()) > 0
	})
	must.Equal(t, in.got.All()[0].Seq > 1, true, "the old sample does not come")
}

// An answer goes to one reader, with the identity of the request; others get everything else without waiting for it.
func TestAnswersToOneReader(t *testing.T) {
	d := must.Domain(t)
	q := QoS{Reliable: true}
	server, one, two := open(t, Config{Domain: d}), open(t, Config{Domain: d}), open(t, Config{Domain: d})
	w := advertise(t, server, q)
	first, beside, second := subscribe(t, one, q), subscribe(t, one, q), subscribe(t, two, q)
	must.Until(t, "matches", func() bool {
		return w.NumMatched() == 3 && first.NumMatched()+beside.NumMatched()+second.NumMatched() == 3
	})
	request := Identity{first.GUID(), 1<<32 + 7}
	must.Get(w.Write(Outgoing{Head: text("for one"), To: first.GUID(), Related: request}))(t)
	must.Get(w.Write(Outgoing{Head: text("for all"), Related: Identity{second.GUID(), UnknownSeq}}))(t)
	must.Until(t, "the samples", func() bool {
		return len(first.got.All()) == 2 && len(beside.got.All()) == 1 && len(second.got.All()) == 1
	})
	must.Equal(t, first.got.All()[0].Related, request, "the request")
	must.Equal(t, second.got.All()[0].Seq, 2, "number of the sample for all")
	must.Equal(t, second.got.All()[0].Related, Identity{second.GUID(), UnknownSeq}, "the identity")
	must.Until(t, "the acknowledgement", w.Acknowledged)
}

// Endpoints and participants come and go, and listeners learn it, with what is known about them.
func TestComingAndGoing(t *testing.T) {
	d := must.Domain(t)
	var seen must.List[string]
	note := func(e Endpoint, present bool) {
		seen.Add(fmt.Sprint(present, " ", e.Topic, " ", e.Writer, " ", e.UserData, " ", e.ParticipantUserData))
	}
	var deaf atomic.Bool
	a := open(t, Config{Domain: d, OnEndpoint: note, drop: func([]byte) bool { return deaf.Load() }})
	b := open(t, Config{Domain: d, UserData: "enclave=/;", Lease: time.Second})
	var matches must.List[bool]
	rd := must.Get(a.NewReader(ReaderConfig{Topic: testTopic, Type: testType,
		OnMatch: func(e Endpoint, matched bool) { matches.Add(matched) }}))(t)
	w := must.Get(b.NewWriter(WriterConfig{Topic: testTopic, Type: testType, UserData: "typehash=x;"}))(t)
	must.Until(t, "a match", func() bool { return len(matches.All()) == 1 })
	w.Close()
	must.Until(t, "its end", func() bool { return len(matches.All()) == 2 })
	must.Equal(t, fmt.Sprint(matches.All()), "[true false]", "matches")
	must.Equal(t, fmt.Sprint(seen.All()), "[true rt/chatter true typehash=x; enclave=/; "+
		"false rt/chatter true typehash=x; enclave=/;]", "endpoints")

	advertise(t, b, QoS{})
	must.Until(t, "a match", func() bool { return rd.NumMatched() == 1 })
	start := time.Now()
	must.Do(t, b.Close())
	if d := time.Since(start); d > 5*time.Second { // 0.1 s on a machine that is not busy
		t.Errorf("closing took %v", d)
	}
	must.Until(t, "the farewell", func() bool { return rd.NumMatched() == 0 && a.Stats().Participants == 0 })

	c := open(t, Config{Domain: d, Lease: time.Second})
	advertise(t, c, QoS{})
	must.Until(t, "a match", func() bool { return rd.NumMatched() == 1 })
	deaf.Store(true) // as if the other process had been killed
	must.Until(t, "its lease to end", func() bool { return rd.NumMatched() == 0 && a.Stats().Participants == 0 })
}
