package serve

import (
	"errors"
	"fmt"
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

// Dashboard holds the flags of the dashboard, which is shown in a browser.
type Dashboard struct {
	Web        string   `placeholder:"ADDR" help:"Serve a dashboard that shows and controls the simulation in a browser: on (port 8080), off, a port, or HOST:PORT. Default: on, only for this machine, at port 8080 or, if that is in use, a free port. For the replay of a recording the default is off."`
	Recordings []string `placeholder:"DIR" sep:"none" help:"Folder whose recordings and test results the dashboard lists. May be repeated. Recordings started on the dashboard go into the first folder."`
}

// dashboardPort is the default port of the dashboard.
const dashboardPort = "8080"

// On reports whether --web asks for a dashboard. Without --web, Open still starts a dashboard if it can.
func (d Dashboard) On() bool { return wanted(d.Web) }

// flag returns the value of --web together with the dashboard's default port.
func (d Dashboard) flag() webFlag { return webFlag{flag: "--web", value: d.Web, port: dashboardPort} }

// Page is a dashboard, or nil, whose methods do nothing.
type Page = *dashboard.Server

// Shown says what a dashboard shows.
type Shown struct {
	Name   string         // prefix of messages to the user
	Sim    *omnipitch.Sim // nil if the dashboard shows only recordings
	Replay *replay.Replay // replay that Sim shows; nil for a run
	Wires  *Server        // connects robots; nil if robots cannot connect
	Box    dashboard.Box  // connection to a referee box; nil: the run follows none
	// Beside is a further folder whose recordings are listed, or a file in this folder; empty means none.
	Beside string

	Tap      *recorder.Tap // records the run when the user asks for it in the dashboard
	Recorder recorder.Config
	Renderer string // renderer of replays that the user opens in the dashboard
}

// check checks the flags.
func (d Dashboard) check() error {
	for _, dir := range d.Recordings {
		if d.Web == "off" {
			return fmt.Errorf("--recordings = %q: the dashboard lists them: not with --web off", dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return fmt.Errorf("--recordings = %q: must be an existing folder", dir)
		}
	}
	return nil
}

// Open starts the dashboard of a simulation and prints its address. The simulation must not have started. With --web
// off, Open returns nil. Without --web, the dashboard listens on loopback, even if --listen lets other
// machines connect; if it cannot start, Open prints a note and returns nil.
func (d Dashboard) Open(con console.Streams, show Shown, flags Flags, access Access) (Page, error) {
	cfg := d.config(show)
	if d.Web == "" {
		cfg.Addr = net.JoinHostPort(loopback, dashboardPort)
		server, err := dashboard.Listen(show.Sim, cfg)
		if errors.Is(err, syscall.EADDRINUSE) {
			cfg.Addr = net.JoinHostPort(loopback, "0")
			server, err = dashboard.Listen(show.Sim, cfg)
		}
		if err != nil {
			fmt.Fprintf(con.Notes(), "%s: continues without a dashboard: %v\n", show.Name, err)
			return nil, nil
		}
		fmt.Fprintf(con.Notes(), "%s: dashboard at %s\n", show.Name, server.URL())
		return server, nil
	}
	at, err := newListening(flags.Listen)
	if err != nil {
		return nil, err
	}
	printf := func(format string, args ...any) { fmt.Fprintf(con.Err, show.Name+": "+format+"\n", args...) }
	if cfg.Access, err = access.rule(!flags.ROS1.external(), func(err error) { printf("%v", err) }); err != nil {
		return nil, err
	}
	f := d.flag()
	if cfg.Addr, err = f.addr(at); err != nil || cfg.Addr == "" {
		return nil, err
	}
	server, err := dashboard.Listen(show.Sim, cfg)
	if err != nil {
		return nil, console.NetworkError(fmt.Errorf("%s = %q: %w", f.flag, f.value, err))
	}
	if host, _, _ := net.SplitHostPort(cfg.Addr); (listening{addr: host}).open() {
		printf("the dashboard listens at %s: anybody who knows the address below can control the run", host)
	}
	printf("dashboard at %s", server.URL())
	return server, nil
}

// config returns the configuration of the dashboard. It leaves out the address and the access rule.
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
	cfg := dashboard.Config{Replay: show.Replay, Box: show.Box, Recordings: r,
		Beside: omnipitch.Options{Renderer: show.Renderer, NoWorker: true}}
	if show.Wires != nil {
		cfg.Beliefs, cfg.Topics = show.Wires.Beliefs, show.Wires.graph
	}
	return cfg
}
