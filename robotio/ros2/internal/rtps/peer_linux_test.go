package rtps

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestMain(m *testing.M) { ddspeer.Main(m) }

const blobType = "test::msg::dds_::Blob_"

// blobBytes returns the bytes of a test message, as the peers' programs make them.
func blobBytes(n int) []byte {
	b := make([]byte, n)
	for k := range b {
		b[k] = byte(k * 7)
	}
	return b
}

// blobHead returns the beginning of an encoded test message, up to its n bytes.
func blobHead(text string, n int) []byte {
	b := append([]byte{0, 1, 0, 0}, binary.LittleEndian.AppendUint32(nil, uint32(len(text)+1))...)
	b = append(append(b, text...), 0)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(n))
}

// line returns what a peer prints about a test message with a time.
func line(text string, body []byte, stamp time.Time) string {
	sum := uint32(0)
	for _, c := range body {
		sum = sum*31 + uint32(c)
	}
	return fmt.Sprintf("got %s %d %d %d", text, len(body), sum, stamp.UnixNano())
}

// eachPeer runs a test with each implementation, reliable and best effort.
func eachPeer(t *testing.T, run func(t *testing.T, kind string, q QoS)) {
	for _, kind := range []string{"cyclone", "fastdds"} {
		for _, reliable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s reliable %v", kind, reliable), func(t *testing.T) {
				run(t, kind, QoS{Reliable: reliable})
			})
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Others receive what we write: whole, in order, with its time. They forget the writer when it is closed.
func TestPeersReceive(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, q QoS) {
		d := must.Domain(t)
		p := open(t, Config{Domain: d, UserData: "enclave=/;"})
		w := must.Get(p.NewWriter(WriterConfig{Topic: "rt/blob0", Type: blobType, QoS: q}))(t)
		other := ddspeer.Start(t, kind, "sub", d, bit(q.Reliable), 0, 1)
		must.Until(t, "a match", func() bool { return w.NumMatched() == 1 })
		must.Until(t, "the first sample", func() bool { // the peer may still not know the writer
			must.Get(w.Write(Outgoing{Head: blobHead("first", 0)}))(t)
			time.Sleep(time.Millisecond)
			return len(other.Starting("got first")) > 0
		})
		for n, size := range []int{1, 1000, 60_000, 200_000, 921_600} {
			stamp, body, text := time.Unix(1_700_000_000+int64(n), 123_456_789), blobBytes(size), "n"+strconv.Itoa(n)
			want := line(text, body, stamp)
			written := false
			must.Until(t, want, func() bool {
				if !written || !q.Reliable {
					must.Get(w.Write(Outgoing{Head: blobHead(text, size), Body: body, Time: stamp}))(t)
					written = true
				}
				time.Sleep(time.Millisecond)
				return len(other.Starting(want)) > 0
			})
		}
		w.Close()
		must.Until(t, "no match", func() bool { return w.NumMatched() == 0 })
	})
}

// We receive what others write.
func TestPeersSend(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, q QoS) {
		const size, count = 300_000, 20
		q.Depth = count
		d := must.Domain(t)
		p := open(t, Config{Domain: d})
		var got must.List[int]
		rd := must.Get(p.NewReader(ReaderConfig{Topic: "rt/blob0", Type: blobType, QoS: q,
			OnSample: func(payload []byte, info Info) {
				text, _, _ := strings.Cut(string(payload[9:min(20, len(payload))]), "\x00")
				n, err := strconv.Atoi(text)
				head := blobHead("n"+text, size)
				if err != nil || string(payload[:len(head)]) != string(head) ||
					string(payload[len(head):len(head)+size]) != string(blobBytes(size)) {
					t.Errorf("sample %v has %d bytes that differ from those sent", info.Identity, len(payload))
				}
				if age := time.Since(info.Time); age < 0 || age > time.Minute {
					t.Errorf("sample %v was sent %v ago", info.Identity, age)
				}
				got.Add(n)
			}}))(t)
		other := ddspeer.Start(t, kind, "pub", d, bit(q.Reliable), 0, 1, size, count)
		must.Until(t, "the end", func() bool { return len(other.Starting("published")) > 0 })
		if q.Reliable {
			must.Until(t, "all samples", func() bool { return len(got.All()) == count })
		} else {
			must.Until(t, "some samples", func() bool { return len(got.All()) > 0 })
		}
		for i, n := range got.All() {
			if q.Reliable && n != i || i > 0 && n <= got.All()[i-1] {
				t.Errorf("samples %v", got.All())
				break
			}
		}
		other.Kill()
		if kind == "cyclone" { // its lease is 2 s, Fast DDS's 20 s
			must.Until(t, "the killed peer's lease to end", func() bool { return rd.NumMatched() == 0 })
		}
	})
}

// A sample of Fast DDS does not wait for its next HEARTBEAT, which is ten minutes away, if the first one is lost.
func TestFirstSampleOfFastDDS(t *testing.T) {
	d := must.Domain(t)
	var lost atomic.Bool
	p := open(t, Config{Domain: d, drop: func(b []byte) bool {
		for b = b[headerSize:]; len(b) > 16; b = b[min(len(b), 4+int(binary.LittleEndian.Uint16(b[2:]))):] {
			if b[0] == idHeartbeat && b[11] == byte(writerKind) {
				return !lost.Swap(true)
			}
		}
		return false
	}})
	var got must.List[int64]
	must.Get(p.NewReader(ReaderConfig{Topic: "rt/blob0", Type: blobType, QoS: QoS{Reliable: true, Depth: 100},
		OnSample: func(_ []byte, info Info) { got.Add(info.Seq) }}))(t)
	other := ddspeer.Start(t, "fastdds", "pub", d, 1, 0, 1, 10, 1, 600)
	must.Until(t, "the peer's match", func() bool { return len(other.Starting("matched")) > 0 })
	start := time.Now()
	must.Until(t, "the first sample", func() bool { return len(got.All()) > 0 })
	t.Logf("the first sample came after %v", time.Since(start))
	must.Equal(t, lost.Load(), true, "a HEARTBEAT was lost")
	must.Equal(t, fmt.Sprint(got.All()), "[1]", "the numbers of the samples")
}

// A client of Fast DDS gets answers with the identity of its requests.
func TestAnswersToFastDDS(t *testing.T) {
	d := must.Domain(t)
	p := open(t, Config{Domain: d})
	q := QoS{Reliable: true, Depth: 100}
	w := must.Get(p.NewWriter(WriterConfig{Topic: "rr/blob0", Type: blobType, QoS: q}))(t)
	requests := make(chan Info, 100)
	must.Get(p.NewReader(ReaderConfig{Topic: "rt/blob0", Type: blobType, QoS: q,
		OnSample: func(_ []byte, info Info) { requests <- info }}))(t)
	client := ddspeer.Start(t, "fastdds", "ask", d, 1, 0, 1, 10, 5)
	for n := range 5 {
		select {
		case info := <-requests:
			to := info.Related.GUID // the client's reader
			must.Until(t, "the client's reader", func() bool { return w.Matched(to) })
			must.Get(w.Write(Outgoing{Head: blobHead(fmt.Sprint("answer", n), 0), To: to,
				Related: Identity{to, info.Seq}}))(t)
			want := fmt.Sprintf("got answer%d 0 0", n)
			must.Until(t, want, func() bool {
				got := client.Starting(want)
				return len(got) == 1 && strings.HasSuffix(got[0], fmt.Sprint(" for ", info.Seq))
			})
		case <-time.After(time.Minute):
			t.Fatalf("request %d has not come; %+v", n, p.Stats())
		}
	}
}
