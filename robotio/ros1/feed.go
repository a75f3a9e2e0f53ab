package ros1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"
)

// Wall times between attempts to reach a publisher: doubled after every failure. Guesses.
const (
	retryFirst = 50 * time.Millisecond
	retryLast  = time.Second
)

// feed is a subscription's connection to one publisher, made anew whenever it breaks.
type feed struct {
	sub       *subscription
	id        int
	uri       string // the publisher's slave API
	cancel    context.CancelFunc
	connected atomic.Bool
	known     atomic.Bool            // to the publisher, see Subscriber.Peers
	peer      atomic.Pointer[string] // the publisher's name, once connected
	bytes     atomic.Int64
}

func (s *subscription) startFeed(uri string) *feed {
	ctx, cancel := context.WithCancel(s.node.ctx)
	f := &feed{sub: s, id: s.node.nextID(), uri: uri, cancel: cancel}
	s.node.spawn(func() {
		defer cancel()
		f.run(ctx)
	})
	return f
}

func (f *feed) run(ctx context.Context) {
	pause, said := retryFirst, ""
	for {
		start := f.bytes.Load()
		err := f.receive(ctx)
		f.connected.Store(false)
		f.known.Store(false)
		if ctx.Err() != nil {
			return
		}
		if f.bytes.Load() > start {
			pause = retryFirst
		}
		level := slog.LevelWarn
		if errors.Is(err, io.EOF) || err.Error() == said { // one that left, or what was said before
			level = slog.LevelDebug
		}
		said = err.Error()
		f.sub.node.log.Log(ctx, level, "ros node: publisher lost", "node", f.sub.node.name, "topic", f.sub.name,
			"publisher", f.uri, "retry_in", pause, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, retryLast)
	}
}

// receive connects once and delivers messages until the connection ends.
func (f *feed) receive(ctx context.Context) error {
	n, s := f.sub.node, f.sub
	addr, err := n.requestTopicAt(ctx, f.uri, s.name)
	if err != nil {
		return err
	}
	conn, err := n.dial(ctx, addr)
	if err != nil {
		return err
	}
	defer n.untrack(conn)
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	r := bufio.NewReaderSize(conn, 4096)
	theirs, err := handshake(conn, r, header{"callerid": n.name, "topic": s.name, "type": s.def.Name, "md5sum": s.def.MD5,
		"message_definition": s.def.Text, "tcp_nodelay": "1"})
	if err != nil {
		return err
	}
	handle := s.handle
	if s.open != nil {
		if handle, err = s.open(theirs); err != nil {
			return err
		}
	} else if err := s.fits(theirs); err != nil {
		return err
	}
	name := theirs["callerid"]
	f.peer.Store(&name)
	f.connected.Store(true)
	if s.ask.Load() {
		asking, cancel := context.WithCancel(ctx)
		defer cancel()
		n.spawn(func() { f.confirm(asking) })
	}
	var buf []byte
	for {
		if buf, err = readBlock(r, buf, n.maxMessage); err != nil {
			return err
		}
		f.bytes.Add(int64(len(buf)) + 4)
		if err := s.deliver(buf, handle); err != nil {
			n.warnPeer("message dropped", "topic", s.name, "publisher", f.uri, "error", err)
		}
	}
}

// dial connects to a peer's TCPROS port; untrack closes the connection.
func (n *Node) dial(ctx context.Context, addr string) (*net.TCPConn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAliveConfig: keepAlive}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	conn := c.(*net.TCPConn)
	_ = conn.SetNoDelay(true)
	dropUnanswered(conn) // a feed sends its header alone, a client one request at a time
	if !n.track(conn) {
		conn.Close()
		return nil, fmt.Errorf("%s: node closed, or more than %d connections", addr, maxDials)
	}
	return conn, nil
}

// handshake sends our header and reads the peer's, and fails with the peer's words where it refuses.
func handshake(conn net.Conn, r *bufio.Reader, ours header) (header, error) {
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	if err := ours.writeTo(conn); err != nil {
		return nil, err
	}
	theirs, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if text := theirs["error"]; text != "" {
		return nil, errors.New("peer refuses: " + text)
	}
	return theirs, conn.SetDeadline(time.Time{})
}
