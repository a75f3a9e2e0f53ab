package main

import (
	"context"
	"fmt"
	"io"
	"slices"
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
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// execution is a simulation that the command run or replay executes, together with everything that the command opens
// for it.
type execution struct {
	con    console.Streams
	world  *worlds.World
	opened closeStack
	status *console.Status // current activity while the command opens things

	view   *window.Window // nil without --window
	sim    *omnipitch.Sim
	server *serve.Server    // nil without ROS 1
	frames *output.Recorder // nil without --out
	meter  *console.Meter
}

// printf prints a line that the user must read. The line begins with the name of the world.
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

// joinRadios connects the simulation to the multicast groups that its robots' radios use.
func (e *execution) joinRadios() error {
	radios, err := multicast.Join(e.sim.World(), e.sim.Match(), func(text string) { e.printf("%s", text) })
	if err != nil {
		return console.NetworkError(err)
	}
	e.opened.push(func() { radios.Close() })
	return nil
}

// speak lets a program say aloud what robots say. It does nothing without a command.
func (e *execution) speak(command string) error {
	if command == "" {
		return nil
	}
	s, err := newSpeaker(command, func(err error) { e.printf("%v", err) })
	if err != nil {
		return err
	}
	e.opened.push(s.Close)
	e.sim.Match().OnSpeech(s.say)
	return nil
}

// connect connects the simulation to ROS 1 and to the servers for browsers. Service calls may wait for a step, so
// closeSim is called before the bridge is closed: it closes the simulation, and these calls return. The returned
// context ends when ctx ends, or when another program shuts down a node of the simulator.
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

// openServers starts the servers of --player and --rcsssmj.
func (e *execution) openServers(servers serve.Servers, flags serve.Flags) error {
	closeAll, err := servers.Open(e.con, e.sim, flags)
	if err == nil {
		e.opened.push(closeAll)
	}
	return err
}

// writeFrames starts to write frames and the ground truth into the folder of --out. The function keep selects sensors;
// nil selects all sensors. If writing fails later, the function stop is called.
func (e *execution) writeFrames(path string, overwrite bool, keep func(robot, sensor string) bool, stop func()) error {
	folder, err := output.Open("--out", path, overwrite)
	if err != nil {
		return err
	}
	e.frames, err = output.NewRecorder(e.sim, folder, keep, stop)
	return err
}

// pace returns a pace that reports progress to the meter and prints the referee's decisions. length is the sim time of
// the whole run, which the meter shows; 0 means a run without an end.
func (e *execution) pace(speed timesync.Speed, length time.Duration) omnipitch.Pace {
	e.meter = console.NewMeter(e.con, length, e.sim.Clock().Paused)
	e.opened.push(e.meter.Close)
	notes := newLinePrinter(e.con.Notes())
	e.sim.Match().OnDecision(func(d *referee.Decision) { notes.printFrom(e.world.Name, d.String()) })
	e.sim.Match().OnSpeech(func(s action.Speak) { notes.printFrom(e.world.Name, s.String()) })
	return omnipitch.Pace{Speed: speed, Progress: e.meter.Show,
		Notify: func(text string) { e.printf("%s", text) }}
}

// finish closes the meter and the frames after the simulation has returned err. It returns err. If err is nil, it
// returns the error of writing output, or the reason for which the server ended the run.
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

// printFrom prints a line after the name of its source. A source is, for instance, a program.
func (p *linePrinter) printFrom(source, text string) { p.print(source + ": " + text) }

func (p *linePrinter) print(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, line)
}

// closeStack holds the functions that close what a command has opened. They are called in reverse order.
type closeStack []func() error

// push adds a function that cannot fail.
func (s *closeStack) push(closeFn func()) {
	s.pushFallible(func() error { closeFn(); return nil })
}

// pushFallible adds a function that may fail.
func (s *closeStack) pushFallible(closeFn func() error) { *s = append(*s, closeFn) }

// closeAll calls all functions, the newest first. The argument err is the error of the command so far. closeAll returns
// err or, if err is nil, the first error of a function.
func (s *closeStack) closeAll(err error) error {
	for _, closeFn := range slices.Backward(*s) {
		if closeErr := closeFn(); err == nil {
			err = closeErr
		}
	}
	*s = nil
	return err
}
