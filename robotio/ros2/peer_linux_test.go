package ros2

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// peerKinds are other implementations of DDS, with the commands that build their programs.
var peerKinds = map[string][]string{
	"cyclone": {"gcc", "-O1", "internal/rtps/testdata/cyclone.c", "-lddsc"},
	"fastdds": {"g++", "-O0", "internal/rtps/testdata/fastdds.cpp", "-lfastrtps", "-lfastcdr"},
}

// cycloneConfig keeps CycloneDDS on loopback, as ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST does.
const cycloneConfig = `<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>` +
	`<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>` +
	`<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>` +
	`</Domain></CycloneDDS>`

var programs struct {
	sync.Mutex
	dir   string
	built map[string]error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if programs.dir != "" {
		_ = os.RemoveAll(programs.dir)
	}
	os.Exit(code)
}

// program returns the path of a peer's program, which is built once. It skips the test if the peer is not installed.
func program(t testing.TB, kind string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts programs with other implementations of DDS")
	}
	programs.Lock()
	defer programs.Unlock()
	if programs.dir == "" {
		programs.dir, programs.built = must.Get(os.MkdirTemp("", "ros2"))(t), map[string]error{}
	}
	path := filepath.Join(programs.dir, kind)
	if _, done := programs.built[kind]; !done {
		out, err := exec.Command(peerKinds[kind][0], append(peerKinds[kind][1:], "-o", path)...).CombinedOutput()
		if programs.built[kind] = err; err != nil && !strings.Contains(string(out), "No such file") {
			t.Fatalf("%s: %v\n%s", kind, err, out)
		}
	}
	if programs.built[kind] != nil {
		t.Skip("no " + kind + ": apt-get install cyclonedds-dev libfastrtps-dev")
	}
	return path
}

// startPeer starts a program of another implementation. It returns a function that reports how many lines of the
// program's output begin with a text.
func startPeer(t testing.TB, kind string, args ...any) (starting func(prefix string) int) {
	t.Helper()
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	cmd := exec.Command(program(t, kind), words...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), "CYCLONEDDS_URI="+cycloneConfig)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	must.Do(t, cmd.Start())
	var lines must.List[string]
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines.Add(s.Text())
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		w.Close()
		<-done
		if t.Failed() {
			t.Logf("output of %s %v:\n%s", kind, words, strings.Join(lines.All(), "\n"))
		}
	})
	return func(prefix string) (n int) {
		for _, l := range lines.All() {
			if strings.HasPrefix(l, prefix) {
				n++
			}
		}
		return n
	}
}

func eachPeer(t *testing.T, run func(t *testing.T, kind string, n *Node, domain int)) {
	for _, kind := range []string{"cyclone", "fastdds"} {
		t.Run(kind, func(t *testing.T) {
			d := freeDomain(t)
			run(t, kind, must.Get(open(t, Config{Domain: d}).NewNode("/omni"))(t), d)
		})
	}
}

// Others receive our messages, also those published before they started.
func TestPeerSubscribers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		latch := must.Get(Advertise[blob](n, "/blob1", "test/Blob", PubOptions{Latch: true}))(t)
		latch.Publish(&blob{Text: "latched", Data: []byte{1, 2, 3}})
		pub := must.Get(Advertise[blob](n, "/blob0", "test/Blob", PubOptions{}))(t)
		sub := startPeer(t, kind, "sub", d, 1, 1, 2) // its reader of blob0 asks for more than pub offers
		must.Until(t, "a latched message", func() bool { return sub("got latched 3 1026 ") == 1 })
		must.Equal(t, pub.NumSubscribers(), 0, "subscribers with another QoS")
		plain := startPeer(t, kind, "sub", d, 1, 0, 1)
		must.Until(t, "a message", func() bool {
			pub.Publish(&blob{Text: "plain"})
			return plain("got plain 0 0 ") > 0
		})
	})
}

// We receive the messages of others.
func TestPeerPublishers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		var got must.List[blob]
		codec := must.Get(messageCodec[blob](n, "test/Blob"))(t)
		q := QoS{Reliable: true, Depth: 100}
		reliable := must.Get(SubscribeAs(n, "/blob0", codec.Def(), q, func(b []byte) error {
			var m blob
			err := codec.Decode(b, &m)
			got.Add(m)
			return err
		}))(t)
		startPeer(t, kind, "pub", d, 1, 0, 1, 3, 5)
		must.Until(t, "messages", func() bool { return len(got.All()) == 5 })
		for i, m := range got.All() {
			must.Equal(t, m, blob{fmt.Sprint("n", i), []byte{0, 7, 14}}, "message %d", i)
		}
		must.Equal(t, reliable.NumPublishers(), 1, "publishers")
	})
}

// Clients of both dialects call the same server at the same time, two of each, and get their own answers only.
func TestPeerClients(t *testing.T) {
	const calls = 20
	d := freeDomain(t)
	n := must.Get(open(t, Config{Domain: d}).NewNode("/omni"))(t)
	must.Get(Serve(n, "/blob0", "test/Blob", func(_ context.Context, r *blob) (*blob, error) { return r, nil }))(t)
	var clients []func(string) int
	for range 2 {
		clients = append(clients, startPeer(t, "cyclone", "call", d, 1, 0, 1, 3, calls),
			startPeer(t, "fastdds", "call", d, 1, 0, 1, 3, calls))
	}
	for i := range 2 {
		must.Until(t, "the answers of CycloneDDS", func() bool { return clients[2*i]("done") == 1 })
		must.Until(t, "the answers of Fast DDS", func() bool { return clients[2*i+1]("got n") == calls })
	}
	for i, c := range clients {
		for k := range calls {
			want := fmt.Sprintf("answer n%d 3 for %d of mine", k, k+1)
			if i%2 == 1 {
				want = fmt.Sprintf("got n%d 3 ", k)
			}
			must.Equal(t, c(want), 1, "answers %q of client %d", want, i)
		}
		must.Equal(t, c("answer")+c("got"), calls, "answers of client %d", i)
	}
}

// We call servers of both dialects.
func TestPeerServers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		startPeer(t, kind, "serve", d, 1, 0, 1)
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		defer stop()
		c := must.Get(NewClient[blob, blob](n, "/blob0", "test/Blob"))(t)
		other := must.Get(NewClient[blob, blob](n, "/blob0", "test/Blob"))(t)
		for i := range 20 {
			want := blob{fmt.Sprint("n", i), []byte{byte(i), 2, 3}}
			must.Equal(t, *must.Get(c.Call(ctx, &want))(t), want, "answer %d", i)
			want.Text = "other"
			must.Equal(t, *must.Get(other.Call(ctx, &want))(t), want, "answer %d", i)
		}
	})
}
