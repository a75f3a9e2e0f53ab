package serve

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// listening says at which address masters, nodes and web servers listen, and by which host name clients reach them.
type listening struct {
	addr   string // address to listen at; empty means loopback
	host   string // host name that servers announce to clients; empty means addr
	access access.Rule
}

// newListening parses the value of --listen; nil means loopback. If the value means all addresses of the machine,
// clients need one name for this machine. This is ROS_HOSTNAME, ROS_IP or the name of the machine, as for any ROS
// program.
func newListening(flag *string) (listening, error) {
	if flag == nil {
		return listening{}, nil
	}
	addr := *flag
	ip := net.ParseIP(addr)
	if ip == nil {
		return listening{}, console.BadInputf("--listen = %q: must be an address of this machine, or 0.0.0.0 for all "+
			"of them", addr)
	}
	at := listening{addr: addr}
	if !ip.IsUnspecified() {
		return at, nil
	}
	name, _ := os.Hostname() // empty on error
	for _, source := range []struct{ name, host string }{{"ROS_HOSTNAME", os.Getenv("ROS_HOSTNAME")},
		{"ROS_IP", os.Getenv("ROS_IP")}, {"this machine's name", name}} {
		if at.host = source.host; at.host == "" {
			continue
		}
		if err := (ros1.MasterConfig{Host: at.host}).Validate(); err != nil {
			return listening{}, console.BadInputf("%s = %q: must be a name or an address, without protocol and port",
				source.name, at.host)
		}
		return at, nil
	}
	return listening{}, console.BadInputf("--listen = %q: this machine has no name to tell others: set ROS_IP", addr)
}

// checkLocal returns an error if the address does not belong to this machine.
func (a listening) checkLocal() error {
	l, err := net.Listen("tcp", net.JoinHostPort(a.bind(), "0"))
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return console.BadInputf("--listen = %q: must be an address of this machine, or 0.0.0.0 for all of them",
			a.addr)
	}
	if err != nil {
		return console.Unavailablef("--listen = %q: %w", a.addr, err)
	}
	return l.Close()
}

// open returns true if other machines can connect.
func (a listening) open() bool {
	ip := net.ParseIP(a.addr)
	return ip != nil && !ip.IsLoopback()
}

func (a listening) bind() string {
	if a.addr == "" {
		return loopback
	}
	return a.addr
}

// warning returns the text of a warning for servers that other machines can reach.
func (a listening) warning() string {
	return fmt.Sprintf("listens at %s: everyone who reaches this machine can drive its robots; ROS 1 has no passwords",
		a.addr)
}

// embeddedElsewhere is a hint in error messages. It says how the user can choose another port for the master of a run.
const embeddedElsewhere = "--ros1 embedded:PORT names it, embedded:0 takes a free one"

// master starts a ROS master with rosout, as roscore does. The text elsewhere says how the user can choose another
// port. It becomes part of the error if the port is in use.
func (a listening) master(port, elsewhere string) (*ros1.Master, error) {
	m, err := ros1.ListenMaster(ros1.MasterConfig{Addr: net.JoinHostPort(a.bind(), port), Host: a.host,
		Access: a.access, Rosout: true})
	if err != nil {
		return nil, explainPort(err, a.masterURI(port), elsewhere)
	}
	return m, nil
}

// masterURI returns the URI at which programs on this machine reach a master at this port.
func (a listening) masterURI(port string) string {
	return "http://" + net.JoinHostPort(a.reached(), port) + "/"
}

// reached returns the address at which programs on this machine reach the servers.
func (a listening) reached() string {
	if ip := net.ParseIP(a.addr); ip == nil || ip.IsUnspecified() {
		return loopback
	}
	return a.addr
}

// node starts a node of the simulator. If a running node has the name in cfg, the new node gets a similar name.
func (a listening) node(cfg ros1.NodeConfig) (*ros1.Node, error) {
	cfg.Name = freeName(cfg.MasterURI, cfg.Name)
	cfg.Host, cfg.Listen, cfg.Access, cfg.Rosout = a.host, a.addr, a.access, true
	if cfg.Host == "" {
		cfg.Host = a.bind()
	}
	return ros1.NewNode(cfg)
}

// unreachable returns a warning if ROS_MASTER_URI names another machine although other machines cannot connect to this
// process. Otherwise the warning is empty. external is true with --ros1 external.
func (a listening) unreachable(external bool) string {
	if a.open() {
		return ""
	}
	if host := elsewhere(); host != "" && !external {
		return fmt.Sprintf("ROS_MASTER_URI names %s, but the embedded master is reached from this machine alone; "+
			"--listen lets others in, --ros1 external joins the one there", host)
	} else if host != "" {
		return fmt.Sprintf("the master is at %s, but its nodes cannot reach the simulator; --listen with this "+
			"machine's address lets them in", host)
	}
	return ""
}

// elsewhere returns the host in ROS_MASTER_URI. It returns "" if the host is this machine's loopback address or
// missing.
func elsewhere() string {
	u, err := url.Parse(os.Getenv("ROS_MASTER_URI"))
	if err != nil || u.Hostname() == "" || u.Hostname() == "localhost" {
		return ""
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return ""
	}
	return u.Hostname()
}

// MasterURI returns the value of ROS_MASTER_URI, or its default if the variable is not set. It returns an error if the
// value is not a valid address.
func MasterURI() (string, error) {
	uri := os.Getenv("ROS_MASTER_URI")
	if uri == "" {
		return ros1.DefaultMasterURI, nil
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "0" || !isPort(u.Port()) {
		return "", console.BadInputf("ROS_MASTER_URI = %q: must be like %s", uri, ros1.DefaultMasterURI)
	}
	return uri, nil
}

// masterPort returns the port in a URI that MasterURI has returned.
func masterPort(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		panic(err) // it was parsed before
	}
	return u.Port()
}
