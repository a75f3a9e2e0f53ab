package ros1

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// deadline bounds the wait for a condition. It is long because machines are shared.
const deadline = 30 * time.Second

// recv receives from a channel, at most until the deadline.
func recv[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(deadline):
		t.Fatalf("waited %v for a message", deadline)
	}
	return v
}

// received returns a channel of the messages of a topic.
func received[T any](t testing.TB, n *Node, topic, typ string) chan *T {
	t.Helper()
	got := make(chan *T, 10_000)
	must.Get(Subscribe(n, topic, typ, func(m *T) { got <- m }))(t)
	return got
}

// receivedNumbers returns a channel of the numbers on a topic.
func receivedNumbers(t testing.TB, n *Node, topic string) <-chan int32 {
	t.Helper()
	got := make(chan int32, 10_000)
	must.Get(Subscribe(n, topic, "std_msgs/Int32", func(m *msg.Int32) { got <- m.Data }))(t)
	return got
}

// serveEcho serves BallHandle at a name. A response has the number of its request.
func serveEcho(t testing.TB, n *Node, name string) {
	t.Helper()
	must.Get(Serve(n, name, "nubot_common/BallHandle",
		func(_ context.Context, r *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
			return &msg.BallHandleResponse{BallIsHolding: r.Enable}, nil
		}))(t)
}

// callBallHandle calls a service of type BallHandle.
func callBallHandle(t testing.TB, n *Node, name string) error {
	_, err := Call[msg.BallHandleRequest, msg.BallHandleResponse](t.Context(), n, name, "nubot_common/BallHandle",
		&msg.BallHandleRequest{})
	return err
}

func newMaster(t testing.TB) *Master {
	t.Helper()
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { m.Close() })
	return m
}

func newNode(t testing.TB, uri, name string) *Node {
	t.Helper()
	n := must.Get(NewNode(NodeConfig{Name: name, MasterURI: uri, Log: testLog(t)}))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// testLog returns a logger that writes to the test's log until the test ends.
func testLog(t testing.TB) *slog.Logger {
	w := &testWriter{t: t}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.t = nil
	})
	return slog.New(slog.NewTextHandler(w, nil))
}

type testWriter struct {
	mu sync.Mutex
	t  testing.TB
}

func (w *testWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.t != nil {
		w.t.Log(strings.TrimSpace(string(b)))
	}
	return len(b), nil
}

// listenAgain listens at an address that was just released. A program that starts meanwhile may hold the socket for a
// moment.
func listenAgain[T any](t testing.TB, listen func() (T, error)) (v T) {
	t.Helper()
	must.Until(t, "the address", func() (ok bool) {
		var err error
		if v, err = listen(); err != nil && !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
		return err == nil
	})
	return v
}

func TestPublishSubscribe(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "ns/b")
	got := make(chan msg.OdoInfo, 100)
	sub := must.Get(Subscribe(b, "~odo", "nubot_common/OdoInfo", func(m *msg.OdoInfo) { got <- *m }))(t)
	must.Equal(t, sub.Topic(), "/ns/b/odo", "topic")
	pub := must.Get(Advertise[msg.OdoInfo](a, "/ns/b/odo", "nubot_common/OdoInfo", PubOptions{}))(t)
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	must.Equal(t, sub.NumPublishers(), 1, "NumPublishers")
	for i := range 5 {
		pub.Publish(&msg.OdoInfo{Header: msg.Header{FrameID: "base"}, Vx: float32(i), PowerState: true})
	}
	for i := range 5 {
		m := recv(t, got)
		if m.Header.Seq != uint32(i+1) || m.Vx != float32(i) || m.Header.FrameID != "base" || !m.PowerState {
			t.Errorf("message %d = %+v", i, m)
		}
	}
	must.Do(t, sub.Close())
	must.Until(t, "the subscriber to go", func() bool { return pub.NumSubscribers() == 0 })
	must.Do(t, errors.Join(pub.Close(), pub.Close(), b.Close(), b.Close(), a.Close()))
}

// TestReconnect checks that publishers that restart at another address are found again.
func TestReconnect(t *testing.T) {
	m := newMaster(t)
	b := newNode(t, m.URI(), "/b")
	got := receivedNumbers(t, b, "/t")
	for i := range int32(3) {
		a := must.Get(NewNode(NodeConfig{Name: "/a", MasterURI: m.URI()}))(t)
		pub := must.Get(Advertise[msg.Int32](a, "/t", "std_msgs/Int32", PubOptions{Latch: true}))(t)
		pub.Publish(&msg.Int32{Data: i})
		must.Equal(t, recv(t, got), i, "received")
		must.Do(t, a.Close())
	}
}

