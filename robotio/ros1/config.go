package ros1

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// NodeConfig configures a node. Only Name is required. ParseArgs fills one from a command line and the environment.
type NodeConfig struct {
	Name       string            // name in the graph, such as /omnipitch; no slash in front means the namespace
	Namespace  string            // of the node and of its relative names; empty is the root
	MasterURI  string            // empty is DefaultMasterURI
	Host       string            // host or address that peers are told; empty is 127.0.0.1
	Listen     string            // address to listen at; empty is Host, 0.0.0.0 every one
	Remap      map[string]string // names of topics, services and parameters to use for others; both sides are resolved
	Params     map[string]any    // private parameters to keep set, without ~; see KeepParam
	Types      *msg.Library      // message and service types; nil is the nubot dialect
	MaxMessage int               // bytes, of a message or request received; 0 is 64 MiB
	Access     access.Rule       // under which names of this machine, and from which pages, calls are taken
	OnMaster   func(error)       // is called with why the master cannot be reached any more, and with nil once the node has joined it again; must not close the node
	Rosout     bool              // publish the log on /rosout and offer ~get_loggers and ~set_logger_level; see Node.Logger
	Log        *slog.Logger      // nil discards
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
	if err := graph.Check(c.Namespace); c.Namespace != "" && (err != nil || strings.HasPrefix(c.Namespace, "~")) {
		bad("namespace = %q: must be a name of letters, digits, / and _", c.Namespace)
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
	for _, from := range sortedNames(c.Remap) {
		if err := errors.Join(graph.Check(from), graph.Check(c.Remap[from])); err != nil {
			bad("remap %q to %q: both must be names of letters, digits, / and _", from, c.Remap[from])
		}
	}
	for _, key := range sortedNames(c.Params) {
		if graph.Check("~"+key) != nil {
			bad("private parameter %q: must be a name of letters, digits, / and _", key)
		}
	}
	if c.MaxMessage < 0 {
		bad("max message = %d: must not be negative", c.MaxMessage)
	}
	return errors.Join(errs...)
}

// fullName returns the node's absolute name: below the namespace, unless the name is absolute.
func (c NodeConfig) fullName() string {
	if strings.HasPrefix(c.Name, "/") {
		return graph.Canonical(c.Name)
	}
	return graph.Canonical("/" + c.Namespace + "/" + c.Name)
}

// resolveRemap makes both sides of every remapping absolute.
func resolveRemap(node string, remap map[string]string) map[string]string {
	full := map[string]string{}
	for from, to := range remap {
		full[graph.Resolve(node, from)] = graph.Resolve(node, to)
	}
	return full
}

// sortedNames returns a map's keys in order, so that messages about them come in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
