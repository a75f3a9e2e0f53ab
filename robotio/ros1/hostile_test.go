package ros1

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// dialRaw connects to a node's TCPROS port.
func dialRaw(t testing.TB, n *Node) *net.TCPConn {
	t.Helper()
	c := must.Get(net.Dial("tcp", net.JoinHostPort(n.host, strconv.Itoa(n.port))))(t)
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// dialTopic connects and exchanges headers as a subscriber or client does. A refusal fails the test.
func dialTopic(t testing.TB, n *Node, h tcpros.Header) *net.TCPConn {
	t.Helper()
	c := dialRaw(t, n)
	must.Do(t, h.Write(c))
	answer, err := tcpros.ReadHeader(c)
	if err != nil || answer["error"] != "" {
		t.Fatal(answer, err)
	}
	return c
}

func hostileNode(t *testing.T) *Node {
	n := newNode(t, newMaster(t).URI(), "/n")
	must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{}))(t)
	must.Get(Serve(n, "/Shoot", "nubot_common/Shoot", func(context.Context, *msg.ShootRequest) (*msg.ShootResponse,
		error) {
		return &msg.ShootResponse{ShootIsDone: 1}, nil
	}))(t)
	return n
}

// TestRefusals checks that a peer with a wrong header gets an error header and is closed.
func TestRefusals(t *testing.T) {
	n := hostileNode(t)
	cases := []struct {
		h    tcpros.Header
		want string
	}{
		{tcpros.Header{"topic": "/odo", "type": "nubot_common/OdoInfo", "md5sum": strings.Repeat("0", 32),
			"callerid": "/p"},
			"Client [/p] wants topic /odo to have datatype/md5sum " +
				"[nubot_common/OdoInfo/00000000000000000000000000000000], but our version has " +
				"[nubot_common/OdoInfo/b4f534aa8c080899ef112a410cc2c113]. Dropping connection."},
		{tcpros.Header{"topic": "/odo", "type": "std_msgs/Int32", "md5sum": "*", "callerid": "/p"},
			"wants topic /odo to have datatype"},
		{tcpros.Header{"topic": "/odo", "type": "nubot_common/OdoInfo"}, "Dropping connection."},
		{tcpros.Header{"topic": "/none", "type": "*", "md5sum": "*"}, "topic /none: this node does not publish it"},
		{tcpros.Header{"service": "/none", "md5sum": "*"}, "service /none: this node does not serve it"},
		{tcpros.Header{"service": "/Shoot", "md5sum": "x"}, "wants service /Shoot to have md5sum x, but it has " +
			"5f7b2fca861afe65dc92d3f6a153bbec"},
		{tcpros.Header{"callerid": "/p"}, "must name a topic or a service"},
		{tcpros.Header{}, "must name a topic or a service"},
	}
	for _, c := range cases {
		conn := dialRaw(t, n)
		must.Do(t, c.h.Write(conn))
		answer, err := tcpros.ReadHeader(conn)
		if err != nil || !strings.Contains(answer["error"], c.want) {
			t.Errorf("%v:\ngot  %v, %v\nwant %s", c.h, answer, err, c.want)
		}
		if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
			t.Errorf("%v: %d bytes and %v after the refusal", c.h, len(rest), err)
		}
	}
}

