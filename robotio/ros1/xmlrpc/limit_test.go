package xmlrpc

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
)

// TestPace: calls beyond a burst wait until the rate is kept, and idling makes up for it.
func TestPace(t *testing.T) {
	c, now := &limitedConn{}, time.Unix(1000, 0)
	for i := range 10 {
		if wait := c.pace(now, 100, 10); wait > 0 {
			t.Errorf("call %d of the burst waits %v", i, wait)
		}
	}
	for i := 1; i <= 5; i++ {
		if wait, want := c.pace(now, 100, 10), time.Duration(i)*10*time.Millisecond; wait != want {
			t.Errorf("%d calls beyond the burst: wait %v, want %v", i, wait, want)
		}
	}
	if wait := c.pace(now.Add(time.Second), 100, 10); wait > 0 {
		t.Errorf("after a second: wait %v", wait)
	}
}

// TestCallUnderWayStays: a connection whose call is under way is never closed for a new one.
func TestCallUnderWayStays(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limited := limit(l, 2)
	entered, leave := make(chan struct{}), make(chan struct{})
	s := &Server{guard: access.Rule{}.Guard("test", nil), large: make(chan struct{}, maxLarge), handler: func(context.Context, string, []any) (any, error) {
		entered <- struct{}{}
		<-leave
		return "done", nil
	}}
	h := http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }}
	go func() { _ = h.Serve(limited) }()
	defer h.Close()
	answer := make(chan error, 1)
	go func() {
		v, err := Call(t.Context(), "http://"+l.Addr().String(), "wait")
		if err == nil && v != "done" {
			t.Errorf("got %v", v)
		}
		answer <- err
	}()
	<-entered
	var last net.Conn
	for range 20 {
		if last, err = net.Dial("tcp", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer last.Close()
	}
	// The last one gets an answer, so the others were accepted, and closed, before it.
	if _, err := last.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := last.Read(b); err != nil || !strings.Contains(string(b[:n]), "405") {
		t.Errorf("%q, %v", b[:n], err)
	}
	close(leave)
	if err := <-answer; err != nil {
		t.Error(err)
	}
}
