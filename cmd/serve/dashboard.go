package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/dashboard"
	"github.com/omnipitch/omnipitch/cmd/exit"
)

// Dashboard is the flag that says where a run is shown in a browser.
type Dashboard struct {
	Web string `placeholder:"ADDR" help:"Show and steer the run in a browser: on (port 8080), off, a port, or an address. Default: for this machine alone, at port 8080 or, where that is taken, a free one."`
}

// dashboardPort is where browsers find it by default.
const dashboardPort = "8080"

// On tells whether the flag asks for one; without the flag there is one where that can be.
func (d Dashboard) On() bool { return wanted(d.Web) }

// flag says how its address is read.
func (d Dashboard) flag() webFlag { return webFlag{flag: "--web", value: d.Web, port: dashboardPort} }

// Page is a dashboard that is open, or none.
type Page interface {
	io.Closer
	// Watched tells whether somebody looks at it.
	Watched() bool
	// Reloaded tells it what has become of a world whose files have changed: nil, and it begins again, or why it goes on as it was.
	Reloaded(err error)
}

// Open starts the dashboard of a simulation that has not begun, unless there is to be none, and prints where it is. wires is what robots reach the
// simulation by; nil: they do not.
func (d Dashboard) Open(con console.Streams, sim *omnipitch.Sim, wires *Server, flags Flags, access Access) (Page, error) {
	cfg := dashboard.Config{}
	if wires != nil {
		cfg.Beliefs, cfg.Topics = wires.Beliefs, wires.graph
	}
	if d.Web == "" {
		return openByDefault(con, sim, cfg), nil
	}
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	name := sim.World().Name
	printf := func(format string, args ...any) { fmt.Fprintf(con.Err, name+": "+format+"\n", args...) }
	if at.access, err = access.rule(!flags.ROS1.external(), func(err error) { printf("%v", err) }); err != nil {
		return nil, err
	}
	f := d.flag()
	addr, err := f.addr(at)
	if err != nil || addr == "" {
		return closed{}, err
	}
	cfg.Addr, cfg.Access = addr, at.access
	server, err := dashboard.Listen(sim, cfg)
	if err != nil {
		return nil, exit.Network(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
	}
	if host, _, _ := net.SplitHostPort(addr); (listening{addr: host}).open() {
		printf("the dashboard listens at %s: whoever has the address below can steer the run", host)
	}
	printf("dashboard at %s", server.URL())
	return server, nil
}

// openByDefault starts a dashboard that nobody has asked for: what keeps it from that does not keep the run from beginning. Where other machines are let in,
// it is still for this one alone.
func openByDefault(con console.Streams, sim *omnipitch.Sim, cfg dashboard.Config) Page {
	cfg.Addr = net.JoinHostPort(loopback, dashboardPort)
	server, err := dashboard.Listen(sim, cfg)
	if errors.Is(err, syscall.EADDRINUSE) {
		cfg.Addr = net.JoinHostPort(loopback, "0")
		server, err = dashboard.Listen(sim, cfg)
	}
	if err != nil {
		fmt.Fprintf(con.Notes(), "%s: goes on without a dashboard: %v\n", sim.World().Name, err)
		return closed{}
	}
	fmt.Fprintf(con.Notes(), "%s: dashboard at %s\n", sim.World().Name, server.URL())
	return server
}

// closed is no dashboard.
type closed struct{}

func (closed) Close() error   { return nil }
func (closed) Watched() bool  { return false }
func (closed) Reloaded(error) {}