// TestGarbage checks that bytes that are no header, half a header, or no request only end their own connection.
func TestGarbage(t *testing.T) {
	n := hostileNode(t)
	svc := tcpros.Header{"service": "/Shoot", "md5sum": "*", "callerid": "/p", "persistent": "1"}
	giant := []byte{0xff, 0xff, 0xff, 0xff}
	for name, c := range map[string]struct {
		after tcpros.Header // exchange these headers first
		send  []byte
		half  bool // close our side afterwards
	}{
		"giant header":    {nil, giant, false},
		"garbage":         {nil, bytes.Repeat([]byte("garbage!"), 4096), false},
		"field beyond":    {nil, []byte{8, 0, 0, 0, 9, 0, 0, 0, 'a', '=', 'b', 'c'}, false},
		"field without =": {nil, []byte{5, 0, 0, 0, 1, 0, 0, 0, 'a'}, false},
		"short field":     {nil, []byte{2, 0, 0, 0, 1, 0}, false},
		"half a header":   {nil, []byte{50, 0, 0, 0, 1, 0}, true},
		"half a length":   {nil, []byte{50, 0}, true},
		"giant request":   {svc, giant, false},
		"half a request":  {svc, []byte{12, 0, 0, 0, 1}, true},
		"talking subscriber": {tcpros.Header{"topic": "/odo", "type": "*", "md5sum": "*"}, []byte("thousands of bytes"),
			false},
	} {
		conn := dialRaw(t, n)
		if c.after != nil {
			conn = dialTopic(t, n, c.after)
		}
		_, _ = conn.Write(c.send) // the peer may close meanwhile
		if c.half {
			_ = conn.CloseWrite()
		}
		_ = conn.SetReadDeadline(time.Now().Add(deadline))
		if b, err := io.ReadAll(conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: the connection stays open, received %d bytes", name, len(b))
		}
	}
	// A request of the wrong size gets an error text.
	conn := dialTopic(t, n, svc)
	must.Get(conn.Write([]byte{1, 0, 0, 0, 1}))(t)
	var status [1]byte
	if _, err := io.ReadFull(conn, status[:]); err != nil || status[0] != 0 {
		t.Errorf("status = %d, %v", status[0], err)
	}
	if text, err := tcpros.ReadBlock(conn, nil, 1000); err != nil || !strings.Contains(string(text),
		"nubot_common/ShootRequest: 1 bytes") {
		t.Errorf("%s, %v", text, err)
	}
	// The node still serves others.
	r, err := Call[msg.ShootRequest, msg.ShootResponse](t.Context(), n, "/Shoot", "nubot_common/Shoot",
		&msg.ShootRequest{})
	if err != nil || r.ShootIsDone != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHostilePublisher checks that a publisher with a huge length or a message of the wrong size loses only its own
// messages.
func TestHostilePublisher(t *testing.T) {
	m := newMaster(t)
	n := newNode(t, m.URI(), "/n")
	evil := newNode(t, m.URI(), "/evil")
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	evil.port = l.Addr().(*net.TCPAddr).Port // requestTopic sends peers to the test's listener
	must.Get(Advertise[msg.Int32](evil, "/t", "std_msgs/Int32", PubOptions{}))(t)
	got := receivedNumbers(t, n, "/t")
	for _, send := range [][]byte{
		{0xff, 0xff, 0xff, 0xff},
		{2, 0, 0, 0, 9, 9, 4, 0, 0, 0, 1, 0, 0, 0}, // a short message, then a valid one
		{4, 0, 0, 0, 2, 0, 0, 0},
	} {
		conn := must.Get(l.Accept())(t)
		must.Get(tcpros.ReadHeader(conn))(t)
		must.Do(t, (tcpros.Header{"type": "std_msgs/Int32", "md5sum": "*"}).Write(conn))
		_, _ = conn.Write(send)
		conn.Close()
	}
	if a, b := recv(t, got), recv(t, got); a != 1 || b != 2 {
		t.Errorf("got %d, %d, want 1, 2", a, b)
	}
}

// TestManyPublishers checks that a call with many publishers opens at most maxPublishers connections.
func TestManyPublishers(t *testing.T) {
	n := newNode(t, newMaster(t).URI(), "/n")
	sub := must.Get(Subscribe(n, "/t", "std_msgs/Int32", func(*msg.Int32) {}))(t)
	var uris []any
	for i := range 20 * maxPublishers {
		uris = append(uris, "http://127.0.0.1:1/"+strconv.Itoa(i))
	}
	must.Get(n.answer(t.Context(), "publisherUpdate", []any{"/evil", "/t", uris}))(t)
	must.Equal(t, len(sub.topic.connections()), maxPublishers, "connections")
	must.Get(n.answer(t.Context(), "publisherUpdate", []any{"/evil", "/t", []any{}}))(t)
	must.Equal(t, len(sub.topic.connections()), 0, "connections")
}

// TestServiceLingers checks that the client closes the connection of a single call. roscpp's call may fail if the
// server closes it.
func TestServiceLingers(t *testing.T) {
	n := hostileNode(t)
	c := dialTopic(t, n, tcpros.Header{"service": "/Shoot", "md5sum": "*", "callerid": "/p"})
	request := make([]byte, 4+12)
	request[0] = 12
	must.Get(c.Write(request))(t)
	answer := make([]byte, 1+4+8)
	if _, err := io.ReadFull(c, answer); err != nil || answer[0] != 1 || answer[5] != 1 {
		t.Fatal(answer, err)
	}
	must.Do(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	if k, err := c.Read(answer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the answer: %d bytes, %v: want nothing, and the connection open", k, err)
	}
}

// FuzzSlave sends a node sequences of calls of the slave API, one per line: method, caller and arguments, separated by
// tabs. It checks that every answer is [code, text, value] with a valid code, that memory is bounded, and that the node
// still publishes.
func FuzzSlave(f *testing.F) {
	for _, s := range []string{
		"getBusStats\t/a\ngetBusInfo\t/a\ngetMasterUri\t/a\ngetPid\t/a\ngetPublications\t/a\ngetSubscriptions\t/a",
		"requestTopic\t/a\t/t\tTCPROS\nrequestTopic\t/a\t/t\tLIST\nrequestTopic\t/a\t/none\tTCPROS\n" +
			"requestTopic\t/a\t7\tMAP",
		"publisherUpdate\t/a\t/s\tURIS\npublisherUpdate\t/a\t/s\tLIST\npublisherUpdate\t/a\t/s\tx\n" +
			"publisherUpdate\t/a\tMAP\tURIS",
		"paramUpdate\t/a\t/p/\tMAP\nparamUpdate\t/a\t/p/q/\t7\nparamUpdate\t/a\t7\t7",
		"publisherUpdate\t/a\nrequestTopic\nnonsense\t/a\n\t\t\t",
		strings.Repeat("publisherUpdate\t/a\t/s\tMANY\n", 10),
	} {
		f.Add(s)
	}
	uri := newMaster(f).URI()
	join := func(name string) *Node { // without a log, which must not be used during fuzzing
		n := must.Get(NewNode(NodeConfig{Name: name, MasterURI: uri}))(f)
		f.Cleanup(func() { n.Close() })
		return n
	}
	n := join("/n")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(f)
	must.Get(Subscribe(n, "/s", "std_msgs/Int32", func(*msg.Int32) {}))(f)
	got := make(chan int32, 1)
	must.Get(Subscribe(join("/other"), "/t", "std_msgs/Int32", func(m *msg.Int32) { got <- m.Data }))(f)
	must.Until(f, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	f.Fuzz(func(t *testing.T, script string) {
		if strings.Contains(script, "//") || len(script) > 1<<16 {
			return // the node would call a real address
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			for line := range strings.Lines(script) {
				words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				if words[0] == "shutdown" {
					continue // the node would shut down
				}
				var args []any
				for _, w := range words[1:] {
					args = append(args, slaveArgument(w))
				}
				v, err := n.answer(context.Background(), words[0], args)
				if _, known := slaveMethods[words[0]]; known != (err == nil) {
					t.Fatalf("%q: %v, %v", line, v, err)
				} else if !known {
					continue
				}
				list, _ := v.([]any)
				if len(list) != 3 {
					t.Fatalf("%q: %v", line, v)
				}
				code, ok := list[0].(int)
				if _, text := list[1].(string); !ok || !text || code < -1 || code > 1 {
					t.Fatalf("%q: %v", line, v)
				}
			}
		})
		pub.Publish(&msg.Int32{Data: 7})
		if v := recv(t, got); v != 7 {
			t.Fatalf("%q: %d was published as 7", script, v)
		}
	})
}

// slaveArgument returns the value of a word of a script. Nobody listens at the addresses in it.
func slaveArgument(w string) any {
	switch w {
	case "TCPROS":
		return []any{[]any{"UDPROS", 1}, []any{"TCPROS"}}
	case "LIST":
		return []any{1, nil, []any{}, []any{nil}, map[string]any{}, "x"}
	case "URIS":
		return []any{"http://127.0.0.1:1/", "http://127.0.0.1:1/", "http://[::1", "x:y"}
	case "MANY":
		var uris []any
		for range 100 {
			uris = append(uris, "http://127.0.0.1:1/"+strings.Repeat("a", len(uris)))
		}
		return uris
	case "MAP":
		return map[string]any{"a": map[string]any{"b": 1.5}, "": 2, "c/d": []any{true, nil}}
	case "7":
		return 7
	}
	return w
}
