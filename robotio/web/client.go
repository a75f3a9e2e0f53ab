package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/omnipitch/omnipitch/robotio/admission"
)

// Limits of a client's queue of answers; guesses. If there are more than maxAnswers answers, the client is closed. If
// there are more than maxDroppable, TrySend drops its answer.
const (
	maxAnswers   = 4096
	maxDroppable = 64
)

// Client is one connected client. All answers to its requests are sent in order. Messages of topics go through an
// Outbox for each topic, which may drop messages.
type Client struct {
	server  *Server
	from    string
	ctx     context.Context // context that ends when the client has disconnected
	cancel  context.CancelFunc
	conn    atomic.Pointer[websocket.Conn]
	place   admission.Conn
	sentAny atomic.Bool  // whether the client has sent a message
	wrote   atomic.Int64 // wall time of the last write, ns since start
	start   time.Time
	wake    chan struct{}

	mu      sync.Mutex
	answers []answer
	size    int // bytes in answers
	ready   []*Outbox

	calls chan struct{} // contains one value for each call in progress
	tasks sync.WaitGroup
}

type answer struct {
	binary bool
	b      []byte
}

func newClient(s *Server, from string) *Client {
	c := &Client{server: s, from: from, start: time.Now(), wake: make(chan struct{}, 1),
		calls: make(chan struct{}, s.cfg.Limits.Calls)}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	addr, _, _ := net.SplitHostPort(from)
	c.place = admission.Conn{Addr: addr, Rank: c.rank, Close: func() error {
		c.cancel() // the client's goroutines close the connection
		return nil
	}}
	return c
}

// rank returns the client's rank. Clients that have sent nothing make room for others first.
func (c *Client) rank() admission.Rank {
	switch {
	case c.sentAny.Load():
		return admission.Unknown
	case time.Since(c.start) > headerTime:
		return admission.Stalled
	}
	return admission.Silent
}

// Context returns a context that ends when the client has disconnected.
func (c *Client) Context() context.Context { return c.ctx }

// Limits returns the server's limits.
func (c *Client) Limits() Limits { return c.server.cfg.Limits }

// Log returns the server's log.
func (c *Client) Log() *slog.Logger { return c.server.log }

// Go runs f on another goroutine. The server waits for f to return before it removes the client.
func (c *Client) Go(f func()) { c.tasks.Go(f) }

// Call runs the call of a service on another goroutine, so that a slow service delays nothing else. The context of f
// ends after the wall time limit, or when the client disconnects. Call fails if too many calls are in progress.
func (c *Client) Call(limit time.Duration, f func(context.Context)) error {
	select {
	case c.calls <- struct{}{}:
	default:
		return fmt.Errorf("%d calls are in progress: must be at most %[1]d", cap(c.calls))
	}
	c.Go(func() {
		defer func() { <-c.calls }()
		ctx, cancel := context.WithTimeout(c.ctx, limit)
		defer cancel()
		f(ctx)
	})
	return nil
}

// Close ends the connection.
func (c *Client) Close() {
	c.cancel()
	if conn := c.conn.Load(); conn != nil {
		_ = conn.CloseNow()
	}
}

// run serves the client until it disconnects.
func (c *Client) run(conn *websocket.Conn) {
	c.conn.Store(conn)
	c.server.log.Info(c.server.cfg.Name+": client connected", "from", c.from)
	session := c.server.open(c)
	var wait sync.WaitGroup
	wait.Go(c.write)
	wait.Go(c.keepAlive)
	err := c.read(session)
	c.Close()
	wait.Wait()
	session.Close()
	c.tasks.Wait()
	level := slog.LevelInfo
	if s := websocket.CloseStatus(err); s == -1 && !errors.Is(err, net.ErrClosed) && !errors.Is(err, context.Canceled) {
		level = slog.LevelWarn
	}
	c.server.log.Log(context.Background(), level, c.server.cfg.Name+": client disconnected", "from", c.from, "reason",
		err)
}

