package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/dashboard"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// Dashboard is the flags of what is shown in a browser.
type Dashboard struct {
	Web        string   `placeholder:"ADDR" help:"Show and steer it in a browser: on (port 8080), off, a port, or an address. Default of a run, and of a folder that is replayed: for this machine alone, at port 8080 or, where that is taken, a free one; of a recording: off."`
	Recordings []string `placeholder:"DIR" sep:"none" help:"A folder whose recordings and test results a page lists; into the first, a page records a run. May be given several times."`
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
	// Watched tells whether somebody looks at the simulation.
	Watched() bool
	// Reloaded tells it what has become of a world whose files have changed: nil, and it begins again, or why it goes
	// on as it was.
	Reloaded(err error)
}

// Shown is what a dashboard shows.
type Shown struct {
	Name   string         // that messages begin with
	Sim    *omnipitch.Sim // nil: recordings alone
	Replay *replay.Replay // whose simulation it is, of a replay
	Wires  *Server        // what robots reach the simulation by; nil: they do not
	Beside string         // a folder, or a file in one, whose recordings are listed too; empty: none

	Tap      *recorder.Tap // of a run that pages may record
	Recorder recorder.Config
	Renderer string // of replays
}

// check judges what the flags say by themselves.
func (d Dashboard) check() error {
	for _, dir := range d.Recordings {
		if d.Web == "off" {
			return fmt.Errorf("--recordings = %q: a page lists them: not with --web off", dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("--recordings = %q: must be a folder that is there", dir)
		}
	}
	return nil
}

// Open starts a dashboard before its simulation has begun, unless there is to be none, and prints where it is.
func (d Dashboard) Open(con console.Streams, show Shown, flags Flags, access Access) (Page, error) {
	if d.Web == "" {
		return d.openByDefault(con, show), nil
	}
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	printf := func(format string, args ...any) { fmt.Fprintf(con.Err, show.Name+": "+format+"\n", args...) }
	if at.access, err = access.rule(!flags.ROS1.external(), func(err error) { printf("%v", err) }); err != nil {
		return nil, err
	}
	f := d.flag()
	addr, err := f.addr(at)
	if err != nil || addr == "" {
		return closed{}, err
	}
	cfg := d.config(show)
	cfg.Addr, cfg.Access = addr, at.access
	server, err := dashboard.Listen(show.Sim, cfg)
	if err != nil {
		return nil, console.NetworkError(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
	}
	if host, _, _ := net.SplitHostPort(addr); (listening{addr: host}).open() {
		printf("the dashboard listens at %s: whoever has the address below can steer the run", host)
	}
	printf("dashboard at %s", server.URL())
	return server, nil
}

// openByDefault starts a dashboard that nobody has asked for: what keeps it from that does not keep the run from
// beginning. Where other machines are let in, it is still for this one alone.
func (d Dashboard) openByDefault(con console.Streams, show Shown) Page {
	cfg := d.config(show)
	cfg.Addr = net.JoinHostPort(loopback, dashboardPort)
	server, err := dashboard.Listen(show.Sim, cfg)
	if errors.Is(err, syscall.EADDRINUSE) {
		cfg.Addr = net.JoinHostPort(loopback, "0")
		server, err = dashboard.Listen(show.Sim, cfg)
	}
	if err != nil {
		fmt.Fprintf(con.Notes(), "%s: goes on without a dashboard: %v\n", show.Name, err)
		return closed{}
	}
	fmt.Fprintf(con.Notes(), "%s: dashboard at %s\n", show.Name, server.URL())
	return server
}

// config says what is shown, of which recordings are listed, and where pages record.
func (d Dashboard) config(show Shown) dashboard.Config {
	r := dashboard.Recordings{Folders: append([]string{}, d.Recordings...), Config: show.Recorder}
	if show.Tap != nil && len(d.Recordings) > 0 {
		r.Into, r.Tap = d.Recordings[0], show.Tap
	}
	if dir := show.Beside; dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		r.Folders = append(r.Folders, dir)
	}
	cfg := dashboard.Config{Replay: show.Replay, Recordings: r, Beside: omnipitch.Options{Renderer: show.Renderer,
		NoWorker: true}}
	if show.Wires != nil {
		cfg.Beliefs, cfg.Topics = show.Wires.Beliefs, show.Wires.graph
	}
	return cfg
}

// closed is no dashboard.
type closed struct{}

func (closed) Close() error   { return nil }
func (closed) Watched() bool  { return false }
func (closed) Reloaded(error) {}
