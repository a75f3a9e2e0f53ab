package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// hostile is the number of connections that attack a listener at the same time.
const hostile = 500

// served is the wall time within which a newcomer must be served during an attack.
const served = time.Second

// listener is a listener of a run, and how the test attacks and uses it.
type listener struct {
	addr    string
	request string                                       // a request that hostile connections send
	use     func(ctx context.Context, addr string) error // returns nil if a newcomer is served
}

// TestNewcomers attacks each listener of a run with connections of four kinds, which come back when they are closed.
// Newcomers must be served meanwhile.
func TestNewcomers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "join")
	p := start(t, "http://127.0.0.1:9/", program(t), "run", "planar", "--level", "*=objects", "--speed", "realtime",
		"--web", "0", "--ros1", "embedded:0", "--rosbridge", "0", "--foxglove", "0", "--refbox-server", "0",
		"--workers", "0", "--join", file, "--player", "0")
	p.says(": dashboard at http")
	at := func(what string) string {
		t.Helper()
		found := regexp.MustCompile(what + ` at (?:\w+://)?([^\s/]+)`).FindStringSubmatch(p.stderr())
		if found == nil {
			t.Fatalf("%s is not on stderr:\n%s", what, p.stderr())
		}
		return found[1]
	}
	join := must.Get(cluster.ReadJoin(file))(t)
	master, page := at("ROS 1 master"), at("dashboard")
	slave, tcpros := nodeAddresses(t, master)
	for name, l := range map[string]listener{
		"dashboard":         {page, httpRequest("GET /api/world", ""), uses(httpRequest("GET /api/world", ""), `"planar"`)},
		"dashboard's state": {page, upgradeOf("/api/state", ""), usesSocket("/api/state", "", "", `"time_s"`)},
		"dashboard's images": {page, httpRequest("GET /api/cameras/cyan2/omni/next?after=1000000000", ""),
			uses(httpRequest("GET /api/cameras/cyan2/omni/next", ""), `"detections"`)},
		"rosbridge": {at("rosbridge"), upgradeOf("/", ""), usesSocket("/", "", `{"op": "subscribe", "topic": "/clock"}`,
			`"clock"`)},
		"foxglove":     {at("foxglove"), upgradeOf("/", foxgloveProtocol), usesSocket("/", foxgloveProtocol, "", `"serverInfo"`)},
		"master":       {master, xmlCall("getPid"), uses(xmlCall("getPid"), "methodResponse")},
		"node":         {slave, xmlCall("getPid"), uses(xmlCall("getPid"), "methodResponse")},
		"ROS messages": {tcpros, topicHeader("/evil"), uses(topicHeader("/late"), "callerid=/omnipitch")},
		"referee box":  {at("referee box"), "{}\x00", uses("", `"WELCOME"`)},
		"Player":       {at("Player server of cyan1"), driverRequest, uses(driverRequest, "odometry")},
		"workers": {strings.TrimPrefix(join.Servers[0], "nats://"), "CONNECT {\"auth_token\":\"x\"}\r\n",
			func(context.Context, string) error {
				conn, err := join.Connect("late")
				if err == nil {
					conn.Close()
				}
				return err
			}},
	} {
		t.Run(name, func(t *testing.T) {
			var took []time.Duration
			for range 3 { // a busy machine may delay a newcomer
				if took = newcomers(t, l); slices.Max(took) <= served {
					return
				}
			}
			t.Errorf("newcomers were served after %v, want at most %v", took, served)
		})
	}
}

// driverRequest asks a Player server for the driver of the device position2d:0.
var driverRequest = string(slices.Concat(make([]byte, 11), []byte{1}, make([]byte, 7), []byte{3}, make([]byte, 3),
	[]byte{2}, make([]byte, 15), []byte{24}, make([]byte, 11), []byte{4}, make([]byte, 12)))

// newcomers attacks a listener and returns after which wall times newcomers were served.
func newcomers(t *testing.T, l listener) (took []time.Duration) {
	t.Helper()
	defer attack(t, l)()
	for range 5 {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		err := l.use(ctx, l.addr)
		for err != nil && ctx.Err() == nil {
			err = l.use(ctx, l.addr)
		}
		cancel()
		if err != nil {
			t.Fatalf("a newcomer was not served: %v", err)
		}
		took = append(took, time.Since(begun))
	}
	return took
}

