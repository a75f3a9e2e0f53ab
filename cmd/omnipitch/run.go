package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/multicast"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

type runCmd struct {
	drawing
	sampling
	serve.Access
	World     string          `arg:"" help:"Name of a shipped world, or a path."`
	For       *time.Duration  `placeholder:"DURATION" help:"Sim time after which the run ends, such as 10s; without it the run ends with Ctrl-C."`
	Speed     *timesync.Speed `help:"realtime, a factor such as 0.5, steady (the highest factor that can be held), max or lockstep (max too, with programs that it starts for robots that the world waits for); default: the world's."`
	Seed      *uint64         `help:"Seed of all randomness; default: the world's."`
	Level     []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Put a sensor on a level: ${levels}, as its kind has them. * matches any; may be given several times."`
	Out       *string         `placeholder:"DIR" help:"Write every frame as PNG, the truth of every step and an index of frames as JSON lines into DIR, a new or an empty folder."`
	Overwrite bool            `help:"With --out: remove what an earlier run has written into DIR, if nothing else is in it. With --record: replace FILE."`
	recordFlags
	refboxFlags
	farmFlags
	serve.Flags
	serve.Dashboard
	Programs *bool `negatable:"" help:"Start the programs that the world names, with your rights: do so with worlds alone that you trust. Default: those of worlds that ship."`
	Watch    bool  `help:"Begin again whenever a file of the world has changed, or say what is wrong with it and go on."`
	Window   bool  `help:"Open a window on the world, where mouse, keys and a gamepad drag bodies, kick and drive; H lists them."`
	JSON     bool  `name:"json" help:"Print the summary as one JSON object."`
}

// Check judges what the flags say by themselves.
func (c *runCmd) Check() error {
	if c.For != nil && *c.For <= 0 {
		return fmt.Errorf("--for = %v: must be longer than 0; without --for the run ends with Ctrl-C", *c.For)
	}
	if c.Out != nil && *c.Out == "" {
		return output.NoFolder("--out")
	}
	if c.Programs != nil && *c.Programs && c.ROS1.Off() {
		return errors.New("--programs: they reach the simulation over ROS 1: not with --ros1 off")
	}
	if err := c.recordFlags.check(c.ROS1.Off()); err != nil {
		return err
	}
	if err := c.refboxFlags.check(); err != nil {
		return err
	}
	if err := c.sampling.check(c.Renderer); err != nil {
		return err
	}
	if err := c.farmFlags.check(); err != nil {
		return err
	}
	return c.Flags.Check(c.Access, c.Dashboard)
}

