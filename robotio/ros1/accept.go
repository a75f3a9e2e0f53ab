package ros1

import (
	"errors"
	"io"
	"net"
	"time"
)

// Limits on peers.
const (
	maxConns      = 1024             // TCPROS connections at once; more are closed. A guess.
	handshakeTime = 10 * time.Second // wall time for a peer to send its header. A guess.
)

// accept serves TCPROS connections until the node closes.
func (n *Node) accept() {
	for {
		c, err := n.tcp.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors, say: others may come back
			select {
			case <-n.ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		if !n.track(c) {
			c.Close()
			continue
		}
		n.spawn(func() {
			defer n.untrack(c)
			n.serve(c)
		})
	}
}

// track notes an open connection, for Close to close. It says no on a closed node and where maxConns peers are
// connected; a peer that has not said what it wants, the one that has been silent longest, makes room for a new one.
func (n *Node) track(c *net.TCPConn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	if len(n.conns) >= maxConns {
		var oldest *net.TCPConn
		for o, since := range n.conns {
			if !since.IsZero() && (oldest == nil || since.Before(n.conns[oldest])) {
				oldest = o
			}
		}
		if oldest == nil {
			return false
		}
		delete(n.conns, oldest)
		oldest.Close()
	}
	n.conns[c] = time.Now()
	return true
}

func (n *Node) untrack(c *net.TCPConn) {
	n.mu.Lock()
	delete(n.conns, c)
	n.mu.Unlock()
	c.Close()
}

// serve reads a peer's header and hands the connection to the topic or service that it names.
func (n *Node) serve(c *net.TCPConn) {
	_ = c.SetNoDelay(true) // Go's default, and what latency depends on
	_ = c.SetDeadline(time.Now().Add(handshakeTime))
	h, err := readHeader(c)
	if err != nil {
		n.warnPeer("connection dropped", "from", c.RemoteAddr(), "error", err)
		return
	}
	n.mu.Lock()
	t, s := n.pubs[h["topic"]], n.srvs[h["service"]]
	n.mu.Unlock()
	switch {
	case h["topic"] != "" && t == nil:
		err = n.errorf("topic %s: this node does not publish it", h["topic"])
	case h["service"] != "" && s == nil:
		err = n.errorf("service %s: this node does not serve it", h["service"])
	case t != nil:
		if err = t.accepts(h); err == nil {
			_ = c.SetKeepAliveConfig(keepAsking)
			t.serve(c, h)
			return
		}
	case s != nil:
		if err = s.accepts(h); err == nil {
			s.serve(c, h)
			return
		}
	default:
		err = n.errorf("connection header: must name a topic or a service")
	}
	n.warnPeer("peer refused", "peer", h["callerid"], "from", c.RemoteAddr(), "error", err)
	_ = header{"error": err.Error()}.writeTo(c)
	// Closing with bytes unread would reset the connection, and the peer would lose the answer.
	_ = c.CloseWrite()
	_, _ = io.CopyN(io.Discard, c, maxHeader)
}

// handshaken lifts the deadline once the headers are exchanged.
func (n *Node) handshaken(c *net.TCPConn) {
	_ = c.SetDeadline(time.Time{})
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, open := n.conns[c]; open {
		n.conns[c] = time.Time{}
	}
}
