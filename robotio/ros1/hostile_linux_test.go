package ros1

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// target is one of three listeners that a peer can attack: a partial message that begins a valid connection, and an
// honest peer's use.
type target struct {
	name, addr string
	begin      []string
	honest     func() error
}

// targets starts a master and a node, and returns their listeners.
func targets(t *testing.T) []target {
	m := newMaster(t)
	n := newNode(t, m.URI(), "/n")
	other := newNode(t, m.URI(), "/other")
	serveEcho(t, n, "/s")
	addr := func(uri string) string {
		u := must.Get(url.Parse(uri))(t)
		return u.Host
	}
	ask := func(uri string) func() error {
		return func() error { _, err := graph.Call(t.Context(), uri, "getPid", "/t"); return err }
	}
	post := []string{"", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n<?xml"}
	return []target{
		{"master", addr(m.URI()), post, ask(m.URI())},
		{"slave API", addr(n.URI()), post, ask(n.URI())},
		{"TCPROS", n.tcp.Addr().String(), []string{"", "\xc8\x00\x00\x00\x0a\x00"}, func() error {
			return callBallHandle(t, other, "/s")
		}},
	}
}

// promptly fails unless an honest peer is served. A flood may displace it once, but not twice in a row.
func (g target) promptly(t *testing.T, while string) {
	t.Helper()
	start := time.Now()
	err := g.honest()
	if err != nil {
		err = g.honest()
	}
	if err != nil {
		t.Errorf("%s, %s: an honest peer: %v", g.name, while, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%s, %s: an honest peer waited %v", g.name, while, took)
	}
}

// TestFlood checks that more than a thousand connections that send nothing, half a header or a byte now and then do not
// keep out an honest peer.
func TestFlood(t *testing.T) {
	for _, g := range targets(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			for _, say := range g.begin {
				what := fmt.Sprintf("connections that say %q", say)
				var conns []net.Conn
				for i := range maxConns + 100 {
					c, err := net.DialTimeout("tcp", g.addr, deadline)
					if err != nil {
						t.Fatalf("connection %d: %v", i, err)
					}
					conns = append(conns, c)
					_, _ = c.Write([]byte(say)) // it may be closed
				}
				g.promptly(t, what)
				for i, c := range conns { // slow loris: send single bytes
					if i%2 == 0 {
						_, _ = c.Write([]byte("x"))
					}
				}
				g.promptly(t, what+" going on")
				for _, c := range conns {
					c.Close()
				}
			}
		})
	}
}

// garbage returns invalid input for HTTP, XML-RPC and TCPROS.
func garbage() map[string][]byte {
	post := func(body string) []byte {
		return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: "+
			"%d\r\nConnection: close\r\n\r\n%s", len(body), body)
	}
	call := func(method, params string) []byte {
		return post("<?xml version='1.0'?><methodCall><methodName>" + method + "</methodName><params>" + params +
			"</params></methodCall>")
	}
	str := func(s string) string { return "<param><value><string>" + s + "</string></value></param>" }
	return map[string][]byte{
		"nothing":           {},
		"zeros":             make([]byte, 1<<16),
		"ones":              bytes.Repeat([]byte{0xff}, 1<<16),
		"giant length":      {0xff, 0xff, 0xff, 0x7f, 1, 2, 3},
		"giant header line": append([]byte("POST / HTTP/1.1\r\nX: "), bytes.Repeat([]byte("x"), 1<<16)...),
		"giant body promised": []byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
			"9999999999999\r\nConnection: close\r\n\r\n<"),
		"no XML":     post("garbage"),
		"deep XML":   post(strings.Repeat("<a>", 1<<16)),
		"deep value": call("setParam", str("/evil")+str("/k")+"<param>"+strings.Repeat("<value><array><data>", 1<<12)),
		"many entities": post(
			`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><methodCall><methodName>&b;` +
				`</methodName></methodCall>`),
		"unknown method":  call("formatDisk", str("/evil")),
		"no arguments":    call("registerPublisher", ""),
		"wrong arguments": call("publisherUpdate", str("/evil")+"<param><value><int>3</int></value></param>"+str("x")),
		"wrong protocols": call("requestTopic", str("/evil")+str("/t")+str("TCPROS")),
		"odd protocols": call("requestTopic",
			str("/evil")+str(
				"/t")+"<param><value><array><data><value><array><data></data></array></value></data></array>"+
				"</value></param>"),
		"wrong key": call("paramUpdate", str("/evil")+"<param><value><int>3</int></value></param>"+str("x")),
		"name with a newline": call("registerPublisher", str("/evil")+str("/a&#10;b")+str("std_msgs/Int32")+str(
			"http://127.0.0.1:1/")),
		"long name": call("lookupNode", str("/evil")+str("/"+strings.Repeat("a", 1<<16))),
		"GET":       []byte("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
		"chunks without end": []byte("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " +
			"chunked\r\nConnection: close\r\n\r\nffffffffffffffff\r\n"),
		"TLS": {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3},
		"wrong md5": tcprosHeader(tcpros.Header{"service": "/s", "md5sum": strings.Repeat("0", 32),
			"callerid": "/evil"}),
		"wrong topic":        tcprosHeader(tcpros.Header{"topic": "/none", "type": "*", "md5sum": "*"}),
		"header of 128 KiB":  tcprosHeader(tcpros.Header{"service": strings.Repeat("a", tcpros.MaxHeader-8)}),
		"more than a header": tcprosHeader(tcpros.Header{"service": strings.Repeat("a", tcpros.MaxHeader)}),
	}
}

