package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// deadline bounds how long a test waits. It is generous because test machines may be busy.
const deadline = 60 * time.Second

// echo sends each message back.
type echo struct{ c *Client }

func (e echo) Message(binary bool, b []byte) { e.c.Send(binary, b) }
func (e echo) Close()                        {}

func newEcho(t *testing.T, l Limits) *Server {
	t.Helper()
	s := must.Get(Listen(Config{Name: "echo", Addr: "127.0.0.1:0", Limits: l},
		func(c *Client) Session { return echo{c} }))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func dial(t *testing.T, s *Server) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	c, _, err := websocket.Dial(ctx, "ws://"+s.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(64 << 20)
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// says sends a text and expects it back.
func says(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	must.Do(t, c.Write(ctx, websocket.MessageText, []byte(text)))
	_, b, err := c.Read(ctx)
	if err != nil || string(b) != text {
		t.Fatalf("%q came back as %.80q, %v", text, b, err)
	}
}

func tcp(t *testing.T, s *Server, text string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", s.Addr().String()))(t)
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Logf("closed while it was sent: %v", err)
	}
	return c
}

const upgrade = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: " +
	"websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// TestHostile checks that invalid requests close only their own connection. Other clients stay connected, and new ones
// can connect.
func TestHostile(t *testing.T) {
	s := newEcho(t, Limits{Message: 1000, Clients: 8})
	good := dial(t, s)
	closed := func(t *testing.T, c net.Conn) {
		t.Helper()
		_ = c.SetReadDeadline(time.Now().Add(deadline))
		if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Error("the connection is still open")
		}
	}
	for name, text := range map[string]string{
		"garbage":             "\x00\xff\x16\x03\x01 garbage\r\n\r\n",
		"no upgrade":          "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"half a request":      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upg",
		"endless header":      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1<<20),
		"post":                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n",
		"giant frame":         upgrade + "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
		"reserved bits":       upgrade + "\xf1\x80\x00\x00\x00\x00",
		"frame without mask":  upgrade + "\x81\x01x",
		"giant control frame": upgrade + "\x89\xfe\x10\x00\x00\x00\x00\x00",
		"lone continuation":   upgrade + "\x80\x80\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			c := tcp(t, s, text)
			if name == "giant frame" { // its bytes follow until it is closed
				go func() { _, _ = io.Copy(c, strings.NewReader(strings.Repeat("y", 1<<20))) }()
			}
			closed(t, c)
			says(t, good, name)
			fresh := dial(t, s)
			says(t, fresh, name)
			fresh.CloseNow()
		})
	}
}

// TestThousandConnections checks that clients can connect despite a thousand connections that never ask for an upgrade.
func TestThousandConnections(t *testing.T) {
	s := newEcho(t, Limits{})
	good := dial(t, s)
	for i := range 1000 {
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Logf("connection %d: %v", i, err)
			break
		}
		defer c.Close()
		if i%2 == 0 {
			_, _ = io.WriteString(c, "GET / HTTP/1.1\r\n")
		}
		if i%100 == 0 {
			says(t, good, fmt.Sprint(i))
			fresh := dial(t, s)
			says(t, fresh, "fresh")
			fresh.CloseNow()
		}
	}
}

// TestSilentClients checks that clients that upgrade and send nothing do not keep others out, and do not displace
// clients that have sent something.
func TestSilentClients(t *testing.T) {
	s := newEcho(t, Limits{Clients: 8})
	var good []*websocket.Conn
	for range 4 {
		good = append(good, dial(t, s))
		says(t, good[len(good)-1], "hello")
	}
	for range 3 {
		for range 20 {
			dial(t, s)
		}
		fresh := dial(t, s)
		says(t, fresh, "fresh")
		good = append(good, fresh)
	}
	for range 20 {
		dial(t, s)
	}
	for _, c := range good {
		says(t, c, "still here")
	}
}

// TestTooManyClients checks that clients that have sent a message lock out no newcomer, and that newcomers do not close
// the older half.
func TestTooManyClients(t *testing.T) {
	s := newEcho(t, Limits{Clients: 4})
	var clients []*websocket.Conn
	for i := range 20 {
		c := dial(t, s)
		says(t, c, fmt.Sprint(i))
		clients = append(clients, c)
	}
	for _, i := range []int{0, 17, 18, 19} {
		says(t, clients[i], "still here")
	}
}

// TestUnreadAnswers checks that the server closes a client that sends requests and never reads the answers.
func TestUnreadAnswers(t *testing.T) {
	s := newEcho(t, Limits{Queue: 1 << 20, Rate: 1e6})
	good, deaf := dial(t, s), dial(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	big := make([]byte, 1<<20)
	for i := 0; ; i++ {
		if err := deaf.Write(ctx, websocket.MessageBinary, big); err != nil {
			if ctx.Err() != nil {
				t.Fatal("it was never closed")
			}
			break
		}
	}
	says(t, good, "still here")
}

// TestSilentClient checks that a client that does not answer pings is closed, and that an idle one stays connected.
func TestSilentClient(t *testing.T) {
	s := must.Get(Listen(Config{Name: "echo", Addr: "127.0.0.1:0", ping: 1500 * time.Millisecond},
		func(c *Client) Session { return echo{c} }))(t)
	defer s.Close()
	quiet := dial(t, s)
	heard := make(chan error, 1)
	go func() { // answers pings
		_, b, err := quiet.Read(t.Context())
		if err == nil && string(b) != "still here" {
			err = fmt.Errorf("got %q", b)
		}
		heard <- err
	}()
	dead := tcp(t, s, upgrade)
	_ = dead.SetReadDeadline(time.Now().Add(deadline))
	if _, err := io.Copy(io.Discard, dead); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("the connection is still open")
	}
	must.Do(t, quiet.Write(t.Context(), websocket.MessageText, []byte("still here")))
	if err := <-heard; err != nil {
		t.Error(err)
	}
}

func TestCloseEndsClients(t *testing.T) {
	s := newEcho(t, Limits{})
	c := dial(t, s)
	says(t, c, "x")
	must.Do(t, s.Close())
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("the connection outlives the server")
	}
	if n := len(s.Clients()); n != 0 {
		t.Errorf("%d clients are left", n)
	}
}

func TestValidate(t *testing.T) {
	err := Config{Name: "rosbridge", Addr: "9090", Access: access.Rule{Origins: []string{"good.example",
		"https://x.example/path"}}, Limits: Limits{Clients: -1, Rate: -2}}.Validate()
	want := `rosbridge: address = "9090": must be host:port
rosbridge: origins[0] = "good.example": must be http://host or https://host, with or without :port, or * for all
rosbridge: origins[1] = "https://x.example/path": must be http://host or https://host, with or without :port, or * for all
rosbridge: limits.clients = -1: must not be negative
rosbridge: limits.rate = -2: must not be negative`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestAddressInUse(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	want := fmt.Sprintf("rosbridge: listen tcp %s: bind: address already in use", l.Addr())
	_, err := Listen(Config{Name: "rosbridge", Addr: l.Addr().String()}, nil)
	if must.Refuse(0, err)(t, want); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("err = %v", err)
	}
}
