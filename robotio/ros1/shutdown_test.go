package ros1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// closed waits until a node has closed without Close, and returns the cause.
func closed(t *testing.T, n *Node) *ShutdownError {
	t.Helper()
	must.Until(t, n.Name()+" to close", func() bool {
		select {
		case <-n.Done():
			return true
		default:
			return false
		}
	})
	var why *ShutdownError
	if !errors.As(n.Cause(), &why) {
		t.Fatalf("%s closed for %v", n.Name(), n.Cause())
	}
	return why
}

// TestCause checks the cause of closing: a call of shutdown, another node with the name, or Close.
func TestCause(t *testing.T) {
	uri := newMaster(t).URI()
	told, displaced, mine := newNode(t, uri, "/told"), newNode(t, uri, "/displaced"), newNode(t, uri, "/mine")
	for _, n := range []*Node{told, displaced, mine} {
		must.Get(Advertise[msg.Int32](n, n.Name()+"/x", "std_msgs/Int32", PubOptions{}))(t)
	}
	_, _ = graph.Call(t.Context(), told.URI(), "shutdown", "/rosnode", "user request") // the answer may be lost
	if why := closed(t, told); *why != (ShutdownError{Node: "/told", By: "/rosnode", Reason: "user request"}) {
		t.Errorf("%+v", why)
	}
	taker := newNode(t, uri, "/displaced")
	must.Get(Advertise[msg.Int32](taker, "/y", "std_msgs/Int32", PubOptions{}))(t)
	if why := closed(t, displaced); why.Taker != taker.URI() || !strings.Contains(why.Error(),
		"another node took its name: "+taker.URI()) {
		t.Errorf("%+v", why)
	}
	if mine.Cause() != nil || taker.Cause() != nil {
		t.Errorf("open: %v, %v", mine.Cause(), taker.Cause())
	}
	if err := mine.Close(); err != nil || mine.Cause() != nil {
		t.Errorf("closed by its program: %v, %v", err, mine.Cause())
	}
}

// fickle is a master whose answers the test sets: its process id, and the node of a name.
type fickle struct {
	mu    sync.Mutex
	pid   int
	node  string // URI of the known node, whatever its name
	calls []string
}

func (f *fickle) answer(_ context.Context, method string, args []any) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch method {
	case "getPid":
		return []any{1, "", f.pid}, nil
	case "lookupNode":
		return []any{1, "", f.node}, nil
	}
	f.calls = append(f.calls, fmt.Sprintf("%s %v", method, args[1]))
	return []any{1, "", []any{}}, nil
}

func (f *fickle) set(pid int, node string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pid, f.node, f.calls = pid, node, nil
}

func (f *fickle) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(slices.Values(f.calls))
}

func newFickle(t *testing.T) (f *fickle, uri string) {
	f = &fickle{pid: 1}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := xmlrpc.Serve(l, access.Rule{}.Guard("test", nil), f.answer)
	t.Cleanup(func() { s.Close() })
	return f, "http://" + l.Addr().String() + "/"
}

// TestDisplacedUntold checks that a node detects that another has its name, even if the call of shutdown was lost.
func TestDisplacedUntold(t *testing.T) {
	t.Parallel()
	f, uri := newFickle(t)
	n := newNode(t, uri, "/n")
	must.Get(Advertise[msg.Int32](n, "/x", "std_msgs/Int32", PubOptions{}))(t)
	f.set(1, "http://127.0.0.1:1/")
	if why := closed(t, n); why.Taker != "http://127.0.0.1:1/" || why.By != "" {
		t.Errorf("%+v", why)
	}
}

// TestAnotherMasterAtOnce checks that the node registers everything again with a master that restarted unnoticed and
// knows the node by a later registration, and that OnMaster is called.
func TestAnotherMasterAtOnce(t *testing.T) {
	t.Parallel()
	f, uri := newFickle(t)
	joined := make(chan error, 10)
	n := must.Get(NewNode(NodeConfig{Name: "/n", MasterURI: uri, OnMaster: func(err error) { joined <- err }}))(t)
	t.Cleanup(func() { n.Close() })
	must.Get(Advertise[msg.Int32](n, "/x", "std_msgs/Int32", PubOptions{}))(t)
	must.Get(Subscribe(n, "/y", "std_msgs/Int32", func(*msg.Int32) {}))(t)
	serveEcho(t, n, "/s")
	must.Do(t, errors.Join(n.KeepParam("/kept", 1), n.SetParam("/set", 2)))
	f.set(2, n.URI())
	must.Do(t, recv(t, joined))
	want := []string{"registerPublisher /x", "registerService /s", "registerSubscriber /y", "setParam /kept"}
	must.Equal(t, f.called(), want, "calls")
}

