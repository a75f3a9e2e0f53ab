package admission

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// deadline bounds how long a test waits. It is generous because test machines may be busy.
const deadline = time.Minute

// request opens a connection and sends bytes of a request.
func request(t *testing.T, addr net.Addr, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c := must.Get(net.Dial("tcp", addr.String()))(t)
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(deadline))
	_, _ = fmt.Fprint(c, text) // it may be closed
	return c, bufio.NewReader(c)
}

// TestServe checks that idle connections close no connection with a request in progress, that requests in progress lock
// no newcomer out, and that the connections stay limited.
func TestServe(t *testing.T) {
	const places = 4
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	entered, leave := make(chan struct{}, 100), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			entered <- struct{}{}
			select {
			case <-leave:
			case <-r.Context().Done():
			}
		}
	})}
	conns := newHTTPConns(places, places)
	conns.long = deadline
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = conns.serve(server, l)
	}()
	const short, long = "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /long HTTP/1.1\r\nHost: x\r\n\r\n"
	answered := func(what string, r *bufio.Reader) {
		t.Helper()
		if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: got %v, %v, want status 200", what, resp, err)
		}
	}
	_, first := request(t, l.Addr(), long)
	<-entered
	_, kept := request(t, l.Addr(), short)
	answered("a short request", kept)
	for i := range 10 * places {
		_, _ = request(t, l.Addr(), []string{"", short[:10]}[i%2])
		_, r := request(t, l.Addr(), short)
		answered("a request besides idle connections", r)
	}
	for range 10 * places {
		_, _ = request(t, l.Addr(), long)
		<-entered
		_, r := request(t, l.Addr(), short)
		answered("a request besides long ones", r)
	}
	close(leave)
	answered("the first request", first)
	if _, err := kept.ReadByte(); err == nil {
		t.Error("the oldest idle connection is open")
	}
	conns.mu.Lock()
	admitted, pending := conns.table.Len()
	conns.mu.Unlock()
	if admitted > places || pending > places {
		t.Errorf("%d and %d connections, want at most %d each", admitted, pending, places)
	}
	must.Do(t, server.Close())
	<-done
}