func TestService(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	call := func() (*msg.ShootResponse, error) {
		return Call[msg.ShootRequest, msg.ShootResponse](ctx, b, "/Shoot", "nubot_common/Shoot",
			&msg.ShootRequest{Strength: 3, ShootPos: -1})
	}
	if _, err := call(); !errors.Is(err, ErrNoService) {
		t.Errorf("err = %v, want ErrNoService", err)
	}
	fail := false
	srv := must.Get(Serve(a, "Shoot", "nubot_common/Shoot",
		func(_ context.Context, r *msg.ShootRequest) (*msg.ShootResponse, error) {
			if fail {
				return nil, errors.New("no ball")
			}
			return &msg.ShootResponse{ShootIsDone: r.ShootPos * int64(r.Strength)}, nil
		}))(t)
	if r, err := call(); err != nil || r.ShootIsDone != -3 {
		t.Errorf("%+v, %v", r, err)
	}
	c := must.Get(NewClient[msg.ShootRequest, msg.ShootResponse](b, "/Shoot", "nubot_common/Shoot"))(t)
	for i := range int64(10) {
		if r, err := c.Call(ctx, &msg.ShootRequest{Strength: 2, ShootPos: i}); err != nil || r.ShootIsDone != 2*i {
			t.Errorf("%+v, %v", r, err)
		}
	}
	fail = true
	must.Refuse(call())(t, "no ball")
	if _, err := Call[msg.ShootRequest, msg.ShootResponse](ctx, b, "/Shoot", "nubot_common/BallHandle",
		&msg.ShootRequest{}); err == nil {
		t.Error("a wrong Go type was accepted")
	}
	must.Refuse(Call[msg.BallHandleRequest, msg.BallHandleResponse](ctx, b, "/Shoot", "nubot_common/BallHandle",
		&msg.BallHandleRequest{}))(t, "peer refused")
	must.Do(t, srv.Close())
	if _, err := call(); !errors.Is(err, ErrNoService) {
		t.Errorf("err = %v, want ErrNoService", err)
	}
}

