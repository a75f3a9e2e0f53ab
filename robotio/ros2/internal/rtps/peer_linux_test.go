package rtps

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// peerKinds are the implementations of others that tests talk to, with the commands that build their programs.
var peerKinds = map[string][]string{
	"cyclone": {"gcc", "-O1", "testdata/cyclone.c", "-lddsc"},
	"fastdds": {"g++", "-O0", "testdata/fastdds.cpp", "-lfastrtps", "-lfastcdr"},
}

var (
	peerMu  sync.Mutex
	peerDir string
	built   = map[string]error{}
)

func TestMain(m *testing.M) {
	code := m.Run()
	if peerDir != "" {
		_ = os.RemoveAll(peerDir)
	}
	os.Exit(code)
}

// program returns the path of a peer's program, which is built once. It skips the test if the peer is not installed.
func program(t testing.TB, kind string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts programs with other implementations of DDS")
	}
	peerMu.Lock()
	defer peerMu.Unlock()
	if peerDir == "" {
		peerDir = must.Get(os.MkdirTemp("", "rtps"))(t)
	}
	path := filepath.Join(peerDir, kind)
	if _, done := built[kind]; !done {
		args := append(peerKinds[kind][1:], "-o", path)
		out, err := exec.Command(peerKinds[kind][0], args...).CombinedOutput()
		if built[kind] = err; err != nil && !strings.Contains(string(out), "No such file") {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
	}
	if built[kind] != nil {
		t.Skip("no " + kind + ": apt-get install cyclonedds-dev libfastrtps-dev")
	}
	return path
}

// cycloneConfig keeps CycloneDDS on loopback, as ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST does.
const cycloneConfig = `<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>` +
	`<AllowMulticast>false</AllowMulticast></General><Discovery><LeaseDuration>2s</LeaseDuration>` +
	`<ParticipantIndex>auto</ParticipantIndex>` +
	`<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>` +
	`</Domain></CycloneDDS>`

// peer is a running program of another implementation.
type peer struct {
	t     testing.TB
	cmd   *exec.Cmd
	done  chan struct{}
	lines must.List[string]
}

func startPeer(t testing.TB, kind string, args ...any) *peer {
	t.Helper()
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	p := &peer{t: t, cmd: exec.Command(program(t, kind), words...), done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = append(os.Environ(), "CYCLONEDDS_URI="+cycloneConfig)
	r, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	must.Do(t, p.cmd.Start())
	go func() {
		defer close(p.done)
		for s := bufio.NewScanner(r); s.Scan(); {
			p.lines.Add(s.Text())
		}
	}()
	t.Cleanup(func() {
		p.kill()
		w.Close()
		<-p.done
		if t.Failed() {
			t.Logf("output of %s %v:\n%s", kind, words, strings.Join(p.lines.All(), "\n"))
		}
	})
	return p
}

func (p *peer) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// starting returns the output lines with a prefix.
func (p *peer) starting(prefix string) (found []string) {
	for _, l := range p.lines.All() {
		if strings.HasPrefix(l, prefix) {
			found = append(found, l)
		}
	}
	return found
}

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

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Others receive what we write: whole, in order, with its time. They forget the writer when it is closed.
func TestPeersReceive(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, q QoS) {
		d := freeDomain(t)
		p := open(t, Config{Domain: d, UserData: "enclave=/;"})
		w := must.Get(p.NewWriter(WriterConfig{Topic: "rt/blob0", Type: blobType, QoS: q}))(t)
		other := startPeer(t, kind, "sub", d, flag(q.Reliable), 0, 1)
		must.Until(t, "a match", func() bool { return w.NumMatched() == 1 })
		must.Until(t, "the first sample", func() bool { // the peer may still not know the writer
			must.Get(w.Write(Outgoing{Head: blobHead("first", 0)}))(t)
			time.Sleep(time.Millisecond)
			return len(other.starting("got first")) > 0
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
				return len(other.starting(want)) > 0
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
		d := freeDomain(t)
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
		other := startPeer(t, kind, "pub", d, flag(q.Reliable), 0, 1, size, count)
		must.Until(t, "the end", func() bool { return len(other.starting("published")) > 0 })
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
		other.kill()
		if kind == "cyclone" { // its lease is 2 s, Fast DDS's 20 s
			must.Until(t, "the killed peer's lease to end", func() bool { return rd.NumMatched() == 0 })
		}
	})
}

// A sample of Fast DDS does not wait for its next HEARTBEAT, which is ten minutes away, if the first one is lost.
func TestFirstSampleOfFastDDS(t *testing.T) {
	d := freeDomain(t)
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
	other := startPeer(t, "fastdds", "pub", d, 1, 0, 1, 10, 1, 600)
	must.Until(t, "the peer's match", func() bool { return len(other.starting("matched")) > 0 })
	start := time.Now()
	must.Until(t, "the first sample", func() bool { return len(got.All()) > 0 })
	t.Logf("the first sample came after %v", time.Since(start))
	must.Equal(t, lost.Load(), true, "a HEARTBEAT was lost")
	must.Equal(t, fmt.Sprint(got.All()), "[1]", "the numbers of the samples")
}

// A client of Fast DDS gets answers with the identity of its requests.
func TestAnswersToFastDDS(t *testing.T) {
	d := freeDomain(t)
	p := open(t, Config{Domain: d})
	q := QoS{Reliable: true, Depth: 100}
	w := must.Get(p.NewWriter(WriterConfig{Topic: "rr/blob0", Type: blobType, QoS: q}))(t)
	requests := make(chan Info, 100)
	must.Get(p.NewReader(ReaderConfig{Topic: "rt/blob0", Type: blobType, QoS: q,
		OnSample: func(_ []byte, info Info) { requests <- info }}))(t)
	client := startPeer(t, "fastdds", "ask", d, 1, 0, 1, 10, 5)
	for n := range 5 {
		select {
		case info := <-requests:
			to := info.Related.GUID // the client's reader
			must.Until(t, "the client's reader", func() bool { return w.Matched(to) })
			must.Get(w.Write(Outgoing{Head: blobHead(fmt.Sprint("answer", n), 0), To: to,
				Related: Identity{to, info.Seq}}))(t)
			want := fmt.Sprintf("got answer%d 0 0", n)
			must.Until(t, want, func() bool {
				got := client.starting(want)
				return len(got) == 1 && strings.HasSuffix(got[0], fmt.Sprint(" for ", info.Seq))
			})
		case <-time.After(time.Minute):
			t.Fatalf("request %d has not come; %+v", n, p.Stats())
		}
	}
}
