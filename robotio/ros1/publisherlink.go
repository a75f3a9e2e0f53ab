package ros1

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync"
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
	sub       *subscription
	id        int
	uri       string // the publisher's slave API
	cancel    context.CancelFunc
	connected atomic.Bool
	confirmed atomic.Bool            // the publisher lists the connection, see Subscriber.Confirm
	node      atomic.Pointer[string] // the publisher's name, once connected
	bytes     atomic.Int64

	asked string // the refusal that the publisher was asked about; of the goroutine that runs

	joining sync.Mutex    // held while subscribers join
	theirs  tcpros.Header // the publisher's; nil without a connection; guarded by joining

	mu      sync.Mutex
	outlets []*outlet // replaced, not changed
	// why the publisher's messages are not a subscriber's; nil: they are, or nobody knows
	mismatch *MismatchError
	told     map[*Subscriber]*MismatchError // what subscribers have been told
	latched  bool                           // the publisher sends its last message to new connections
	last     *tcpros.Message                // which subscribers get that join; nil unless latched
}

// outlet leads from a link to a subscriber.
type outlet struct {
	link   *publisherLink
	to     *Subscriber
	handle func([]byte) error
}

func (t *subscription) newLink(uri string) *publisherLink {
	ctx, cancel := context.WithCancel(t.node.ctx)
	l := &publisherLink{sub: t, id: t.node.nextID(), uri: uri, cancel: cancel}
	t.node.spawn(func() {
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
		if e, ok := errors.AsType[*MismatchError](err); ok {
			l.setMismatch(e)
		}
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
	n, t := l.sub.node, l.sub
	def := t.requested()
	conn, r, theirs, err := n.dialPublisher(ctx, l.uri, tcpros.Header{"topic": t.name, "type": def.Name,
		"md5sum": def.MD5, "message_definition": def.Text, "tcp_nodelay": "1"})
	if err != nil {
		return l.refusedAs(ctx, def, err)
	}
	l.asked = ""
	defer n.untrack(conn)
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer l.end()
	if err := l.begin(theirs); err != nil {
		return err
	}
	name := theirs["callerid"]
	l.node.Store(&name)
	l.connected.Store(true)
	if slices.ContainsFunc(t.all(), func(s *Subscriber) bool { return s.confirm.Load() }) {
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
		buf = l.deliver(buf)
	}
}

// begin has the subscribers join a connection whose publisher sent this header. It fails where the messages are for
// none of them.
func (l *publisherLink) begin(theirs tcpros.Header) error {
	l.joining.Lock()
	l.theirs = theirs
	l.joining.Unlock()
	l.mu.Lock()
	l.latched = theirs["latching"] == "1"
	l.mu.Unlock()
	var refused error
	for _, s := range l.sub.all() {
		refused = cmp.Or(refused, l.join(s))
	}
	if e, ok := errors.AsType[*MismatchError](refused); ok || refused == nil {
		l.setMismatch(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.outlets) == 0 {
		return cmp.Or(refused, errors.New("no subscriber"))
	}
	if refused != nil {
		l.sub.node.warnPeer("publisher's messages are not a subscriber's", "topic", l.sub.name, "publisher", l.uri,
			"error", refused)
	}
	return nil
}

// end has the subscribers leave a connection that is over.
func (l *publisherLink) end() {
	l.joining.Lock()
	l.theirs = nil
	l.joining.Unlock()
	l.mu.Lock()
	last := l.last
	l.outlets, l.last = nil, nil
	l.mu.Unlock()
	if last != nil {
		last.Drop()
	}
}

// join gives a subscriber the publisher's messages from now on, and first the one that the publisher has latched, as
// far as the publisher has said that it latches: rospy does not to who connects before its constructor of the publisher
// has ended. It does nothing without a connection, and fails where the messages are not the subscriber's.
func (l *publisherLink) join(s *Subscriber) error {
	l.joining.Lock()
	defer l.joining.Unlock()
	if l.theirs == nil || l.outletOf(s) != nil {
		return nil
	}
	handle, err := s.open(l.theirs)
	if err != nil {
		return err
	}
	o := &outlet{l, s, handle}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.over.Load() {
		return nil
	}
	if l.last != nil {
		l.last.Hold(1)
		s.wait(l.last, o)
	}
	l.outlets = append(slices.Clone(l.outlets), o)
	return nil
}

// leave ends what join began.
func (l *publisherLink) leave(s *Subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outlets = slices.DeleteFunc(slices.Clone(l.outlets), func(o *outlet) bool { return o.to == s })
	delete(l.told, s)
}

// outletOf returns the outlet to a subscriber, or nil.
func (l *publisherLink) outletOf(s *Subscriber) *outlet {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.outlets {
		if o.to == s {
			return o
		}
	}
	return nil
}

// serves says whether a subscriber gets messages by the link.
func (l *publisherLink) serves(s *Subscriber) bool { return l.connected.Load() && l.outletOf(s) != nil }

// deliver hands a message to all subscribers, and returns the buffer for the next one. A subscriber that is alone
// handles it at once, so that a publisher waits for a slow one. Several get it by their queues, and all read the same
// bytes; what is slow loses its oldest messages.
func (l *publisherLink) deliver(b []byte) (next []byte) {
	l.mu.Lock()
	to := l.outlets
	alone := len(to) == 1 && to[0].to.waiting.idle()
	if len(to) == 0 && !l.latched || alone && !l.latched {
		l.mu.Unlock()
		if alone {
			to[0].to.handle(b, to[0])
		}
		return b
	}
	m := l.sub.pool.Get()
	m.Head, next = b, m.Head[:0]
	m.Hold(len(to))
	var before *tcpros.Message
	if l.latched {
		m.Hold(1)
		before, l.last = l.last, m
	}
	l.mu.Unlock()
	if before != nil {
		before.Drop()
	}
	for _, o := range to {
		if alone {
			o.to.handle(b, o)
			m.Drop()
		} else {
			o.to.wait(m, o)
		}
	}
	m.Drop()
	for _, o := range to {
		if !alone {
			o.to.waiting.pace(l.sub.node.ctx)
		}
	}
	return next
}

// dialPublisher connects to the publisher with the slave API at uri of the topic that the header names, and exchanges
// headers. untrack closes the connection.
func (n *Node) dialPublisher(ctx context.Context, uri string, ours tcpros.Header) (*net.TCPConn, *bufio.Reader,
	tcpros.Header, error) {
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
func (n *Node) dial(ctx context.Context, addr string, ours tcpros.Header) (*net.TCPConn, *bufio.Reader, tcpros.Header,
	error) {
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

// maxRefusals is how often a publisher may refuse to answer, as rospy does while a socket of its is being opened, until
// it is taken not to offer that: a second, with the times above.
const maxRefusals = 12

// confirm asks the publisher by its slave API for its connections until this one is among them. A publisher that does
// not offer that is taken to list it.
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
