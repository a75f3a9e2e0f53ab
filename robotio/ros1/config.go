package ros1

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// NodeConfig configures a node. Only Name is required.
type NodeConfig struct {
	Name       string       // name in the graph, such as /omnipitch; without a slash in front, of the root namespace
	MasterURI  string       // empty is DefaultMasterURI
	Host       string       // host or address in the node's URIs; empty is 127.0.0.1
	Listen     string       // address to listen at; empty is Host, 0.0.0.0 every one
	Types      *msg.Library // message and service types; nil is the nubot dialect
	MaxMessage int          // bytes, of a message or request received; 0 is 64 MiB
	Access     access.Rule  // under which names of this machine, and from which pages, calls are taken
	OnMaster   func(error)  // gets the error when the master cannot be reached, and nil once the node has registered again; must not close the node
	Rosout     bool         // publish the log on /rosout and offer ~get_loggers and ~set_logger_level; see Node.Logger
	Log        *slog.Logger // nil discards
}

// defaultMaxMessage holds a 4K bgr8 image twice over. A guess.
const defaultMaxMessage = 64 << 20

// Validate reports every violation.
func (c NodeConfig) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("ros node: "+format, args...)) }
	if err := graph.Check(c.Name); err != nil || c.Name == "/" || strings.HasPrefix(c.Name, "~") {
		bad("name = %q: must be a name of letters, digits, / and _", c.Name)
	}
	if u, err := url.Parse(c.MasterURI); c.MasterURI != "" && (err != nil || u.Scheme != "http" || u.Hostname() == "") {
		bad("master URI = %q: must be http://host:port/", c.MasterURI)
	}
	if c.Host != "" && !access.ValidHost(c.Host) {
		bad("host = %q: %s", c.Host, access.HostRule)
	}
	for _, err := range c.Access.Violations() {
		bad("%w", err)
	}
	if c.Listen != "" && net.ParseIP(c.Listen) == nil {
		bad("listen = %q: must be an address of this machine, or 0.0.0.0", c.Listen)
	}
	if c.MaxMessage < 0 {
		bad("max message = %d: must not be negative", c.MaxMessage)
	}
	return errors.Join(errs...)
}
