package master

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/access"
)

// DefaultAddr is the default address of a ROS master, on loopback.
const DefaultAddr = "127.0.0.1:11311"

// Config configures a master.
type Config struct {
	Addr   string       // host:port to listen at; empty is DefaultAddr; port 0 is any free port
	Host   string       // host in the master's URI, which peers must be able to reach; empty is Addr's
	Access access.Rule  // host names and web pages that requests are accepted from
	Log    *slog.Logger // nil discards
}

// Validate reports every violation.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("ros master: "+format, args...)) }
	if c.Addr != "" {
		host, port, err := net.SplitHostPort(c.Addr)
		if n, bound := strconv.Atoi(port); err != nil || bound != nil || n < 0 || n > 65535 {
			bad("addr = %q: must be host:port, the port in [0, 65535]", c.Addr)
		} else if ip := net.ParseIP(host); c.Host == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
			bad("addr = %q: listens at all addresses: host must name the one for peers", c.Addr)
		}
	}
	if c.Host != "" && !access.ValidHost(c.Host) {
		bad("host = %q: %s", c.Host, access.HostRule)
	}
	for _, err := range c.Access.Violations() {
		bad("%w", err)
	}
	return errors.Join(errs...)
}
