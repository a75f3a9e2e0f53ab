package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// worldRun is one execution of omnipitch run.
type worldRun struct {
	*runCmd
	execution
	ctx    context.Context    // ends the simulation
	cancel context.CancelFunc // ends ctx

	speed          timesync.Speed
	startsPrograms bool
	refboxAddr     string            // address of the referee box to connect to; empty means none
	controllerAddr string            // address of the GameController to follow; empty means none
	following      *refbox.Following // connection to that referee box; nil if there is none
	watch          *worldWatch       // nil without --watch
	recording      *runRecording     // nil without --record
	// Pages of the dashboard record through tap, which is nil without --recordings.
	tap      *recorder.Tap
	topics   *robotio.Topics // topics that the world's conditions use; nil without ROS 1
	page     serve.Page
	programs *programs.Programs // nil if no programs were started
	stepped  bool               // the simulation ran, so the recording is worth keeping
}

// load reads the world and evaluates the flags. It checks everything that can be checked before something is opened.
func (r *worldRun) load(ctx context.Context) error {
	w, err := r.loadWorld(ctx, r.con)
	if err != nil {
		return err
	}
	r.world = w
	if r.recording, err = r.recordFlags.plan(w, r.Off()); err != nil {
		return err
	}
	if r.recording != nil {
		r.recording.ros2 = r.OnlyROS2()
	}
	if r.Overwrite && r.Out == nil && r.recording == nil {
		return console.BadInputf("--overwrite: needs --out or --record")
	}
	if r.refboxAddr, err = r.refboxFlags.followedAddr(w); err != nil {
		return err
	}
	if r.controllerAddr, err = r.gameControllerFlags.followed(w); err != nil {
		return err
	}
	if r.refboxAddr != "" && r.controllerAddr != "" {
		return console.BadInputf("--refbox and --gamecontroller: a game has only one referee")
	}
	if r.Watch {
		if r.watch, err = newWorldWatch(w, func() (*worlds.World, error) { return r.loadWorld(ctx, r.con) },
			r.con); err != nil {
			return console.BadInput(err)
		}
	}
	r.startsPrograms = programs.Started(w, r.Programs) && !r.Off()
	r.speed = r.targetSpeed(w, r.startsPrograms)
	if r.Out != nil {
		if err := output.Check("--out", *r.Out, r.Overwrite); err != nil {
			return err
		}
	}
	if r.Off() {
		if names := w.Topics(); names != nil {
			r.printf("conditions on topics %s cannot hold: without ROS no messages arrive",
				strings.Join(names, " and "))
		}
		return nil
	}
	r.topics = robotio.NewTopics()
	return serve.CheckOpenFiles(w)
}

// open opens everything that the run needs. Whatever depends on something else is opened after it.
func (r *worldRun) open(ctx context.Context) error {
	r.showStatus()
	if r.Window {
		if err := r.openWindow("omnipitch: " + r.world.Name); err != nil {
			return err
		}
	}
	if r.recording != nil {
		if err := r.openRecording(); err != nil {
			return err
		}
	}
	if err := r.openSim(ctx); err != nil {
		return err
	}
	if err := r.openRefereeBoxes(); err != nil {
		return err
	}
	if err := r.joinRadios(); err != nil {
		return err
	}
	if err := r.speak(r.Speak); err != nil {
		return err
	}
	if err := r.openServers(r.Servers, r.Flags); err != nil {
		return err
	}
	if !r.Off() {
		var err error
		if ctx, err = r.connect(ctx, robotio.Options{Topics: r.topics}, r.Flags, r.Access, r.sim.Close); err != nil {
			return err
		}
		if err := r.recordTopics(ctx); err != nil {
			return err
		}
	}
	if err := r.openPage(); err != nil {
		return err
	}
	if err := r.startPrograms(); err != nil {
		return err
	}
	r.status.Close()
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.opened.push(r.cancel)
	if r.Out != nil {
		if err := r.writeFrames(*r.Out, r.Overwrite, nil, r.cancel); err != nil {
			return err
		}
	}
	if r.Watch {
		r.watch.onReload = r.page.Reloaded
		r.opened.push(r.watch.start(r.ctx, r.sim))
	}
	return nil
}

// openRecording creates the file of --record. If the run makes no step, for instance because a port is in use, the file
// is deleted at the end.
func (r *worldRun) openRecording() error {
	if err := r.recording.create(r.Renderer, r.Overwrite, r.con); err != nil {
		return err
	}
	r.opened.pushFallible(func() error {
		if !r.stepped {
			r.recording.Discard()
			return nil
		}
		return r.recording.finish()
	})
	return nil
}