func tcprosHeader(h tcpros.Header) []byte {
	var b bytes.Buffer
	_ = h.Write(&b)
	return b.Bytes()
}

// TestHostile checks that garbage to any listener is answered or closed, and does not affect honest peers.
func TestHostile(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, g := range targets(t) {
		for what, send := range garbage() {
			c := must.Get(net.DialTimeout("tcp", g.addr, deadline))(t)
			_, _ = c.Write(send) // the peer may close meanwhile
			_ = c.(*net.TCPConn).CloseWrite()
			_ = c.SetReadDeadline(time.Now().Add(deadline))
			if answer, err := io.ReadAll(io.LimitReader(c, 1<<20)); err != nil && strings.Contains(err.Error(),
				"timeout") || len(answer) > 1<<17 {
				t.Errorf("%s: %s: received %d bytes, error %v", g.name, what, len(answer), err)
			}
			c.Close()
			g.promptly(t, what)
		}
	}
	must.Until(t, "the hostile connections to end", func() bool { return runtime.NumGoroutine() < before+60 })
}

// TestTrackingMakesRoom checks that beyond the limit the oldest silent connection is closed, and never one in use.
func TestTrackingMakesRoom(t *testing.T) {
	n := newNode(t, newMaster(t).URI(), "/n")
	pub := must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	used := dialTopic(t, n, tcpros.Header{"topic": "/t", "type": "*", "md5sum": "*", "callerid": "/honest"})
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	var silent []net.Conn
	for range maxConns + 10 {
		silent = append(silent, dialRaw(t, n))
	}
	for _, c := range silent[:10] { // the oldest
		_ = c.SetReadDeadline(time.Now().Add(tcpros.HandshakeTime / 2))
		if _, err := c.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
			t.Errorf("an old silent connection is still open: %v", err)
		}
	}
	pub.Publish(&msg.Int32{Data: 7})
	_ = used.SetReadDeadline(time.Now().Add(deadline))
	if b, err := tcpros.ReadBlock(used, nil, 100); err != nil || !bytes.Equal(b, []byte{7, 0, 0, 0}) {
		t.Errorf("the connection in use: % x, %v", b, err)
	}
}

// TestWarningsAreFew checks that misbehaving peers do not fill the log, and that suppressed warnings are counted.
func TestWarningsAreFew(t *testing.T) {
	var log strings.Builder
	n := &Node{warnings: rate.NewLimiter(maxWarnings, maxWarnings), log: slog.New(slog.NewTextHandler(&log, nil))}
	for range 1000 {
		n.warnPeer("x")
	}
	n.warnings = rate.NewLimiter(1, 1) // as after a pause
	n.warnPeer("x")
	lines, left := strings.Count(log.String(), "\n"), 0
	for _, m := range regexp.MustCompile(`left_out=(\d+)`).FindAllStringSubmatch(log.String(), -1) {
		left += must.Get(strconv.Atoi(m[1]))(t)
	}
	if lines < maxWarnings || lines > 500 || lines+left != 1001 {
		t.Errorf("%d lines, %d left out", lines, left)
	}
}
