package ros1

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Limits of connections to peers. The values are guesses.
const (
	// maximum number of concurrent connections from subscribers and service clients, see package admission
	maxConns   = 1024
	maxPending = 512 // maximum number of connections that have not yet sent a header, or a first request
	// number of connections above which the kernel buffers less for new connections; see tcpros.LimitUnsent
	manyConns = 256
	maxDials  = 1024 // maximum number of concurrent connections to other nodes
)

// Fractions of the maximum number of files of the process, see admission.Fit.
const (
	connsShare   = 6
	pendingShare = 12
)

// inbound is a connection that a peer has opened to this node.
type inbound struct {
	*net.TCPConn
	slot admission.Conn // guarded by the node's lock
}

// accept accepts and serves TCPROS connections until the node closes.
func (n *Node) accept() {
	for {
		c, err := n.tcp.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for example, because there are no free file descriptors
			n.shed()
			if !wait(n.ctx, 10*time.Millisecond) {
				return
			}
			continue
		}
		p := &inbound{c, admission.Conn{Close: c.Close, Addr: addrHost(c.RemoteAddr())}}
		if !n.enter(p) {
			c.Close()
			return
		}
		n.spawn(func() {
			defer n.leave(p)
			n.serve(p)
		})
	}
}

// enter adds a new connection to the node, so that Node.Close closes the connection. It returns false if the node is
// closed.
func (n *Node) enter(p *inbound) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return false
	}
	if out := n.peers.Enter(&p.slot); out != nil {
		out.Close()
	}
	return true
}

// shed closes the oldest connection that has not sent a header.
func (n *Node) shed() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if out := n.peers.Shed(); out != nil {
		out.Close()
	}
}

// addrHost returns an address without its port.
func addrHost(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.String()
	}
	return a.String()
}

// leave closes a connection and frees its slot for another connection.
func (n *Node) leave(p *inbound) {
	n.mu.Lock()
	n.peers.Leave(&p.slot)
	n.mu.Unlock()
	p.Close()
}

// errFull is the error that is sent to a peer for which there is no slot.
var errFull = errors.New("too many connections: this node accepts no more")

// admit gives a slot to a peer whose header has been read. To free a slot, it may close another connection. It returns
// an error if there is no slot.
func (n *Node) admit(p *inbound, caller, subject string, rank func() admission.Rank) error {
	n.mu.Lock()
	p.slot.Caller, p.slot.Subject, p.slot.Rank = caller, subject, rank
	full := n.peers.Full()
	n.mu.Unlock()
	if full && rank() != admission.Known { // the peer may have registered a moment ago
		n.known.refresh(n)
	}
	n.mu.Lock()
	out, ok := n.peers.Admit(&p.slot)
	conns, _ := n.peers.Len()
	n.mu.Unlock()
	if conns > manyConns {
		tcpros.LimitUnsent(p.TCPConn)
	}
	if out != nil {
		out.Close()
		n.warnPeer("too many connections: closed one for a newer one", "peer", out.Caller, "from", out.Addr, "of",
			out.Subject)
	}
	if !ok {
		return errFull
	}
	return nil
}

// serve reads the header of a peer, and passes the connection to the topic or the service that the header names.
func (n *Node) serve(p *inbound) {
	_ = p.SetNoDelay(true) // this is Go's default too, but the latency depends on it
	_ = p.SetDeadline(time.Now().Add(tcpros.HandshakeTime))
	h, err := tcpros.ReadHeader(p)
	if err != nil {
		n.warnPeer("connection dropped", "from", p.RemoteAddr(), "error", err)
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
			l := tcpros.NewSubscriberLink(n.nextID(), t.name, h["callerid"], p.TCPConn, t.queue)
			if err = n.admit(p, l.Node, t.name, func() admission.Rank { return n.rank(l) }); err == nil {
				t.serve(l)
				return
			}
		}
	case s != nil:
		if err = s.accepts(h); err == nil {
			s.serve(p, h)
			return
		}
	default:
		err = n.errorf("connection header: must name a topic or a service")
	}
	n.warnPeer("peer refused", "peer", h["callerid"], "from", p.RemoteAddr(), "error", err)
	_ = tcpros.Header{"error": err.Error()}.Write(p)
	// Closing a connection with unread bytes would reset the connection, and the peer would lose the answer.
	_ = p.CloseWrite()
	_, _ = io.CopyN(io.Discard, p, tcpros.MaxHeader)
}

// track adds a connection that this node has opened, so that Close closes the connection. It returns false if the node
// is closed, or has too many such connections.
func (n *Node) track(c *net.TCPConn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || len(n.dials) >= maxDials {
		return false
	}
	n.dials[c] = struct{}{}
	return true
}

func (n *Node) untrack(c *net.TCPConn) {
	n.mu.Lock()
	delete(n.dials, c)
	n.mu.Unlock()
	c.Close()
}

// Wall times of requests that ask the master for its nodes. The node makes such requests only if there are too many
// peers. The values are guesses.
const (
	knownTime  = time.Second            // timeout of a request
	knownPause = 100 * time.Millisecond // between two requests
)

// knownNodes holds the nodes that the master has listed in its last answer. A peer can send any caller id, so the list
// does not prove which node a peer is. But it distinguishes registered programs from all other programs.
type knownNodes struct {
	sets atomic.Pointer[nodeSets]

	mu    sync.Mutex
	asked time.Time
}

type nodeSets struct {
	nodes       map[string]bool
	subscribers map[[2]string]bool // by topic and node
}

// refresh requests the nodes from the master. If a concurrent call of refresh begins a request after this call, this
// call waits for that request and makes no request of its own.
func (k *knownNodes) refresh(n *Node) {
	called := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked.After(called) || !wait(n.ctx, time.Until(k.asked.Add(knownPause))) {
		return
	}
	k.asked = time.Now()
	ctx, cancel := context.WithTimeout(n.ctx, knownTime)
	defer cancel()
	g, err := graph.FetchNodes(ctx, n.master, n.name)
	if err != nil {
		return // the last list remains
	}
	known := &nodeSets{map[string]bool{}, map[[2]string]bool{}}
	for _, node := range g.Nodes() {
		known.nodes[node] = true
	}
	for topic, nodes := range g.Subscribers {
		for _, node := range nodes {
			known.subscribers[[2]string{topic, node}] = true
		}
	}
	k.sets.Store(known)
}

// subscribes reports whether the master lists the node as a subscriber of the topic.
func (k *knownNodes) subscribes(node, topic string) bool {
	g := k.sets.Load()
	return g != nil && g.subscribers[[2]string{topic, node}]
}

// has reports whether the master lists the node.
func (k *knownNodes) has(node string) bool {
	g := k.sets.Load()
	return g != nil && g.nodes[node]
}

// rank returns the rank of a subscriber for package admission.
func (n *Node) rank(l *tcpros.SubscriberLink) admission.Rank {
	switch {
	case l.Stalled():
		return admission.Stalled
	case n.known.subscribes(l.Node, l.Topic):
		return admission.Known
	}
	return admission.Unknown
}

// rankClient returns the rank of a client of a service for package admission.
func (n *Node) rankClient(caller string) admission.Rank {
	if n.known.has(caller) {
		return admission.Known
	}
	return admission.Unknown
}
