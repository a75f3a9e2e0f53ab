package ros1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
)

// Wall times between attempts to reach a publisher: doubled after every failure. Guesses.
const (
	retryFirst = 50 * time.Millisecond
	retryLast  = time.Second
)

// publisherLink is a subscription's connection to one publisher, made anew whenever it breaks.
type publisherLink struct {
	sub       *Subscriber
	id        int
	uri       string // the publisher's slave API
	cancel    context.CancelFunc
	connected atomic.Bool
	confirmed atomic.Bool            // the publisher lists the connection, see Subscriber.Confirm
	node      atomic.Pointer[string] // the publisher's name, once connected
	bytes     atomic.Int64
}

func (s *Subscriber) newLink(uri string) *publisherLink {
	ctx, cancel := context.WithCancel(s.node.ctx)
	l := &publisherLink{sub: s, id: s.node.nextID(), uri: uri, cancel: cancel}
	s.node.spawn(func() {
		defer cancel()
		l.run(ctx)
	})
	return l
}

func (l *publisherLink) run(ctx context.Context) {
	pause, logged := retryFirst, ""
	for {
		start := l.bytes.Load()
		err := l.receive(ctx)
		l.connected.Store(false)
		l.confirmed.Store(false)
		if ctx.Err() != nil {
			return
		}
		if l.bytes.Load() > start {
			pause = retryFirst
		}
		level := slog.LevelWarn
		if errors.Is(err, io.EOF) || err.Error() == logged { // one that left, or the same error again
			level = slog.LevelDebug
		}
		logged = err.Error()
		l.sub.node.log.Log(ctx, level, "ros node: publisher lost", "node", l.sub.node.name, "topic", l.sub.name,
			"publisher", l.uri, "retry_in", pause, "error", err)
		if !wait(ctx, pause) {
			return
		}
		pause = min(2*pause, retryLast)
	}
}

// receive connects once and delivers messages until the connection ends.
func (l *publisherLink) receive(ctx context.Context) error {
	n, s := l.sub.node, l.sub
	conn, r, theirs, err := n.dialPublisher(ctx, l.uri, tcpros.Header{"topic": s.name, "type": s.def.Name,
		"md5sum": s.def.MD5, "message_definition": s.def.Text, "tcp_nodelay": "1"})
	if err != nil {
		return err
	}
	defer n.untrack(conn)
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	handle := s.handle
	if s.open != nil {
		if handle, err = s.open(theirs); err != nil {
			return err
		}
	} else if err := s.accepts(theirs); err != nil {
		return err
	}
	name := theirs["callerid"]
	l.node.Store(&name)
	l.connected.Store(true)
	if s.confirm.Load() {
		confirming, cancel := context.WithCancel(ctx)
		defer cancel()
		n.spawn(func() { l.confirm(confirming) })
	}
	var buf []byte
	for {
		if buf, err = tcpros.ReadBlock(r, buf, n.maxMessage); err != nil {
			return err
		}
		l.bytes.Add(int64(len(buf)) + 4)
		if err := s.deliver(buf, handle); err != nil {
			n.warnPeer("message dropped", "topic", s.name, "publisher", l.uri, "error", err)
		}
	}
}

// dialPublisher connects to the publisher with the slave API at uri of the topic that the header names, and exchanges
// headers. untrack closes the connection.
func (n *Node) dialPublisher(ctx context.Context, uri string, ours tcpros.Header) (*net.TCPConn, *bufio.Reader, tcpros.Header, error) {
	v, err := graph.Call(ctx, uri, "requestTopic", n.name, ours["topic"], []any{[]any{"TCPROS"}})
	if err != nil {
		return nil, nil, nil, err
	}
	where, _ := v.([]any)
	if len(where) != 3 || where[0] != "TCPROS" {
		return nil, nil, nil, fmt.Errorf("%s: requestTopic: answer %.80v: must be [TCPROS, host, port]", uri, v)
	}
	host, _ := where[1].(string)
	port, _ := where[2].(int)
	return n.dial(ctx, net.JoinHostPort(host, strconv.Itoa(port)), ours)
}

// dial connects to a peer's TCPROS port and exchanges headers. It ends when ctx does; untrack closes the connection.
func (n *Node) dial(ctx context.Context, addr string, ours tcpros.Header) (*net.TCPConn, *bufio.Reader, tcpros.Header, error) {
	d := net.Dialer{Timeout: tcpros.DialTime, KeepAliveConfig: tcpros.KeepAlive}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, nil, err
	}
	conn := c.(*net.TCPConn)
	_ = conn.SetNoDelay(true)
	tcpros.DropUnanswered(conn) // a subscriber sends its header alone, a client one request at a time
	if !n.track(conn) {
		conn.Close()
		return nil, nil, nil, fmt.Errorf("%s: node closed, or more than %d connections", addr, maxDials)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	r := bufio.NewReaderSize(conn, 4096)
	ours["callerid"] = n.name
	theirs, err := tcpros.Handshake(conn, r, ours)
	if err != nil {
		n.untrack(conn)
		return nil, nil, nil, err
	}
	return conn, r, theirs, nil
}

// ProbeTopic asks a publisher of topic, the node of that name, for the definition of its messages. For a moment the
// publisher has a subscriber more. It fails where the node publishes no such topic or does not answer.
func ProbeTopic(ctx context.Context, n *Node, topic, publisher string) (*msg.Definition, error) {
	def, err := n.probeTopic(ctx, topic, publisher)
	if err != nil {
		return nil, n.errorf("topic %s: %w", topic, err)
	}
	return def, nil
}

func (n *Node) probeTopic(ctx context.Context, topic, publisher string) (*msg.Definition, error) {
	v, err := n.callMaster(ctx, "lookupNode", publisher)
	if err != nil {
		return nil, err
	}
	uri, _ := v.(string)
	conn, _, theirs, err := n.dialPublisher(ctx, uri, tcpros.Header{"topic": topic, "type": "*", "md5sum": "*"})
	if err != nil {
		return nil, err
	}
	n.untrack(conn)
	return n.definition(theirs)
}

// Wall times between questions whether a publisher lists its connection: doubled each time. Guesses: most do when they
// are asked first.
const (
	confirmFirst = 2 * time.Millisecond
	confirmLast  = 200 * time.Millisecond
)

// maxRefusals is how often a publisher may refuse to answer, as rospy does while a socket of its is being opened, until it
// is taken not to offer that: a second, with the times above.
const maxRefusals = 12

// confirm asks the publisher by its slave API for its connections until this one is among them. A publisher that does not
// offer that is taken to list it.
func (l *publisherLink) confirm(ctx context.Context) {
	n := l.sub.node
	refusals := 0
	for pause := confirmFirst; ; pause = min(2*pause, confirmLast) {
		v, err := graph.Call(ctx, l.uri, "getBusInfo", n.name)
		if ctx.Err() != nil || !l.connected.Load() {
			return
		}
		_, refused := errors.AsType[*graph.RefusedError](err)
		if _, fault := errors.AsType[*xmlrpc.Fault](err); refused || fault {
			refusals++
		}
		if err == nil && listsConnection(v, l.sub.name, n.name) || refusals == maxRefusals {
			l.confirmed.Store(true)
			return
		}
		if !wait(ctx, pause) {
			return
		}
	}
}

// listsConnection says whether an answer to getBusInfo has a connection by which a topic goes to a node.
func listsConnection(info any, topic, node string) bool {
	list, _ := info.([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		c, _ := v.([]any) // id, peer, direction, transport, topic
		return len(c) >= 5 && c[1] == node && c[2] == "o" && c[4] == topic
	})
}