func TestParams(t *testing.T) {
	m := newMaster(t)
	n := newNode(t, m.URI(), "/ns/n")
	if _, err := n.GetParam("/none"); !errors.Is(err, ErrNoParam) {
		t.Errorf("err = %v", err)
	}
	for key, v := range map[string]any{"/use_sim_time": true, "~a": 1, "b/c": "text", "/d": []any{1.5, "x"}} {
		must.Do(t, n.SetParam(key, v))
		if got, err := n.GetParam(key); err != nil || fmt.Sprint(got) != fmt.Sprint(v) {
			t.Errorf("%s = %v, %v", key, got, err)
		}
	}
	if v, err := n.GetParam("/ns"); err != nil || fmt.Sprint(v) != "map[b:map[c:text] n:map[a:1]]" {
		t.Errorf("/ns = %v, %v", v, err)
	}
	if has, err := n.HasParam("/ns/n"); err != nil || !has {
		t.Error(has, err)
	}
	must.Do(t, n.DeleteParam("/ns"))
	if has, err := n.HasParam("/ns/n/a"); err != nil || has {
		t.Error(has, err)
	}
	if err := n.DeleteParam("/ns"); !errors.Is(err, ErrNoParam) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	m := newMaster(t)
	addr := strings.Trim(strings.TrimPrefix(m.URI(), "http://"), "/")
	if _, err := ListenMaster(MasterConfig{Addr: addr}); err == nil ||
		err.Error() != "ros master: "+addr+": address already in use: is another master running? set another port, "+
			"or use "+
			"that master" {
		t.Errorf("err = %v", err)
	}
	n := newNode(t, m.URI(), "/n")
	must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	_, twice := Advertise[msg.Int32](n, "t", "std_msgs/Int32", PubOptions{})
	_, unknown := Advertise[msg.Int32](n, "/u", "std_msgs/Int99", PubOptions{})
	_, mismatch := Subscribe(n, "/u", "std_msgs/Int64", func(*msg.Int32) {})
	_, name := Subscribe(n, "/u v", "std_msgs/Int32", func(*msg.Int32) {})
	_, queue := AdvertiseImage(n, "/i", -1)
	_, gone := NewNode(NodeConfig{Name: "/x", MasterURI: "http://127.0.0.1:1/"})
	_, host := NewNode(NodeConfig{Name: "/x", MasterURI: m.URI(), Host: "192.0.2.1"})
	_, bad := NewNode(NodeConfig{Name: "a b", MasterURI: "ftp:", MaxMessage: -1})
	for want, err := range map[string]error{
		"ros node /n: topic /t: this node publishes it already":                   twice,
		"ros node /n: topic /u: message std_msgs/Int99: unknown type":             unknown,
		"field Data: is int32: must hold int64":                                   mismatch,
		`name "/u v": must be letters`:                                            name,
		"queue = -1: must be":                                                     queue,
		"connection refused: is a master running there?":                          gone,
		`host = "192.0.2.1": must be an address of this machine`:                  host,
		"master URI = \"ftp:\": must be http://host:port/\nros node: max message": bad,
	} {
		must.Fail(t, err, want)
	}
	must.Do(t, n.Close())
	if _, err := Advertise[msg.Int32](n, "/v", "std_msgs/Int32", PubOptions{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("err = %v", err)
	}
}

// TestSameName checks that a node that takes another's name shuts that one down.
func TestSameName(t *testing.T) {
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/n"), newNode(t, m.URI(), "/n")
	must.Get(Advertise[msg.Int32](a, "/t", "std_msgs/Int32", PubOptions{}))(t)
	must.Get(Advertise[msg.Int32](b, "/t", "std_msgs/Int32", PubOptions{}))(t)
	select {
	case <-a.Done():
	case <-time.After(deadline):
		t.Fatal("the first node lives")
	}
	if _, err := b.callMaster(t.Context(), "lookupNode", "/n"); err != nil {
		t.Errorf("the second node is unknown: %v", err)
	}
}

// TestMasterRestart checks that nodes register again with a new master at the old address.
func TestMasterRestart(t *testing.T) {
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:" + rostest.FreePort(t)}))(t)
	uri := m.URI()
	a, b := newNode(t, uri, "/a"), newNode(t, uri, "/b")
	got := make(chan int32, 1000)
	pub := must.Get(Advertise[msg.Int32](a, "/t", "std_msgs/Int32", PubOptions{}))(t)
	must.Get(Subscribe(b, "/t", "std_msgs/Int32", func(m *msg.Int32) { got <- m.Data }))(t)
	serveEcho(t, a, "/s")
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	must.Do(t, m.Close())
	pub.Publish(&msg.Int32{Data: 1})
	must.Equal(t, recv(t, got), 1, "without a master")
	m = must.Get(ListenMaster(MasterConfig{Addr: strings.Trim(strings.TrimPrefix(uri, "http://"), "/")}))(t)
	defer m.Close()
	c := newNode(t, uri, "/c")
	receivedNumbers(t, c, "/t")
	must.Until(t, "the second subscriber", func() bool { return pub.NumSubscribers() == 2 })
	must.Until(t, "the service", func() bool { return callBallHandle(t, c, "/s") == nil })
}

// TestNoLeaks checks that closing everything leaves no goroutine.
func TestNoLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:0"}))(t)
	a := must.Get(NewNode(NodeConfig{Name: "/a", MasterURI: m.URI()}))(t)
	b := must.Get(NewNode(NodeConfig{Name: "/b", MasterURI: m.URI()}))(t)
	pub := must.Get(Advertise[msg.Int32](a, "/t", "std_msgs/Int32", PubOptions{Latch: true}))(t)
	pub.Publish(&msg.Int32{})
	must.Get(Subscribe(b, "/t", "std_msgs/Int32", func(*msg.Int32) {}))(t)
	must.Get(Subscribe(b, "/u", "std_msgs/Int32", func(*msg.Int32) {}))(t)
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	must.Do(t, errors.Join(a.Close(), b.Close(), m.Close()))
	must.Until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// TestListenAndHost checks that a node's listening address and the host in its URI may differ.
func TestListenAndHost(t *testing.T) {
	m := newMaster(t)
	n := must.Get(NewNode(NodeConfig{Name: "n", MasterURI: m.URI(), Host: "localhost", Listen: "127.0.0.1"}))(t)
	defer n.Close()
	if !strings.HasPrefix(n.URI(), "http://localhost:") {
		t.Errorf("URI = %s", n.URI())
	}
	if host := n.tcp.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("listens at %s", host)
	}
	must.Get(graph.Call(t.Context(), n.URI(), "getPid", "/t"))(t)
	must.Refuse(NewNode(NodeConfig{Name: "n", MasterURI: m.URI(), Listen: "192.0.2.1"}))(t,
		`listen = "192.0.2.1": must be an address of this machine`)
	must.Fail(t, (NodeConfig{Name: "n", Listen: "eth0"}).Validate(), `listen = "eth0": must be an address`)
}
