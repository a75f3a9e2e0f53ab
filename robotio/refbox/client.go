package refbox

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ClientConfig says what a team's connection does.
type ClientConfig struct {
	Addr string // of the box: host:port
	Name string // of the team, for users
	// Received, if not nil, is called with each message, by one goroutine. Until it returns no other is read.
	Received func(Message)
	// WorldState, if not nil, returns the next world state to be sent, or nil when ctx has ended. It is asked at most
	// every StatePeriod while the box knows the team; what it returns is the client's until the next call.
	WorldState func(ctx context.Context) *WorldState
	// Say, if not nil, is called with sentences for users, at most one of a kind a minute, by any goroutine.
	Say func(string)
	// Retry is how long after a connection was lost another is tried, wall time; twice as long each time that fails, up
	// to eight times. 0 is 500 ms.
	Retry time.Duration
}

// StatePeriod is how often world states are sent at most, wall time. Source: teams are to send ten a second or more
// (the Falcons' cPacketRefboxLogger).
const StatePeriod = 100 * time.Millisecond

// Client is a team's connection to a box, which is made again whenever it is lost.
type Client struct {
	cfg       ClientConfig
	warnings  *warnings
	connected atomic.Bool
	address   atomic.Pointer[string]

	// These belong to Run.
	spoken     bool   // the box has sent a command on this connection
	been, down bool   // there has been a connection; there is none, as users were told
	called     string // the last address that users were told
}

// NewClient returns a client, which Run connects.
func NewClient(cfg ClientConfig) *Client {
	if cfg.Retry == 0 {
		cfg.Retry = 500 * time.Millisecond
	}
	c := &Client{cfg: cfg, warnings: &warnings{say: cfg.Say}}
	c.address.Store(new(string))
	return c
}

// Connected tells whether there is a connection now.
func (c *Client) Connected() bool { return c.connected.Load() }

// Address returns how the box calls the team; empty before it has said so.
func (c *Client) Address() string { return *c.address.Load() }

// Run connects, again whenever the connection is lost, until ctx ends; Received and WorldState have returned then. It
// is called once.
func (c *Client) Run(ctx context.Context) {
	defer func() {
		if !c.been && !c.down { // it was over before that could be told
			c.warnings.warn("lost "+c.cfg.Name, "referee box %s: no connection for %s until the end", c.cfg.Addr,
				c.cfg.Name)
		}
	}()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	for wait := c.cfg.Retry; ctx.Err() == nil; wait = min(2*wait, 8*c.cfg.Retry) {
		conn, err := dialer.DialContext(ctx, "tcp", c.cfg.Addr)
		if err == nil {
			c.spoken = false
			if err = c.serve(ctx, conn); c.spoken {
				wait = c.cfg.Retry
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !c.down {
			c.down = c.warnings.warn("lost "+c.cfg.Name, "referee box %s: no connection for %s (%v): it is tried "+
				"until there is one", c.cfg.Addr, c.cfg.Name, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// serve reads what comes on a connection, and sends world states, until it is lost.
func (c *Client) serve(ctx context.Context, conn net.Conn) error {
	ctx, stop := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer stop()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	c.address.Store(new(string))
	c.connected.Store(true)
	defer c.connected.Store(false)
	if c.down || !c.been {
		c.down, c.been = false, true
		c.warnings.tell(0, "connected "+c.cfg.Name, "referee box %s: %s is connected: its operator chooses the side",
			c.cfg.Addr, c.cfg.Name)
	}
	for in := NewReader(conn); ; {
		text, err := in.Next()
		switch {
		case errors.Is(err, ErrTooLong):
			c.warnings.warn("long", "referee box %s: sends %v: it is left out", c.cfg.Addr, err)
			continue
		case err != nil:
			return err
		}
		m, unknown, err := ParseMessage(text)
		if err != nil {
			c.warnings.warn("malformed", "referee box %s: sends what is no command: %v: it is left out", c.cfg.Addr,
				err)
			continue
		}
		if len(unknown) > 0 {
			c.warnings.warn("field", "referee box %s: field %.40q of command %.40q is not known: it is left out",
				c.cfg.Addr, unknown[0], m.Command)
		}
		if !m.Command.Known() {
			c.warnings.warn("command", "referee box %s: command %.40q is not known: it is left out", c.cfg.Addr,
				m.Command)
			continue
		}
		c.spoken = true
		if m.Command == Welcome && c.Address() == "" && m.TargetTeam != "" {
			c.address.Store(&m.TargetTeam)
			if m.TargetTeam != c.called {
				c.called = m.TargetTeam
				c.warnings.warn("welcome "+c.cfg.Name, "referee box %s: calls %s %.40q", c.cfg.Addr, c.cfg.Name,
					m.TargetTeam)
			}
			if c.cfg.WorldState != nil {
				sending.Go(func() { c.send(ctx, conn) })
			}
		}
		if c.cfg.Received != nil {
			c.cfg.Received(m)
		}
	}
}

// send sends world states. A box that does not read them gets fewer; commands are read all the same.
func (c *Client) send(ctx context.Context, conn net.Conn) {
	tick := time.NewTicker(StatePeriod)
	defer tick.Stop()
	var buf []byte
	for {
		state := c.cfg.WorldState(ctx)
		if state == nil {
			return
		}
		buf = state.Append(buf[:0])
		if _, err := conn.Write(buf); err != nil {
			return // reading finds out, too
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
