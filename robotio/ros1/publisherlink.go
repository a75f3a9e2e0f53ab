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

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
)

// Wall times between attempts to reach a publisher. The time doubles after each failed attempt. The values are guesses.
const (
	retryFirst = 50 * time.Millisecond
	retryLast  = time.Second
)

// publisherLink is the connection of a subscription to one publisher. When the connection breaks, it connects again.
type publisherLink struct {
	sub       *subscription
	id        int
	uri       string // URI of the publisher's slave API
	cancel    context.CancelFunc
	connected atomic.Bool
	confirmed atomic.Bool            // whether the publisher lists the connection, see Subscriber.Confirm
	node      atomic.Pointer[string] // name of the publisher's node; nil until connected
	bytes     atomic.Int64

	asked string // text of the last refusal after which refusedAs asked the publisher; only run uses this field

	joining sync.Mutex    // locked while subscribers join
	theirs  tcpros.Header // header that the publisher has sent; nil without a connection; guarded by joining

	mu      sync.Mutex
	outlets []*outlet // elements are never changed; a change replaces the slice
	// mismatch is the reason why the publisher's messages do not fit a subscriber. It is nil if the messages fit, or if
	// it is unknown whether they fit.
	mismatch *MismatchError
	notified map[*Subscriber]*MismatchError // mismatches that have been reported, by subscriber
	latched  bool                           // whether the publisher sends its last message to new connections
	last     *tcpros.Message                // the last message, for subscribers that join later; nil unless latched
}

// outlet passes the messages of a link to one subscriber.
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
		if errors.Is(err, io.EOF) || err.Error() == logged { // the publisher left, or the error has been logged already
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

// receive connects to the publisher once, and delivers its messages until the connection ends.
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

// begin lets all subscribers join a new connection. theirs is the header of the publisher. begin returns an error if
// the messages fit none of the subscribers.
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

// end lets all subscribers leave a closed connection.
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

// join makes the link deliver the publisher's messages to a subscriber. If the publisher's header says that the
// publisher latches, join first delivers the latched message. The header of a rospy publisher that is still in its
// constructor does not yet say so. Without a connection, join does nothing. If the messages do not fit the subscriber,
// join returns an error.
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

// leave undoes join: the link delivers no more messages to the subscriber.
func (l *publisherLink) leave(s *Subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outlets = slices.DeleteFunc(slices.Clone(l.outlets), func(o *outlet) bool { return o.to == s })
	delete(l.notified, s)
}

// outletOf returns the outlet for a subscriber, or nil if there is none.
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

// serves reports whether the link delivers messages to a subscriber at present.
func (l *publisherLink) serves(s *Subscriber) bool { return l.connected.Load() && l.outletOf(s) != nil }

// deliver passes a message to all subscribers, and returns a buffer for the next message. If there is only one
// subscriber, deliver waits until this subscriber has handled the message; so the publisher waits for a slow
// subscriber. If there are several subscribers, the message goes into their queues, which share its bytes. Then a slow
// subscriber loses its oldest messages.
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

// dialPublisher connects to a publisher of the topic that the header names, and exchanges headers. uri is the address
// of the publisher's slave API. The caller must close the connection with untrack.
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

// dial connects to the TCPROS port of a peer and exchanges headers. It stops when ctx ends. The caller must close the
// connection with untrack.
func (n *Node) dial(ctx context.Context, addr string, ours tcpros.Header) (*net.TCPConn, *bufio.Reader, tcpros.Header,
	error) {
	d := net.Dialer{Timeout: tcpros.DialTime, KeepAliveConfig: tcpros.KeepAlive}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, nil, err
	}
	conn := c.(*net.TCPConn)
	_ = conn.SetNoDelay(true)
	// safe, because the peer reads at once: a subscriber sends only its header, and a client sends one request at a
	// time
	tcpros.DropUnanswered(conn)
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

// ProbeTopic asks a publisher of a topic for the definition of its messages. publisher is the name of the publisher's
// node. During the call, the publisher has one more subscriber. ProbeTopic returns an error if the node does not
// publish the topic or does not answer.
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

// Wall times between requests that ask a publisher whether it lists the connection. The time doubles after each
// request. The values are guesses: most publishers list the connection at the first request.
const (
	confirmFirst = 2 * time.Millisecond
	confirmLast  = 200 * time.Millisecond
)

// maxRefusals is the number of refused requests after which confirm assumes that a publisher does not offer getBusInfo.
// So many requests take about a second. The limit is above 1 because rospy refuses such requests while one of its
// sockets is being opened.
const maxRefusals = 12

// confirm asks the publisher's slave API for its connections, until the answer lists this connection. If a publisher
// does not offer getBusInfo, confirm assumes that the publisher lists the connection.
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

// listsConnection reports whether an answer of getBusInfo lists a connection that is for the given topic and goes to
// the given node.
func listsConnection(info any, topic, node string) bool {
	list, _ := info.([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		c, _ := v.([]any) // the elements of c are: id, peer, direction, transport, topic
		return len(c) >= 5 && c[1] == node && c[2] == "o" && c[4] == topic
	})
}
