package serve

import (
	"errors"
	"net"
	"strconv"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/foxglove"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/rosbridge"
)

// Flags say how robots and tools reach a run.
type Flags struct {
	ROS1      MasterChoice `name:"ros1" default:"embedded" placeholder:"MASTER" help:"ROS 1 master: embedded, at ROS_MASTER_URI's port; embedded:PORT, 0 for a free one; external, the one at ROS_MASTER_URI; or off. Default: ${default}."`
	Rosbridge string       `placeholder:"ADDR" help:"Serve browsers and other programs over the rosbridge protocol: on (port 9090), off, a port, or an address. Default: off."`
	Foxglove  string       `placeholder:"ADDR" help:"Serve Foxglove over its WebSocket protocol: on (port 8765), off, a port, or an address. Default: off."`
	Listen    *string      `placeholder:"ADDR" help:"Address at which robots and tools of other machines are let in, 0.0.0.0 for all of this machine's; without it everything listens on loopback."`
}

// Check judges what the flags say by themselves; web is the one for the dashboard, of a command that has none the zero
// value.
func (f *Flags) Check(access Access, web Dashboard) error {
	at, err := newListening(f.Listen)
	if err != nil {
		return err
	}
	for _, w := range append(f.web(), web.flag()) {
		if _, err := w.addr(at); err != nil {
			return err
		}
	}
	if f.ROS1.Off() {
		if wanted(f.Rosbridge) || wanted(f.Foxglove) {
			return errors.New("--rosbridge and --foxglove bridge to ROS 1: not with --ros1 off")
		}
		if !web.On() && (f.Listen != nil || access.AllowHost != nil || access.Origin != nil) {
			return errors.New("--listen, --allow-host and --origin let others in to ROS 1: not with --ros1 off")
		}
	}
	if err := web.check(); err != nil {
		return err
	}
	_, err = access.rule(!f.ROS1.external(), nil)
	return err
}

// webFlag is the flag of a server for browsers.
type webFlag struct {
	flag, value, port string // the port is the one that clients use by default
	node              string
	listen            func(n *ros1.Node, at listening, addr string) (webServer, error)
}

func (f *Flags) web() []webFlag {
	return []webFlag{
		{"--rosbridge", f.Rosbridge, "9090", "/rosbridge_websocket", func(n *ros1.Node, at listening,
			addr string) (webServer, error) {
			return rosbridge.Listen(n, rosbridge.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
		{"--foxglove", f.Foxglove, "8765", "/foxglove_bridge", func(n *ros1.Node, at listening, addr string) (webServer,
			error) {
			return foxglove.Listen(n, foxglove.Config{Addr: addr, Access: at.access, Log: n.Logger()})
		}},
	}
}

// wanted tells whether a flag wants a server at all.
func wanted(value string) bool { return value != "" && value != "off" }

// addr returns the address at which the server listens; empty: there is none.
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

// isPort tells whether a text is the number of a port, or 0 for a free one.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 0 && n <= 65535
}