// TestKeepParam checks that a kept parameter is set again at a new master, to its last value, and that others are not.
func TestKeepParam(t *testing.T) {
	t.Parallel()
	addr := "127.0.0.1:" + rostest.FreePort(t)
	m := must.Get(ListenMaster(MasterConfig{Addr: addr}))(t)
	states := make(chan error, 10)
	n := must.Get(NewNode(NodeConfig{Name: "/n", MasterURI: m.URI(), OnMaster: func(err error) { states <- err }}))(t)
	t.Cleanup(func() { n.Close() })
	must.Get(Advertise[msg.Int32](n, "/x", "std_msgs/Int32", PubOptions{}))(t)
	value := map[string]any{"a": 1}
	for _, err := range []error{n.KeepParam("~private", "p"), n.KeepParam("/kept", 1), n.KeepParam("/kept", value),
		n.SetParam("/set", 2)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	value["a"] = 3 // the caller's own map
	m.Close()
	if err := recv(t, states); err == nil {
		t.Error("OnMaster was not called for the missing master")
	}
	m = listenAgain(t, func() (*Master, error) { return ListenMaster(MasterConfig{Addr: addr}) })
	defer m.Close()
	must.Do(t, recv(t, states))
	for key, want := range map[string]any{"/kept/a": 1, "/n/private": "p", "/x": nil, "/set": nil} {
		if v, err := n.GetParam(key); v != want || (err != nil) != (want == nil) {
			t.Errorf("%s = %v, %v, want %v", key, v, err, want)
		}
	}
}

// TestRosoutComesAgain checks that the embedded master restarts its /rosout when it is killed, as roscore does, but not
// if another node took its name.
func TestRosoutComesAgain(t *testing.T) {
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:0", Rosout: true}))(t)
	t.Cleanup(func() { m.Close() })
	find := func() (uri string) {
		p := must.Get(graph.FindNode(t.Context(), m.URI(), "/rosout"))(t)
		if p != nil {
			uri = p.URI
		}
		return uri
	}
	for range 2 {
		before := find()
		_, _ = graph.Call(t.Context(), before, "shutdown", "/rosnode", "user request")
		must.Until(t, "/rosout to come again", func() bool {
			now := find()
			m.mu.Lock() // until it has started: a node that ends earlier is not started again
			defer m.mu.Unlock()
			return now != "" && now != before && m.rosout.URI() == now
		})
	}
	other := newNode(t, m.URI(), "/rosout")
	must.Get(Advertise[msg.Int32](other, "/x", "std_msgs/Int32", PubOptions{}))(t)
	must.Until(t, "ours to leave", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.rosout.Cause() != nil })
	must.Do(t, m.Close())
	if other.Cause() != nil {
		t.Error(other.Cause())
	}
}

// TestFind checks that registered, running nodes are found with their processes, and that vanished nodes are not.
func TestFind(t *testing.T) {
	m := newMaster(t)
	n := newNode(t, m.URI(), "/n")
	must.Get(Advertise[msg.Clock](n, "/clock", "rosgraph_msgs/Clock", PubOptions{}))(t)
	gone := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	dead := "http://" + gone.Addr().String() + "/"
	must.Get(graph.Call(t.Context(), m.URI(), "registerPublisher", "/dead", "/clock", "rosgraph_msgs/Clock", dead))(t)
	gone.Close()
	mute := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t) // the kernel accepts, but nobody answers
	defer mute.Close()
	must.Get(graph.Call(t.Context(), m.URI(), "registerPublisher", "/mute", "/mute", "std_msgs/Int32",
		"http://"+mute.Addr().String()+"/"))(t)
	g, err := graph.FetchState(t.Context(), m.URI(), graph.Anonymous)
	if err != nil || !slices.Equal(g.Publishers["/clock"], []string{"/n", "/dead"}) {
		t.Errorf("%v, %v", g, err)
	}
	if p, err := graph.FindNode(t.Context(), m.URI(), "/n"); err != nil || p == nil || p.Name != "/n" ||
		p.URI != n.URI() || p.PID == 0 {
		t.Errorf("%v, %v", p, err)
	}
	for _, name := range []string{"/dead", "/none"} {
		if p, err := graph.FindNode(t.Context(), m.URI(), name); p != nil || err != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if p, err := graph.FindNode(ctx, m.URI(), "/mute"); p == nil || err != nil || !strings.Contains(p.String(),
		"which does not answer") {
		t.Errorf("one that does not answer: %v, %v", p, err)
	}
	if p, err := graph.FindMaster(t.Context(), m.URI()); err != nil || p.PID == 0 {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := graph.FindMaster(t.Context(), dead); err == nil {
		t.Error("a master where nothing listens")
	}
}

// TestMessagesAreNoHTTP checks that the first bytes that a browser can send are not a valid header, and end the
// connection at once.
func TestMessagesAreNoHTTP(t *testing.T) {
	n := hostileNode(t)
	for _, begin := range []string{"POST / HTTP/1.1\r\nHost: x\r\n", "GET / HTTP/1.1\r\n", "PUT / HTTP/1.1\r\n",
		"HEAD / HTTP/1.1\r\n", "OPTIONS * HTTP/1.1\r\n",
		"DELETE / HTTP/1.1\r\n", "PATCH / HTTP/1.1\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"} {
		c := dialRaw(t, n)
		must.Get(io.WriteString(c, begin))(t)
		// a node that waited for more bytes would exceed this
		_ = c.SetReadDeadline(time.Now().Add(tcpros.HandshakeTime / 2))
		b, err := io.ReadAll(c)
		var timeout net.Error
		if len(b) > 0 || errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("%q: %q, %v", begin, b, err)
		}
	}
}