// read passes the client's messages to its session.
func (c *Client) read(session Session) error {
	limit := rate.NewLimiter(rate.Limit(c.Limits().Rate), c.Limits().Rate)
	for {
		kind, data, err := c.conn.Load().Read(c.ctx)
		if err != nil {
			return err
		}
		c.sentAny.Store(true)
		if err := limit.Wait(c.ctx); err != nil { // backpressure: further messages stay in the socket
			return err
		}
		session.Message(kind == websocket.MessageBinary, data)
	}
}

// keepAlive pings the client if nothing was written for a while, and closes the connection if the client does not
// answer.
func (c *Client) keepAlive() {
	ping := c.server.cfg.ping
	tick := time.NewTicker(ping)
	defer tick.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(c.start)-time.Duration(c.wrote.Load()) < ping {
			continue // a recent write succeeded
		}
		ctx, cancel := context.WithTimeout(c.ctx, ping)
		err := c.conn.Load().Ping(ctx)
		cancel()
		if err != nil {
			c.Close()
			return
		}
	}
}

// Send queues an answer; b must not be modified afterwards. It never blocks. A client with too many unread answers is
// closed.
func (c *Client) Send(binary bool, b []byte) {
	c.mu.Lock()
	over := len(c.answers) >= maxAnswers || c.size > 4*c.Limits().Queue
	if !over {
		c.answers = append(c.answers, answer{binary, b})
		c.size += len(b)
	}
	c.mu.Unlock()
	if over {
		c.Log().Warn(c.server.cfg.Name+": client closed: it does not read its answers", "from", c.from)
		c.cancel() // only cancel: the reading goroutine closes the connection, because the caller may hold locks
		return
	}
	c.wakeWriter()
}

// TrySend queues an answer, or drops it if many are queued already.
func (c *Client) TrySend(binary bool, b []byte) {
	c.mu.Lock()
	full := len(c.answers) >= maxDroppable
	c.mu.Unlock()
	if !full {
		c.Send(binary, b)
	}
}

func (c *Client) wakeWriter() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// write sends the queued answers first, and then messages: one message of each topic in turn.
func (c *Client) write() {
	defer c.Close()
	for c.ctx.Err() == nil {
		a, o, m := c.next()
		var err error
		switch {
		case a.b != nil:
			err = c.Write(a.binary, a.b)
		case m != nil:
			err = o.write(m)
		default:
			select {
			case <-c.wake:
			case <-c.ctx.Done():
			}
		}
		if err != nil {
			return
		}
	}
}

// next removes the next answer from its queue and returns it. If there is no answer, it does so with the next message,
// and also returns the message's Outbox.
func (c *Client) next() (answer, *Outbox, *Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) > 0 {
		a := c.answers[0]
		c.answers[0] = answer{}
		if c.answers = c.answers[1:]; len(c.answers) == 0 {
			c.answers = nil // release the array
		}
		c.size -= len(a.b)
		return a, nil, nil
	}
	for len(c.ready) > 0 {
		o := c.ready[0]
		c.ready = append(c.ready[:0], c.ready[1:]...)
		o.queued = false
		if m := o.pop(); m != nil {
			o.nextDue = time.Now().Add(o.every)
			o.schedule()
			return answer{}, o, m
		}
	}
	return answer{}, nil, nil
}

// Write sends one message that consists of several parts. Only the function write of an Outbox may call it. It fails if
// the client has disconnected or is too slow.
func (c *Client) Write(binary bool, parts ...[]byte) error {
	kind := websocket.MessageText
	if binary {
		kind = websocket.MessageBinary
	}
	ctx, cancel := context.WithTimeout(c.ctx, writeTime)
	defer cancel()
	conn := c.conn.Load()
	if len(parts) == 1 {
		err := conn.Write(ctx, kind, parts[0])
		c.wrote.Store(int64(time.Since(c.start)))
		return err
	}
	w, err := conn.Writer(ctx, kind)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	err = w.Close()
	c.wrote.Store(int64(time.Since(c.start)))
	return err
}
