package serve

import (
	"fmt"
	"io"
	"net"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/dashboard"
	"github.com/omnipitch/omnipitch/cmd/exit"
)

// Dashboard is the flag that says where a run is shown in a browser.
type Dashboard struct {
	Web string `placeholder:"ADDR" help:"Show and steer the run in a browser: on (port 8080), off, a port, or an address. Default: off."`
}

// On tells whether there is to be one.
func (d Dashboard) On() bool { return wanted(d.Web) }

// flag says how its address is read.
func (d Dashboard) flag() webFlag { return webFlag{flag: "--web", value: d.Web, port: "8080"} }

// Open starts the dashboard of a simulation that has not begun, if there is to be one, and prints to errs where it is.
func (d Dashboard) Open(errs io.Writer, sim *omnipitch.Sim, flags Flags, access Access) (io.Closer, error) {
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	name := sim.World().Name
	printf := func(format string, args ...any) { fmt.Fprintf(errs, name+": "+format+"\n", args...) }
	if at.access, err = access.rule(!flags.ROS1.external(), func(err error) { printf("%v", err) }); err != nil {
		return nil, err
	}
	f := d.flag()
	addr, err := f.addr(at)
	if err != nil || addr == "" {
		return closed{}, err
	}
	server, err := dashboard.Listen(sim, dashboard.Config{Addr: addr, Access: at.access})
	if err != nil {
		return nil, exit.Network(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
	}
	if host, _, _ := net.SplitHostPort(addr); (listening{addr: host}).open() {
		printf("the dashboard listens at %s: whoever has the address below can steer the run", host)
	}
	printf("dashboard at %s", server.URL())
	return server, nil
}

// closed is what there is nothing to close of.
type closed struct{}

func (closed) Close() error { return nil }
