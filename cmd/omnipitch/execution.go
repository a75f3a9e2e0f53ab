package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/multicast"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// execution is a simulation that run or replay executes, with everything that the command opens around it.
type execution struct {
	con    console.Streams
	world  *worlds.World
	opened closeStack
	status *console.Status // what the command is busy with while it opens things

	view   *window.Window // nil without --window
	sim    *omnipitch.Sim
	server *serve.Server    // nil without ROS 1
	frames *output.Recorder // nil without --out
	meter  *console.Meter
}

// printf prints a line that users must read, after the world's name.
func (e *execution) printf(format string, args ...any) {
	fmt.Fprintf(e.con.Err, e.world.Name+": "+format+"\n", args...)
}

// showStatus starts the status line of the command.
func (e *execution) showStatus() {
	e.status = console.NewStatus(e.con, e.world.Name)
	e.opened.push(e.status.Close)
}

// openWindow opens the window of --window.
func (e *execution) openWindow(title string) error {
	view, err := window.Open(title)
	if err != nil {
		return console.Unavailablef("--window: %w", err)
	}
	e.opened.push(view.Close)
	e.view = &view
	return nil
}

// joinRadios connects the simulation to the multicast groups of its robots' radios.
func (e *execution) joinRadios() error {
	radios, err := multicast.Join(e.sim.World(), e.sim.Match(), func(text string) { e.printf("%s", text) })
	if err != nil {
		return console.NetworkError(err)
	}
	e.opened.push(func() { radios.Close() })
	return nil
}

// connect connects the simulation to ROS 1 and to the servers for browsers. closeSim closes the simulation, before the
// bridge: it answers service calls that wait for a step. The context that connect returns ends with ctx, and when
// another program shuts down one of the simulator's nodes.
func (e *execution) connect(ctx context.Context, opts robotio.Options, flags serve.Flags, access serve.Access,
	closeSim func()) (context.Context, error) {
	e.status.Set("joining ROS 1")
	server, err := serve.Open(ctx, e.con, e.sim.World(), e.sim, opts, flags, access)
	if err != nil {
		return nil, err
	}
	e.server = server
	e.opened.push(server.Close)
	e.opened.push(closeSim)
	ctx, stop := server.Watch(ctx)
	e.opened.push(func() { stop(nil) })
	return ctx, nil
}

// writeFrames writes frames and the truth into the folder of --out. keep selects sensors; nil keeps all of them. If
// writing fails, it calls stop.
func (e *execution) writeFrames(path string, overwrite bool, keep func(robot, sensor string) bool, stop func()) error {
	folder, err := output.Open("--out", path, overwrite)
	if err != nil {
		return err
	}
	e.frames, err = output.NewRecorder(e.sim, folder, keep, stop)
	return err
}

// pace returns a pace that reports progress. length is the sim time of the whole run for the meter, 0 without an end.
// It also prints the referee's decisions.
func (e *execution) pace(speed timesync.Speed, length time.Duration) omnipitch.Pace {
	e.meter = console.NewMeter(e.con, length, e.sim.Clock().Paused)
	e.opened.push(e.meter.Close)
	notes := newLinePrinter(e.con.Notes())
	e.sim.Match().OnDecision(func(d *referee.Decision) { notes.printFrom(e.world.Name, d.String()) })
	return omnipitch.Pace{Speed: speed, Progress: e.meter.Show,
		Notify: func(text string) { e.printf("%s", text) }}
}

// finish ends the output of a simulation that has returned err. It returns err, or, if that is nil, why output could
// not be written or why the server ended the run.
func (e *execution) finish(ctx context.Context, err error) error {
	e.meter.Close()
	if e.frames != nil {
		if closeErr := e.frames.Close(); err == nil {
			err = closeErr
		}
	}
	if err == nil && e.server != nil {
		err = e.server.ShutDown(ctx)
	}
	return err
}

// linePrinter prints whole lines from several goroutines.
type linePrinter struct {
	mu  sync.Mutex
	out io.Writer
}

func newLinePrinter(out io.Writer) *linePrinter { return &linePrinter{out: out} }

// printFrom prints a line after the name of its source, such as a program.
func (p *linePrinter) printFrom(source, text string) { p.print(source + ": " + text) }

func (p *linePrinter) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, line)
}
