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

// Limits bounds what clients cost. Zero values are the defaults. All defaults are guesses, far above what dashboards
// and robots need.
type Limits struct {
	Message       int // bytes of a message that a client sends; 0 is 8 MiB
	Clients       int // connected at once; 0 is 64
	Subscriptions int // topics, services and advertisements of a client, each; 0 is 1024
	Rate          int // messages a second that a client may send for long; more wait; 0 is 2000
	Calls         int // service calls of a client that wait for answers; 0 is 16
	Queue         int // bytes that wait for a client, per topic; 0 is 16 MiB
}

// WithDefaults returns the limits with the defaults for what is 0.
func (l Limits) WithDefaults() Limits {
	return Limits{Message: cmp.Or(l.Message, 8<<20), Clients: cmp.Or(l.Clients, 64),
		Subscriptions: cmp.Or(l.Subscriptions, 1024),
		Rate:          cmp.Or(l.Rate, 2000), Calls: cmp.Or(l.Calls, 16), Queue: cmp.Or(l.Queue, 16<<20)}
}

// Wall times. Guesses.
const (
	headerTime = 5 * time.Second  // to send the request for an upgrade
	writeTime  = 30 * time.Second // to take one message
	pingTime   = 20 * time.Second // of silence before a client is pinged, and to answer
)

// maxPending bounds connections that have not requested an upgrade yet; the oldest is closed for a new one.
const maxPending = 64

// Config configures a server.
type Config struct {
	Name      string       // in errors and logs
	Addr      string       // host:port to listen at; port 0 is a free one
	Listener  net.Listener // instead of Addr
	Access    access.Rule  // under which names of this machine, and from which pages, clients may connect
	Protocols []string     // WebSocket subprotocols, one of which a client must ask for; none: any client
	Limits    Limits
	Log       *slog.Logger // nil discards

	ping time.Duration // for tests; 0 is pingTime
}

// Validate reports every violation.
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