func (c *runCmd) Run(ctx context.Context, con console.Streams) (err error) {
	w, err := c.load(ctx)
	if err != nil {
		return err
	}
	tape, err := c.recordFlags.plan(w, c.ROS1.Off())
	if err != nil {
		return err
	}
	if c.Overwrite && c.Out == nil && tape == nil {
		return console.BadInputf("--overwrite: needs --out or --record")
	}
	box, err := c.refboxFlags.follows(w)
	if err != nil {
		return err
	}
	var files *watched
	if c.Watch {
		if files, err = newWatched(w, func() (*worlds.World, error) { return c.load(ctx) }, con); err != nil {
			return console.BadInput(err)
		}
	}
	speed := w.Time.Speed
	if c.Speed != nil {
		speed = *c.Speed
	}
	starts := programs.Started(w, c.Programs) && !c.ROS1.Off()
	if starts {
		speed = programs.Speed(w, speed)
	}
	if c.Out != nil {
		if err := output.Check("--out", *c.Out, c.Overwrite); err != nil {
			return err
		}
	}
	if !c.ROS1.Off() {
		if err := serve.CheckOpenFiles(w); err != nil {
			return err
		}
	}
	status := console.NewStatus(con, w.Name)
	defer status.Close()
	var page serve.Page
	runSim := (*omnipitch.Sim).Run
	if c.ROS1.Off() && !c.Watch && !c.Dashboard.On() {
		runSim = func(sim *omnipitch.Sim, ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
			return suite.RunUnattended(ctx, sim, pace, func() bool { return page.Watched() })
		}
	}
	if c.Window {
		view, err := window.Open("omnipitch: " + w.Name)
		if err != nil {
			return console.Unavailablef("--window: %w", err)
		}
		defer view.Close()
		runSim = func(sim *omnipitch.Sim, ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
			return view.Run(ctx, sim, nil, pace)
		}
	}
	var topics *robotio.Topics
	if !c.ROS1.Off() {
		topics = robotio.NewTopics()
	} else if names := w.Topics(); names != nil {
		fmt.Fprintf(con.Err, "%s: nothing comes on %s, which conditions ask about: they cannot hold with --ros1 off\n",
			w.Name, strings.Join(names, " and "))
	}
	begun := false
	if tape != nil {
		if err := tape.begin(c.Renderer, c.Overwrite, con); err != nil {
			return err
		}
		defer func() {
			if !begun { // as where a port is taken: nothing was written
				tape.Discard()
				return
			}
			if closeErr := tape.end(); err == nil {
				err = closeErr
			}
		}()
	}
	var tap *recorder.Tap
	if len(c.Recordings) > 0 {
		tap = &recorder.Tap{}
	}
	host, closeFarm, err := c.farmFlags.open(ctx, con, c.Renderer, c.tracedSamples(c.Renderer))
	if err != nil {
		return err
	}
	defer closeFarm() // when sim is closed
	sim, err := c.newSim(ctx, w, topics, func(opts *omnipitch.Options) {
		if host != nil {
			opts.Farm = host
		}
		if tape != nil {
			tape.Hook(opts)
		}
		if tap != nil {
			tap.Hook(opts)
		}
	}, c.tracing(ctx, status.Set), status.Set)
	if err != nil {
		return err
	}
	defer sim.Close()
	if tape != nil {
		tape.Follow(sim)
	}
	if tap != nil {
		tap.Follow(sim)
	}
	if err := sim.Do(&action.SetSpeed{Speed: speed.String()}); err != nil {
		return console.BadInput(err)
	}
	told, noted := newEcho(con.Err), newEcho(con.Notes())
	closeBoxes, err := c.refboxFlags.open(sim, box, func(text string) { told.line(w.Name, text) },
		func(text string) { noted.line(w.Name, text) })
	if err != nil {
		return err
	}
	defer closeBoxes()
	radios, err := multicast.Join(sim, func(text string) { told.line(w.Name, text) })
	if err != nil {
		return console.NetworkError(err)
	}
	defer radios.Close()
	var server *serve.Server
	if !c.ROS1.Off() {
		status.Set("joining ROS 1")
		if server, err = serve.Open(ctx, con, w, sim, robotio.Options{Topics: topics}, c.Flags, c.Access); err != nil {
			return err
		}
		defer server.Close()
		defer sim.Close() // before the bridge: it answers calls that wait for a step
		if tape != nil {
			status.Set("looking for topics to record")
			stop, err := tape.follow(server, con.Err)
			if err != nil {
				return err
			}
			defer stop()
		}
		var stop context.CancelCauseFunc
		ctx, stop = server.Watch(ctx)
		defer stop(nil)
	}
	show, err := c.shown(sim, tap)
	if err != nil {
		return err
	}
	show.Wires = server
	if page, err = c.Dashboard.Open(con, show, c.Flags, c.Access); err != nil {
		return err
	}
	defer func() {
		if closeErr := page.Close(); err == nil && closeErr != nil { // of what a page has begun to record
			err = console.Unavailable(closeErr)
		}
	}()
	if starts {
		started, err := programs.Start(sim, server, newEcho(con.Notes()).line)
		if err != nil {
			return err
		}
		defer func() {
			sim.Close()
			if closeErr := started.Close(); err == nil {
				err = closeErr
			}
		}()
		runAlone := runSim
		runSim = func(sim *omnipitch.Sim, ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
			return started.Run(ctx, pace, func(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
				return runAlone(sim, ctx, pace)
			})
		}
	} else if text := programs.NotStarted(w); text != "" {
		fmt.Fprintf(con.Err, "%s: %s\n", w.Name, text)
	}
	status.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var rec *output.Recorder
	if c.Out != nil {
		out, err := output.Open("--out", *c.Out, c.Overwrite)
		if err != nil {
			return err
		}
		if rec, err = output.NewRecorder(sim, out, nil, cancel); err != nil {
			return err
		}
	}
	if c.Watch {
		files.told = page.Reloaded
		files.watch(sim)
		var watching sync.WaitGroup
		watching.Go(func() { files.run(ctx) })
		defer watching.Wait()
		defer cancel()
	}
	pace := omnipitch.Pace{Speed: speed}
	if c.For != nil {
		pace.For = *c.For
	}
	meter := console.NewMeter(con, pace.For, sim.Clock().Paused)
	defer meter.Close()
	pace.Progress = meter.Show
	pace.Notify = func(text string) { fmt.Fprintf(con.Err, "%s: %s\n", w.Name, text) }
	sim.OnDecision(func(d *referee.Decision) { noted.line(w.Name, d.String()) })
	begun = true
	report, err := runSim(sim, ctx, pace)
	meter.Close()
	defer c.tell(con.Err)
	if rec != nil {
		if closeErr := rec.Close(); err == nil {
			err = closeErr
		}
	}
	if err == nil && server != nil {
		err = server.ShutDown(ctx)
	}
	if errors.Is(err, suite.ErrPaused) {
		return errors.Join(printReport(con.Out, sim.World(), report, c.JSON), err)
	}
	if err == nil && report.Steps == 0 { // as when robots that are waited for did not come
		begun, err = false, console.ErrInterrupted
	}
	if err != nil {
		return err
	}
	return printReport(con.Out, sim.World(), report, c.JSON)
}

// load reads the world as the flags change it.
func (c *runCmd) load(ctx context.Context) (*worlds.World, error) {
	w, err := loadWorld(ctx, c.World, c.Seed)
	if err != nil {
		return nil, err
	}
	if err := applyLevels(w, "--level", c.Level); err != nil {
		return nil, err
	}
	if err := w.Locate(w.Validate()); err != nil { // what holds at other levels alone
		return nil, console.BadInputf("with --level: %w", err)
	}
	return w, nil
}

// shown is what a page shows of the run.
func (c *runCmd) shown(sim *omnipitch.Sim, tap *recorder.Tap) (serve.Shown, error) {
	instructions, err := backend.Instructions()
	if err != nil {
		return serve.Shown{}, console.BadInput(err)
	}
	show := serve.Shown{Name: sim.World().Name, Sim: sim, Tap: tap, Renderer: c.Renderer,
		Recorder: recorder.Config{Program: version(), Renderer: c.Renderer, Instructions: instructions}}
	if c.Record != nil && *c.Record != "off" {
		show.Beside = *c.Record
	}
	return show, nil
}

// echo prints what programs print, each line after its program's name.
type echo struct {
	mu  sync.Mutex
	out io.Writer
}

func newEcho(out io.Writer) *echo { return &echo{out: out} }

func (e *echo) line(program, text string) { e.print(program + ": " + text) }

func (e *echo) print(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintln(e.out, line)
}