// attack opens the hostile connections. They are silent, send a request and stay, send half a request, or send a
// request byte by byte. The result stop ends them.
func attack(t *testing.T, l listener) (stop func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	var opened, over sync.WaitGroup
	opened.Add(hostile)
	for i := range hostile {
		over.Go(func() {
			first := sync.OnceFunc(opened.Done)
			defer first()
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for ctx.Err() == nil {
				attackOnce(ctx, l, i, tick.C, first)
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	opened.Wait()
	return func() {
		end()
		over.Wait()
	}
}

// attackOnce opens a hostile connection of kind i % 4, and returns when it is closed. It calls opened after its first
// bytes.
func attackOnce(ctx context.Context, l listener, i int, tick <-chan time.Time, opened func()) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return // the next tick tries again
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	bytes := []int{0, len(l.request), len(l.request) / 2, 1}[i%4]
	_, _ = io.WriteString(conn, l.request[:bytes])
	opened()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, conn)
	}()
	for {
		select {
		case <-tick:
			if i%4 == 3 && bytes < len(l.request) {
				_, _ = io.WriteString(conn, l.request[bytes:bytes+1])
				bytes++
			}
		case <-gone:
			return
		}
	}
}

// httpRequest returns a request that keeps the connection open.
func httpRequest(line, body string) string {
	return fmt.Sprintf("%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", line, len(body), body)
}

func xmlCall(method string) string {
	return httpRequest("POST /", "<?xml version=\"1.0\"?><methodCall><methodName>"+method+"</methodName><params>"+
		"<param><value>/late</value></param></params></methodCall>")
}

const foxgloveProtocol = "foxglove.sdk.v1"

// upgradeOf returns a request for a WebSocket.
func upgradeOf(path, protocol string) string {
	if protocol != "" {
		protocol = "Sec-WebSocket-Protocol: " + protocol + "\r\n"
	}
	return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" + protocol +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
}

// topicHeader returns the connection header of a subscriber of /clock.
func topicHeader(caller string) string {
	var fields []byte
	for _, f := range []string{"callerid=" + caller, "topic=/clock", "type=*", "md5sum=*"} {
		fields = append(binary.LittleEndian.AppendUint32(fields, uint32(len(f))), f...)
	}
	return string(append(binary.LittleEndian.AppendUint32(nil, uint32(len(fields))), fields...))
}

// uses returns a function that sends a request and reads until the answer contains a text. An HTTP answer ends the
// connection.
func uses(request, want string) func(context.Context, string) error {
	return func(ctx context.Context, addr string) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		last := strings.Replace(request, "Host: localhost\r\n", "Host: localhost\r\nConnection: close\r\n", 1)
		if _, err := io.WriteString(conn, last); err != nil {
			return err
		}
		var got strings.Builder
		for r := bufio.NewReader(conn); !strings.Contains(got.String(), want); {
			b, err := r.ReadByte()
			if err != nil {
				return fmt.Errorf("%w after %.200q", err, got.String())
			}
			got.WriteByte(b)
		}
		return nil
	}
}

// usesSocket returns a function that opens a WebSocket, sends a message, if it is not empty, and reads until a message
// contains a text.
func usesSocket(path, protocol, message, want string) func(context.Context, string) error {
	return func(ctx context.Context, addr string) error {
		c, _, err := websocket.Dial(ctx, "ws://"+addr+path, &websocket.DialOptions{Subprotocols: []string{protocol}})
		if err != nil {
			return err
		}
		defer c.CloseNow()
		c.SetReadLimit(1 << 20)
		if message != "" {
			if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
				return err
			}
		}
		for {
			_, got, err := c.Read(ctx)
			if err != nil || strings.Contains(string(got), want) {
				return err
			}
		}
	}
}

// nodeAddresses returns the addresses of the XML-RPC server and of the message socket of the node /omnipitch.
func nodeAddresses(t *testing.T, master string) (slave, tcpros string) {
	t.Helper()
	ask := func(addr, method, params, want string) string {
		t.Helper()
		conn := must.Get(net.Dial("tcp", addr))(t)
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(deadline))
		call := strings.Replace(xmlCall(method), "</params>", params+"</params>", 1)
		_, body, _ := strings.Cut(call, "\r\n\r\n")
		must.Get(io.WriteString(conn, httpRequest("POST /", body)))(t)
		resp := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		answer := must.Get(io.ReadAll(resp.Body))(t)
		found := regexp.MustCompile(want).FindSubmatch(answer)
		if found == nil {
			t.Fatalf("%s: got %s, want %s in it", method, answer, want)
		}
		return string(found[1])
	}
	slave = ask(master, "lookupNode", "<param><value>/omnipitch</value></param>", `http://([^/]+)/`)
	port := ask(slave, "requestTopic", "<param><value>/clock</value></param><param><value><array><data><value><array>"+
		"<data><value>TCPROS</value></data></array></value></data></array></value></param>", `>(\d{4,5})<`)
	return slave, net.JoinHostPort("127.0.0.1", port)
}