// openSim builds the simulation. With --workers, other processes may render its images.
func (r *worldRun) openSim(ctx context.Context) error {
	host, closeFarm, err := r.farmFlags.open(ctx, r.con, r.Renderer, r.tracedSamples(r.Renderer))
	if err != nil {
		return err
	}
	r.opened.push(closeFarm) // called after the simulation has been closed
	if len(r.Recordings) > 0 {
		r.tap = &recorder.Tap{}
	}
	r.sim, err = r.newSim(ctx, r.world, r.topics, func(opts *omnipitch.Options) {
		opts.RenderEarly = r.Out != nil
		if host != nil {
			opts.Farm = host
		}
		if r.recording != nil {
			r.recording.Hook(opts)
		}
		if r.tap != nil {
			r.tap.Hook(opts)
		}
	}, r.tracing(ctx, r.status.Set), r.status.Set)
	if err != nil {
		return err
	}
	r.opened.push(r.sim.Close)
	if r.recording != nil {
		r.recording.Follow(r.sim)
	}
	if r.tap != nil {
		r.tap.Follow(r.sim)
	}
	if err := r.sim.Do(&action.SetSpeed{Speed: r.speed.String()}); err != nil {
		return console.BadInput(err)
	}
	return nil
}

// openRefereeBoxes connects to the referee box of --refbox, starts the referee box of --refbox-server, and does the
// same for a GameController.
func (r *worldRun) openRefereeBoxes() error {
	warnings, notes := newLinePrinter(r.con.Err), newLinePrinter(r.con.Notes())
	say := func(text string) { warnings.printFrom(r.world.Name, text) }
	note := func(text string) { notes.printFrom(r.world.Name, text) }
	following, closeBoxes, err := r.refboxFlags.open(r.sim, r.refboxAddr, func() bool { return r.page.Watched() }, say,
		note)
	if err != nil {
		return err
	}
	r.opened.push(closeBoxes)
	r.following = following
	closeController, err := r.gameControllerFlags.open(r.sim, r.controllerAddr, say, note)
	if err != nil {
		return err
	}
	r.opened.push(closeController)
	return nil
}

// recordTopics starts to record the topics of --record-topic and --record-sensor.
func (r *worldRun) recordTopics(ctx context.Context) error {
	if r.recording == nil {
		return nil
	}
	r.status.Set("looking for topics to record")
	stop, err := r.recording.recordTopics(ctx, r.server, r.con.Err)
	if err != nil {
		return err
	}
	r.opened.push(stop)
	return nil
}

// openPage opens the dashboard.
func (r *worldRun) openPage() error {
	instructions, err := backend.Instructions()
	if err != nil {
		return console.BadInput(err)
	}
	shown := serve.Shown{Name: r.world.Name, Sim: r.sim, Tap: r.tap, Renderer: r.Renderer, Wires: r.server,
		Recorder: recorder.Config{Program: version(), Renderer: r.Renderer, Instructions: instructions,
			ROS2: r.OnlyROS2()}}
	if r.following != nil {
		shown.Box = r.following
	}
	if r.Record != nil && *r.Record != "off" {
		shown.Beside = *r.Record
	}
	if r.page, err = r.Dashboard.Open(r.con, shown, r.Flags, r.Access); err != nil {
		return err
	}
	r.opened.pushFallible(func() error {
		if err := r.page.Close(); err != nil { // the error of a recording that a page started
			return console.Unavailable(err)
		}
		return nil
	})
	return nil
}

// startPrograms starts the programs that the world names. If the run starts no programs, it prints a note about them
// instead.
func (r *worldRun) startPrograms() error {
	if !r.startsPrograms {
		if text := programs.NotStarted(r.world); text != "" {
			r.printf("%s", text)
		}
		return nil
	}
	started, err := programs.Start(r.sim, r.server, newLinePrinter(r.con.Notes()).printFrom)
	if err != nil {
		return err
	}
	r.programs = started
	r.opened.pushFallible(func() error {
		r.sim.Close() // a program may wait for the answer of a step
		return started.Close()
	})
	return nil
}

// run runs the simulation to its end and prints the summary.
func (r *worldRun) run() error {
	var length time.Duration // 0: until Ctrl-C
	if r.For != nil {
		length = *r.For
	}
	pace := r.pace(r.speed, length)
	pace.For = length
	defer r.reportInterrupted(r.con.Err)
	r.stepped = true
	report, err := r.simulate(pace)
	err = r.finish(r.ctx, err)
	if errors.Is(err, suite.ErrPaused) {
		return errors.Join(printReport(r.con.Out, r.sim.World(), report, r.JSON), err)
	}
	if err == nil && report.Steps == 0 { // no step, for instance because robots that the run waits for never came
		r.stepped, err = false, console.ErrInterrupted
	}
	if err != nil {
		return err
	}
	return printReport(r.con.Out, r.sim.World(), report, r.JSON)
}

// simulate runs the simulation, in the window if --window is given. If the run has started programs, a failure of a
// program ends the simulation.
func (r *worldRun) simulate(pace omnipitch.Pace) (*omnipitch.Report, error) {
	simulate := func(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
		switch {
		case r.view != nil:
			return r.view.Run(ctx, r.sim, nil, pace)
		case r.Off() && !r.Watch && !r.Dashboard.On() && !r.Servers.Wanted():
			return suite.RunUnattended(ctx, r.sim, pace, r.page.Watched)
		}
		return r.sim.Run(ctx, pace)
	}
	if r.programs != nil {
		return r.programs.Run(r.ctx, pace, simulate)
	}
	return simulate(r.ctx, pace)
}
