package serve

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/foxglove"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/rosbridge"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// Flags are the flags that say how robots and tools can connect to a run.
type Flags struct {
	ROS1      MasterChoice `name:"ros1" default:"embedded" placeholder:"MASTER" help:"ROS 1 master: embedded, a master in this process at the port of ROS_MASTER_URI; embedded:PORT, at another port, 0 for a free one; external, the running master at ROS_MASTER_URI; or off, no ROS 1. Default: ${default}."`
	ROS2      DomainChoice `name:"ros2" default:"off" placeholder:"DOMAIN" help:"ROS 2, over DDS, or over Zenoh with RMW_IMPLEMENTATION=rmw_zenoh_cpp: on, in the domain of ROS_DOMAIN_ID; a domain; or off. Default: ${default}."`
	Rosbridge string       `placeholder:"ADDR" help:"Serve the rosbridge protocol, for browsers and other programs: on (port 9090), off, a port, or HOST:PORT. Default: off."`
	Foxglove  string       `placeholder:"ADDR" help:"Serve the WebSocket protocol of Foxglove: on (port 8765), off, a port, or HOST:PORT. Default: off."`
	Listen    *string      `placeholder:"ADDR" help:"Address of this machine at which robots and tools on other machines may connect; 0.0.0.0 for all addresses. Default: only this machine."`
}

// Check returns an error if the flags are invalid. web holds the flags of the dashboard, and robots those of servers
// without ROS. A command without a dashboard or without these servers passes the zero value.
func (f *Flags) Check(access Access, web Dashboard, robots Servers) error {
	at, err := newListening(f.Listen)
	if err != nil {
		return err
	}
	all := append(f.webFlags(), web.flag())
	for _, s := range robots.flags() {
		all = append(all, s.webFlag)
	}
	for _, w := range all {
		if _, err := w.addr(at); err != nil {
			return err
		}
	}
	if f.ROS1.Off() && (wanted(f.Rosbridge) || wanted(f.Foxglove)) {
		return errors.New("--rosbridge and --foxglove: need ROS 1: not with --ros1 off")
	}
	if f.Off() {
		if !web.On() && (access.AllowHost != nil || access.Origin != nil) {
			return errors.New("--allow-host and --origin: need ROS 1 or --web: not with --ros1 off")
		}
		if !web.On() && !robots.Wanted() && f.Listen != nil {
			return errors.New("--listen: needs ROS, --web, --player or --rcsssmj: not with --ros1 off")
		}
	}
	if err := web.check(); err != nil {
		return err
	}
	_, err = access.rule(!f.ROS1.external(), nil)
	return err
}

// Off reports whether robots can connect neither over ROS 1 nor over ROS 2.
func (f *Flags) Off() bool { return f.ROS1.Off() && !f.ROS2.on }

// OnlyROS2 reports whether robots can connect over ROS 2 alone.
func (f *Flags) OnlyROS2() bool { return f.ROS1.Off() && f.ROS2.on }

// webFlag is the value of a flag that opens a server for browsers.
type webFlag struct {
	flag, value, port string // port is the port that clients use by default
	node              string
	listen            func(n *ros1.Node, at listening, addr string) (webServer, error)
}

// webFlags returns the flags that open a server which connects browsers to ROS 1.
func (f *Flags) webFlags() []webFlag {
	return []webFlag{
		{"--rosbridge", f.Rosbridge, "9090", "/rosbridge_websocket", func(n *ros1.Node, at listening,
			addr string) (webServer, error) {
			return rosbridge.Listen(n, web.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
		{"--foxglove", f.Foxglove, "8765", "/foxglove_bridge", func(n *ros1.Node, at listening, addr string) (webServer,
			error) {
			return foxglove.Listen(n, web.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
	}
}

// wanted reports whether a flag with this value asks for a server: the value is neither empty nor off.
func wanted(value string) bool { return value != "" && value != "off" }

// addr returns the address at which the server listens. It is empty if the flag does not ask for a server.
func (w *webFlag) addr(at listening) (string, error) {
	switch {
	case !wanted(w.value):
		return "", nil
	case w.value == "on":
		return net.JoinHostPort(at.bind(), w.port), nil
	case isPort(w.value):
		return net.JoinHostPort(at.bind(), w.value), nil
	}
	if _, port, err := net.SplitHostPort(w.value); err != nil || !isPort(port) {
		return "", console.BadInputf("%s = %q: must be on, off, a port, or host:port", w.flag, w.value)
	}
	return w.value, nil
}

// isPort reports whether text is a port number. Port 0, which selects a free port, also counts.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= maxPort
}

// MasterChoice is the value of --ros1. It says which ROS master a run uses.
type MasterChoice struct {
	kind string // embedded, external or off
	port string // port to listen at; empty means the port of ROS_MASTER_URI

	// alone means that only programs of the run connect. Masters of robots then use free ports, too.
	alone bool
}

// UnmarshalText parses embedded, embedded:PORT, external or off.
func (m *MasterChoice) UnmarshalText(text []byte) error {
	kind, port, withPort := strings.Cut(string(text), ":")
	switch {
	case withPort && kind == "embedded":
		if !isPort(port) {
			return fmt.Errorf("port = %q: must lie in [0, 65535], 0 for a free one", port)
		}
	case withPort || kind != "embedded" && kind != "external" && kind != "off":
		return fmt.Errorf("master = %q: must be embedded, embedded:PORT, external or off", text)
	}
	*m = MasterChoice{kind: kind, port: port}
	return nil
}

// Off reports whether a run uses no master.
func (m MasterChoice) Off() bool      { return m.kind == "off" }
func (m MasterChoice) external() bool { return m.kind == "external" }
