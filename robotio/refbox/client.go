package refbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// ClientConfig configures a team's connection.
type ClientConfig struct {
	Addr string // of the box: host:port
	Name string // name of the team, for messages to users
	// Received, if not nil, is called with each message, always by the same goroutine. The goroutine reads the next
	// message when Received returns.
	Received func(Message)
	// WorldState, if not nil, returns the next world state to send, or nil when ctx has ended. It is called at most
	// once every StatePeriod, and not before the box has welcomed the team. The result must not change until the next
	// call.
	WorldState func(ctx context.Context) *WorldState
	// Say, if not nil, is called with messages for users, at most one of a kind per minute, by any goroutine.
	Say func(string)
	// Retry is the wall time between a lost connection and the next attempt. It doubles with each failure, up to eight
	// times Retry. 0 is 500 ms.
	Retry time.Duration
}

// StatePeriod is the shortest wall time between two world states. Source: teams should send ten a second or more (the
// Falcons' cPacketRefboxLogger).
const StatePeriod = 100 * time.Millisecond

// Client is a team's connection to a referee box. It reconnects whenever the connection is lost.
type Client struct {
	cfg       ClientConfig
	warnings  *warnings
	connected atomic.Bool
	address   atomic.Pointer[string]

	// Used by Run only:
	gotCommand      bool   // whether the box has sent a command on this connection
	connectedOnce   bool   // whether there has been a connection
	reportedLost    bool   // whether users have been notified that there is no connection
	reportedAddress string // the last address that users have been notified of
}

// NewClient returns a client; Run connects it.
func NewClient(cfg ClientConfig) *Client {
	cfg.Retry = cmp.Or(cfg.Retry, 500*time.Millisecond)
	c := &Client{cfg: cfg, warnings: &warnings{say: cfg.Say}}
	c.address.Store(new(string))
	return c
}

// Connected reports whether the client is connected.
func (c *Client) Connected() bool { return c.connected.Load() }

// Address returns the multicast address that is the box's name for the team in messages (targetTeam). It is not the
// address of the connection. Address returns "" until the box has sent it.
func (c *Client) Address() string { return *c.address.Load() }

// Run connects, and reconnects, until ctx ends. When it returns, no callback runs any more. It may be called once.
func (c *Client) Run(ctx context.Context) {
	defer func() {
		if !c.connectedOnce && !c.reportedLost { // report also if ctx ended during the first attempt
			c.warnings.warn("lost "+c.cfg.Name, "referee box %s: no connection for %s until the end", c.cfg.Addr,
				c.cfg.Name)
		}
	}()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	for wait := c.cfg.Retry; ctx.Err() == nil; wait = min(2*wait, 8*c.cfg.Retry) {
		conn, err := dialer.DialContext(ctx, "tcp", c.cfg.Addr)
		if err == nil {
			c.gotCommand = false
			if err = c.serve(ctx, conn); c.gotCommand {
				wait = c.cfg.Retry
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !c.reportedLost {
			c.reportedLost = c.warnings.warn("lost "+c.cfg.Name, "referee box %s: no connection for %s (%v): trying "+
				"again until it connects", c.cfg.Addr, c.cfg.Name, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// serve reads messages from a connection, and sends world states, until the connection is lost.
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
	if c.reportedLost || !c.connectedOnce {
		c.reportedLost, c.connectedOnce = false, true
		c.warnings.report(0, "connected "+c.cfg.Name, "referee box %s: %s is connected: its operator chooses the side",
			c.cfg.Addr, c.cfg.Name)
	}
	for in := NewReader(conn); ; {
		text, err := in.Next()
		switch {
		case errors.Is(err, ErrTooLong):
			c.warnings.warn("long", "referee box %s: sends %v: it is ignored", c.cfg.Addr, err)
			continue
		case err != nil:
			return err
		}
		m, unknown, err := ParseMessage(text)
		if err != nil {
			c.warnings.warn("malformed", "referee box %s: sends an invalid command: %v: it is ignored", c.cfg.Addr, err)
			continue
		}
		if len(unknown) > 0 {
			c.warnings.warn("field", "referee box %s: unknown field %.40q of command %.40q: it is ignored",
				c.cfg.Addr, unknown[0], m.Command)
		}
		if !m.Command.Known() {
			c.warnings.warn("command", "referee box %s: unknown command %.40q: it is ignored", c.cfg.Addr, m.Command)
			continue
		}
		c.gotCommand = true
		if m.Command == Welcome && c.Address() == "" && m.TargetTeam != "" {
			c.address.Store(&m.TargetTeam)
			if m.TargetTeam != c.reportedAddress {
				c.reportedAddress = m.TargetTeam
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

// send sends world states. A box that reads slowly gets fewer world states, and commands are still read without delay.
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
			return // serve notices the lost connection too and reports it
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// DefaultPort is the port at which the box listens. Source: the box's config.json, basestationServerPort.
const DefaultPort = "28097"

// ParseAddr completes the address of a box to host:port. If the port is missing, it is DefaultPort. If the host is
// missing, it is 127.0.0.1.
func ParseAddr(text string) (addr string, err error) {
	host, port := text, DefaultPort
	switch {
	case isPort(text):
		host, port = "127.0.0.1", text
	case net.ParseIP(text) == nil && strings.Contains(text, ":"):
		if host, port, err = net.SplitHostPort(text); err != nil || !isPort(port) {
			return "", errAddr
		}
	}
	if host == "" || strings.ContainsAny(host, " /\t\n") {
		return "", errAddr
	}
	return net.JoinHostPort(host, port), nil
}

// Check returns an error if the address of a world's box is invalid.
func Check(w *worlds.World) error {
	if _, err := ParseAddr(w.Refbox.Address); err != nil && w.NoErrorAt("refbox") {
		return w.Locate(&schema.Violation{Path: "refbox", Key: "address", Value: w.Refbox.Address, Rule: err.Error()})
	}
	return nil
}

var errAddr = errors.New("must be HOST:PORT, HOST or PORT")

func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= 65535
}

// Wall times for which a message of the same kind is not repeated. Guesses: the time to read a line, and the time to
// react to it.
const (
	briefly = time.Second
	quiet   = time.Minute
)

// warnings reports events of a peer to users and limits the rate of each kind.
type warnings struct {
	say  func(string) // may be nil
	mu   sync.Mutex
	last map[string]time.Time // time of the last message, by kind
}

// warn reports an event, unless an event of the same kind was reported within the last quiet.
func (w *warnings) warn(kind, format string, args ...any) bool {
	return w.report(quiet, kind, format, args...)
}

// report reports an event, unless an event of the same kind was reported within the interval. It returns true if it
// reported the event. The kind must not contain text from the peer, so that there are only a few kinds.
func (w *warnings) report(interval time.Duration, kind, format string, args ...any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if last, ok := w.last[kind]; ok && now.Sub(last) < interval {
		return false
	}
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	w.last[kind] = now
	if w.say != nil {
		w.say(fmt.Sprintf(format, args...))
	}
	return true
}
