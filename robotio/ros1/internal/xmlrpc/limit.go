package xmlrpc

import (
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// discardLog drops net/http's messages about misbehaving peers. Such a peer gets an error or loses its connection.
var discardLog = log.New(io.Discard, "", 0)

// limit returns a listener that keeps at most n connections open. When one more connection arrives, the listener closes
// the connection that has been idle longest. If all connections have running calls, the new connection waits in the
// kernel.
func limit(l net.Listener, n int) *limited {
	return &limited{Listener: l, max: n, conns: map[*limitedConn]struct{}{}, free: make(chan struct{}, 1)}
}

type limited struct {
	net.Listener
	max  int
	free chan struct{} // receives a value when a connection may have become idle

	mu     sync.Mutex
	conns  map[*limitedConn]struct{}
	closed bool
}

func (l *limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil { // for example, no free file descriptors; the server tries again soon
		l.mu.Lock()
		l.shed()
		l.mu.Unlock()
		return nil, err
	}
	conn := &limitedConn{Conn: c, home: l, calls: rate.NewLimiter(maxRate, maxBurst)}
	for !l.admit(conn) {
		<-l.free
	}
	return conn, nil
}

// admit adds a new connection, and closes an idle one if there are too many. It returns false if there are too many and
// none is idle. It also returns true if the listener is closed, because then the server closes the connection.
func (l *limited) admit(c *limitedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.max && !l.closed && !l.shed() {
		return false
	}
	c.since.Store(time.Now().UnixNano())
	l.conns[c] = struct{}{}
	return true
}

// shed closes the connection that has been idle longest. It returns false if none is idle. The caller holds mu.
func (l *limited) shed() bool {
	var oldest *limitedConn
	for o := range l.conns {
		if since := o.since.Load(); since != busy && (oldest == nil || since < oldest.since.Load()) {
			oldest = o
		}
	}
	if oldest == nil {
		return false
	}
	delete(l.conns, oldest)
	oldest.Conn.Close()
	return true
}

func (l *limited) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.signal()
	return l.Listener.Close()
}

func (l *limited) signal() {
	select {
	case l.free <- struct{}{}:
	default:
	}
}

// busy is the value of since for a connection with a running call.
const busy = -1

type limitedConn struct {
	net.Conn
	home  *limited
	since atomic.Int64 // time since which the connection is idle, in nanoseconds since 1970; or busy
	calls *rate.Limiter
}

func (c *limitedConn) idle(now time.Time) {
	c.since.Store(now.UnixNano())
	c.home.signal()
}

func (c *limitedConn) Close() error {
	c.home.mu.Lock()
	delete(c.home.conns, c)
	c.home.mu.Unlock()
	c.home.signal()
	return c.Conn.Close()
}
