package rtps

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func open(t testing.TB, cfg Config) *Participant {
	t.Helper()
	p := must.Get(Open(cfg))(t)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// inbox collects the samples of a reader.
type inbox struct {
	*Reader
	got     must.List[Info]
	payload must.List[string]
	bytes   atomic.Int64
}

const (
	testTopic = "rt/chatter"
	testType  = "std_msgs::msg::dds_::String_"
)

func subscribe(t testing.TB, p *Participant, q QoS) *inbox {
	t.Helper()
	b := &inbox{}
	b.Reader = must.Get(p.NewReader(ReaderConfig{Topic: testTopic, Type: testType, QoS: q,
		OnSample: func(payload []byte, info Info) {
			b.bytes.Add(int64(len(payload)))
			b.payload.Add(string(payload[4:min(len(payload), 64)]))
			b.got.Add(info)
		}}))(t)
	return b
}

func advertise(t testing.TB, p *Participant, q QoS) *Writer {
	t.Helper()
	return must.Get(p.NewWriter(WriterConfig{Topic: testTopic, Type: testType, QoS: q}))(t)
}

// released waits until the writers of a participant keep nothing but announcements.
func released(t testing.TB, p *Participant) {
	t.Helper()
	must.Until(t, "the release of all samples", func() bool { return p.Stats().HistoryBytes < 1000 })
}

func text(s string) []byte {
	b := append([]byte{0, 1, 0, 0}, binary.LittleEndian.AppendUint32(nil, uint32(len(s)+1))...)
	return append(append(b, s...), 0)
}

// Writers and readers match if what is offered fits what is asked for, and then samples arrive.
func TestPairsOfQoS(t *testing.T) {
	all := []QoS{{}, {Reliable: true}, {TransientLocal: true}, {Reliable: true, TransientLocal: true}}
	for _, offered := range all {
		for _, asked := range all {
			t.Run(fmt.Sprintf("%v %v to %v %v", offered.Reliable, offered.TransientLocal, asked.Reliable,
				asked.TransientLocal), func(t *testing.T) {
				d := must.Domain(t)
				a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
				w := advertise(t, a, offered)
				in := subscribe(t, b, asked)
				fits := (offered.Reliable || !asked.Reliable) && (offered.TransientLocal || !asked.TransientLocal)
				if !fits {
					must.Until(t, "both to refuse", func() bool {
						return a.Stats().Incompatible > 0 && b.Stats().Incompatible > 0
					})
					must.Equal(t, w.NumMatched()+in.NumMatched(), 0, "matches")
					return
				}
				must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && in.NumMatched() == 1 })
				for i := range 5 {
					must.Get(w.Write(Outgoing{Head: text(strconv.Itoa(i))}))(t)
				}
				must.Until(t, "the samples", func() bool { return len(in.got.All()) == 5 })
				for i, info := range in.got.All() {
					must.Equal(t, info.Identity, Identity{w.GUID(), int64(i + 1)}, "sample %d", i)
				}
				must.Until(t, "the acknowledgement", w.Acknowledged)
			})
		}
	}
}

// A large sample arrives whole, from memory that the writer borrows until it has been received.
func TestLargeSamples(t *testing.T) {
	for _, size := range []int{fragmentSize - 1, fragmentSize, fragmentSize + 1, 921_654, 9_000_001} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			d := must.Domain(t)
			a, b := open(t, Config{Domain: d}), open(t, Config{Domain: d})
			got := make(chan []byte, 1)
			rd := must.Get(b.NewReader(ReaderConfig{Topic: testTopic, Type: testType, QoS: QoS{Reliable: true},
				OnSample: func(payload []byte, _ Info) { got <- append([]byte(nil), payload...) }}))(t)
			w := advertise(t, a, QoS{Reliable: true})
			must.Until(t, "a match", func() bool { return w.NumMatched() == 1 && rd.NumMatched() == 1 })
			body := make([]byte, size-8)
			for i := range body {
				body[i] = byte(i >> (i % 13))
			}
			var releases atomic.Int32
			must.Get(w.Write(Outgoing{Head: []byte{0, 1, 0, 0, 5}, Body: body, Tail: []byte{7, 8, 9},
				Release: func() { releases.Add(1) }}))(t)
			want := append(append([]byte{0, 1, 0, 0, 5}, body...), 7, 8, 9)
			select {
			case b := <-got:
				if string(b[:size]) != string(want) || len(b) > size+3 {
					t.Errorf("got %d bytes that differ from the %d written", len(b), size)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("not received; %+v", b.Stats())
			}
			must.Until(t, "the release", func() bool { return releases.Load() == 1 })
			released(t, a)
		})
	}
}
