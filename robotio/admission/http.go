package admission

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of an HTTP server; guesses, far above the needs of pages and robots.
const (
	maxIdle   = 512             // number of connections without a request in progress
	maxServed = 256             // number of connections with a request in progress
	httpShare = 24              // share of the process's file limit for each of both, see Fit
	longTime  = 2 * time.Second // wall time after which a request in progress has the rank Stalled
)

// Serve calls s.Serve with a limited number of connections. It sets s.ConnState. A connection is pending until the
// header of its request has arrived, and again after the answer. It is admitted while its request is in progress.
// Connections that the handler hijacks, such as WebSockets, do not count.
func Serve(s *http.Server, l net.Listener) error {
	return newHTTPConns(Fit(maxServed, httpShare), Fit(maxIdle, httpShare)).serve(s, l)
}

// httpConns are the connections of an HTTP server.
type httpConns struct {
	long  time.Duration // see longTime
	mu    sync.Mutex
	table *Table
	all   map[net.Conn]*Conn
}

func newHTTPConns(served, idle int) *httpConns {
	return &httpConns{long: longTime, table: NewTable(served, idle), all: map[net.Conn]*Conn{}}
}

func (h *httpConns) serve(s *http.Server, l net.Listener) error {
	s.ConnState = h.changed
	return s.Serve(&shedding{l, h})
}

// changed follows the state of a connection. It closes the connection that this one replaces.
func (h *httpConns) changed(conn net.Conn, state http.ConnState) {
	if out := h.update(conn, state); out != nil {
		_ = out.Close() // the server notices
	}
}

func (h *httpConns) update(conn net.Conn, state http.ConnState) (out *Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.all[conn]
	switch {
	case state == http.StateNew:
		addr, _, _ := net.SplitHostPort(conn.RemoteAddr().String())
		c = &Conn{Close: conn.Close, Addr: addr}
		h.all[conn] = c
		return h.table.Enter(c)
	case c == nil:
	case state == http.StateActive:
		begun := time.Now()
		c.Rank = func() Rank {
			if time.Since(begun) > h.long {
				return Stalled
			}
			return Unknown
		}
		out, _ = h.table.Admit(c) // it fails only for a connection that has been closed for another one
	case state == http.StateIdle:
		h.table.Leave(c)
		return h.table.Enter(c)
	default: // closed or hijacked
		h.table.Leave(c)
		delete(h.all, conn)
	}
	return out
}

// shedding is a listener that closes the oldest idle connection when the process is out of file descriptors.
type shedding struct {
	net.Listener
	conns *httpConns
}

func (s *shedding) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) {
		return c, err
	}
	s.conns.mu.Lock()
	out := s.conns.table.Shed()
	s.conns.mu.Unlock()
	if out != nil {
		_ = out.Close()
	}
	return nil, err // the server tries again soon
}
