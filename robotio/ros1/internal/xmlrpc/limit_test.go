package xmlrpc

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestCallUnderWayStays checks that a connection with a running call is never closed for a new one.
func TestCallUnderWayStays(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	limited := limit(l, 2)
	entered, leave := make(chan struct{}), make(chan struct{})
	s := &Server{guard: access.Rule{}.Guard("test", nil), large: make(chan struct{}, maxLarge),
		handler: func(context.Context, string, []any) (any, error) {
			entered <- struct{}{}
			<-leave
			return "done", nil
		}}
	h := http.Server{Handler: s, ConnContext: func(ctx context.Context,
		c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}}
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
	// The last connection gets an answer, so the earlier ones were accepted and closed.
	must.Get(last.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")))(t)
	b := make([]byte, 100)
	if n, err := last.Read(b); err != nil || !strings.Contains(string(b[:n]), "405") {
		t.Errorf("%q, %v", b[:n], err)
	}
	close(leave)
	if err := <-answer; err != nil {
		t.Error(err)
	}
}
