package web

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
)

// Limits bounds the resources of clients. A zero value means the default. All defaults are guesses, far above the needs
// of dashboards and robots.
type Limits struct {
	Message       int // size of a message from a client, bytes; 0 is 8 MiB
	Clients       int // number of clients; 0 is 64
	Subscriptions int // number of a client's topics, services and advertisements, each; 0 is 1024
	Rate          int // sustained messages per second from a client, which is slowed down beyond it; 0 is 2000
	Calls         int // concurrent service calls of a client; 0 is 16
	Queue         int // size of a client's queue for one topic, bytes; 0 is 16 MiB
}

// WithDefaults returns the limits with defaults instead of zero values.
func (l Limits) WithDefaults() Limits {
	return Limits{Message: cmp.Or(l.Message, 8<<20), Clients: cmp.Or(l.Clients, 64),
		Subscriptions: cmp.Or(l.Subscriptions, 1024),
		Rate:          cmp.Or(l.Rate, 2000), Calls: cmp.Or(l.Calls, 16), Queue: cmp.Or(l.Queue, 16<<20)}
}

// Time limits, wall time; guesses.
const (
	headerTime = 5 * time.Second  // for a client to request the upgrade
	writeTime  = 30 * time.Second // for a client to accept one message
	pingTime   = 20 * time.Second // of silence before a ping, and for the answer
)

// maxPending bounds the connections without an upgrade request; the oldest is closed for a new one.
const maxPending = 64

// Config configures a server.
type Config struct {
	Name      string       // for errors and logs
	Addr      string       // host:port to listen at; port 0 means any free port
	Listener  net.Listener // instead of Addr
	Access    access.Rule  // host names and page origins that clients may use
	Protocols []string     // WebSocket subprotocols, one of which a client must offer; nil: none is needed
	Limits    Limits
	Log       *slog.Logger // nil discards

	ping time.Duration // for tests; 0 is pingTime
}

// Validate returns an error that joins all violations.
func (c Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(c.Name+": "+format, args...)) }
	if c.Listener == nil {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			fail("address = %q: must be host:port", c.Addr)
		}
	}
	for _, err := range c.Access.Violations() {
		fail("%w", err)
	}
	for _, l := range []struct {
		name string
		n    int
	}{{"message", c.Limits.Message}, {"clients", c.Limits.Clients}, {"subscriptions", c.Limits.Subscriptions},
		{"rate", c.Limits.Rate}, {"calls", c.Limits.Calls}, {"queue", c.Limits.Queue}} {
		if l.n < 0 {
			fail("limits.%s = %d: must not be negative", l.name, l.n)
		}
	}
	return errors.Join(errs...)
}
