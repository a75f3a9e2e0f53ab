package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/cmd/internal/window"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

type replayCmd struct {
	File     string          `arg:"" help:"A recording, FILE.mcap, or FILE.mcap.partial if the run did not end. Or a folder: its recordings and test results are listed on a page."`
	From     time.Duration   `default:"0s" placeholder:"DURATION" help:"Time in the recorded run at which the replay starts, such as 90s."`
	For      *time.Duration  `placeholder:"DURATION" help:"Sim time after which the replay ends. Default: at the end of the recording."`
	Loop     bool            `help:"At the end, start again at --from, until Ctrl-C."`
	Speed    *timesync.Speed `help:"realtime, a factor such as 0.5, steady, or max. Default: realtime; with --out or --check, max."`
	Compare  bool            `name:"check" help:"Run the world again with the recorded inputs. Report the first step, if any, at which its state differs from the recording."`
	Continue bool            `help:"Restore the state at --from, then continue as a live run, which robots' programs command."`
	Sensor   []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Show a sensor at another level than the recorded one: ${levels}. * matches any name. May be repeated."`
	World    *string         `placeholder:"WORLD" help:"Show the recording in another world, for instance with other cameras, lenses or light. It must have as many robots and obstacles as the recorded world."`
	JSON     bool            `name:"json" help:"Print the summary as one JSON object."`

	Window       bool    `group:"output" help:"Open a window on the recording, in which keys pause, step, change the speed and jump to other times. Press H for the list of keys. Without --loop the window stays open at the end."`
	Out          *string `group:"output" placeholder:"DIR" help:"Write frames as PNG, the truth of every step and an index of frames as JSON lines into DIR, a new or empty folder. Writes only the sensors of --sensor, if given. Robots cannot connect."`
	Overwrite    bool    `group:"output" help:"With --out: first remove the files that an earlier run wrote into DIR. Fails if DIR holds other files."`
	drawingFlags `group:"output"`

	serve.Dashboard `group:"connect"`
	serve.Flags     `group:"connect"`
	serve.Servers   `group:"connect"`
	serve.Access    `group:"connect"`
}

// Check checks the flags without reading any file.
func (c *replayCmd) Check() error {
	switch {
	case c.From < 0:
		return fmt.Errorf("--from = %v: must not be negative", c.From)
	case c.For != nil && *c.For <= 0:
		return fmt.Errorf("--for = %v: must be longer than 0", *c.For)
	case c.Out != nil && *c.Out == "":
		return output.NoFolder("--out")
	case c.Overwrite && c.Out == nil:
		return errors.New("--overwrite: needs --out")
	case c.Compare && (c.Continue || c.Out != nil || c.From > 0 || c.World != nil || len(c.Sensor) > 0):
		return errors.New("--check: runs the whole recorded world again: not with flags that change what is shown")
	case c.Loop && (c.Compare || c.Continue || c.Out != nil || c.Off() && !c.Window):
		return errors.New(
			"--loop: repeats the recording for viewers: not with --check, --continue, --out or, without " +
				"--window, --ros1 off")
	case c.Window && (c.Compare || c.Out != nil):
		return errors.New("--window: shows the recording: not with --check or --out")
	case c.Continue && (c.World != nil || len(c.Sensor) > 0):
		return errors.New("--continue: continues in the recorded world: not with --world or --sensor")
	case c.Speed != nil && *c.Speed == timesync.Lockstep:
		return errors.New("--speed = lockstep: a replay does not wait for robots")
	}
	if c.Servers.Wanted() && (c.Compare || c.Out != nil) {
		return errors.New("--player and --rcsssmj: programs watch a replay: not with --check or --out")
	}
	if c.Dashboard.On() && (c.Compare || c.Out != nil) {
		return errors.New("--web: a page shows a replay: not with --check or --out")
	}
	return c.Flags.Check(c.Access, c.Dashboard, c.Servers)
}

func (c *replayCmd) Run(ctx context.Context, con console.Streams) (err error) {
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return c.list(ctx, con)
	}
	r := &replayRun{replayCmd: c, execution: execution{con: con}}
	defer func() { err = r.opened.closeAll(err) }()
	if err := r.load(ctx); err != nil {
		return err
	}
	if ctx, err = r.open(ctx); err != nil {
		return err
	}
	return r.run(ctx)
}

// list shows a dashboard with a folder of recordings until ctx ends. It does not start a replay.
func (c *replayCmd) list(ctx context.Context, con console.Streams) error {
	switch {
	case c.Web == "off":
		return console.BadInputf("%s: is a folder, which omnipitch shows on a page: not with --web off", c.File)
	case c.From > 0 || c.For != nil || c.Loop || c.Speed != nil || c.Continue || c.World != nil || len(c.Sensor) > 0:
		return console.BadInputf("%s: is a folder, which omnipitch shows on a page: not with flags for the replay of "+
			"one recording", c.File)
	}
	page, err := c.Dashboard.Open(con, serve.Shown{Name: filepath.Base(c.File), Beside: c.File, Renderer: c.Renderer},
		c.Flags, c.Access)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return page.Close()
}

// until returns the time in the recording at which the replay ends. 0 means the end of the recording.
func (c *replayCmd) until(rec *replay.Recording) time.Duration {
	if c.For == nil {
		return 0
	}
	// A recording may start some time after its run did.
	begin, _ := rec.Begin()
	return max(c.From, begin) + *c.For
}

// shownWorld returns the world in which the recording is shown. It returns nil for the recorded world.
func (c *replayCmd) shownWorld(ctx context.Context, con console.Streams, rec *replay.Recording) (*worlds.World, error) {
	if c.World == nil && len(c.Sensor) == 0 {
		return nil, nil
	}
	w := rec.World
	if c.World != nil {
		var err error
		if w, err = loadWorld(ctx, con, *c.World, &rec.World.Seed); err != nil {
			return nil, err
		}
		of, moving, recorded := rec.World, len(w.AllObstacles()), len(rec.World.AllObstacles())
		if len(w.Robots) != len(of.Robots) || moving != recorded {
			return nil, console.BadInputf("--world = %q: has %d robots and %d obstacles: must have as many as the "+
				"recorded world, %d and %d", *c.World, len(w.Robots), moving, len(of.Robots), recorded)
		}
	}
	if err := applyLevels(w, "--sensor", c.Sensor); err != nil {
		return nil, err
	}
	if err := w.Locate(w.Validate()); err != nil {
		return nil, console.BadInputf("with --sensor: %w", err)
	}
	return w, nil
}

// writesSensor reports whether the frames of a sensor are written into the folder of --out.
func (c *replayCmd) writesSensor(robot, sensor string) bool {
	for _, flag := range c.Sensor {
		pattern, _, _ := strings.Cut(flag, "=")
		if ok, err := path.Match(pattern, robot+"."+sensor); ok && err == nil {
			return true
		}
	}
	return len(c.Sensor) == 0
}

// printComparison prints the result of --check. It returns an error if the replay differs from the recording.
func (c *replayCmd) printComparison(con console.Streams, rec *replay.Recording, sim *replay.Replay) error {
	steps, episode, parting := sim.Verdict()
	if parting == nil {
		unknown := ""
		if more := rec.Steps() - steps; more > 0 {
			unknown = fmt.Sprintf("; it lacks the states of %d more", more)
		}
		fmt.Fprintf(con.Out, "%s: the states of %d steps equal those of the recording%s\n", c.File, steps, unknown)
		return nil
	}
	where := ""
	if len(rec.Episodes) > 1 {
		where = fmt.Sprintf(" of episode %d", episode)
	}
	if parting.Err != nil {
		return fmt.Errorf("%s: step %d%s: %w", c.File, parting.Step, where, parting.Err)
	}
	return fmt.Errorf("%s: the run differs from the recording from step %d%s (%v): %v", c.File, parting.Step, where,
		time.Duration(parting.Step)*rec.World.Time.Step, parting.Difference)
}

// replayRun is one execution of omnipitch replay on a recording.
type replayRun struct {
	*replayCmd
	execution
	recording *replay.Recording
	cfg       replay.Config
	isolated  bool            // robots cannot connect
	topics    *robotio.Topics // nil if isolated
	replay    *replay.Replay
	stopSeek  func() // cancels a seek that is in progress
}

// load opens the recording and reads the world in which it is shown.
func (r *replayRun) load(ctx context.Context) error {
	rec, err := openRecording(ctx, r.con, r.File, replay.Open)
	if err != nil {
		return err
	}
	r.recording, r.world = rec, rec.World
	r.opened.push(func() { rec.Close() })
	if damage := rec.Damage(); damage != nil {
		fmt.Fprintln(r.con.Err, damage)
	}
	if length := rec.Length(); r.From > length {
		return console.BadInputf("--from = %v: the recording ends at %v", r.From, length)
	}
	r.cfg = replay.Config{From: r.From, Until: r.until(rec), Loop: r.Loop,
		Hold: r.Window || r.Dashboard.On() && !r.Loop, Check: r.Compare, Continue: r.Continue}
	if r.cfg.World, err = r.shownWorld(ctx, r.con, rec); err != nil {
		return err
	}
	r.isolated = r.Out != nil || r.Compare || r.Off()
	if r.Out != nil {
		return output.Check("--out", *r.Out, r.Overwrite)
	}
	return nil
}

// open opens everything that the replay needs. The replay must end when the returned context ends.
func (r *replayRun) open(ctx context.Context) (context.Context, error) {
	if r.Window {
		if err := r.openWindow("omnipitch: " + r.File); err != nil {
			return nil, err
		}
	}
	r.showStatus()
	if err := r.openReplay(ctx); err != nil {
		return nil, err
	}
	if r.Continue {
		if err := r.joinRadios(); err != nil {
			return nil, err
		}
	}
	if err := r.openServers(r.Servers, r.Flags); err != nil {
		return nil, err
	}
	if err := r.openPage(); err != nil {
		return nil, err
	}
	if !r.isolated {
		opts := robotio.Options{Topics: r.topics}
		if !r.Continue {
			opts.Seek = r.replay.Seek
		}
		var err error
		if ctx, err = r.connect(ctx, opts, r.Flags, r.Access, r.replay.Close); err != nil {
			return nil, err
		}
	}
	r.status.Set("") // the first step sets it again while it goes to --from
	ctx, cancel := context.WithCancel(ctx)
	r.opened.push(cancel)
	if r.Out != nil {
		if err := r.writeFrames(*r.Out, r.Overwrite, r.writesSensor, cancel); err != nil {
			return nil, err
		}
	}
	return ctx, nil
}

// openReplay builds the simulation that replays the recording.
func (r *replayRun) openReplay(ctx context.Context) error {
	opts := omnipitch.Options{Renderer: r.Renderer, RenderEarly: r.Out != nil, Notify: r.status.Set}
	if !r.isolated {
		r.topics = robotio.NewTopics()
		opts.Topics = r.topics
	}
	seeking, stop := context.WithCancel(ctx)
	r.stopSeek = stop
	r.opened.push(stop)
	rep, err := console.Await(ctx, func() (*replay.Replay, error) { return r.recording.NewSim(seeking, opts, r.cfg) },
		func(x *replay.Replay) { x.Close() })
	if err != nil {
		return err
	}
	r.replay, r.sim = rep, rep.Sim
	r.opened.push(rep.Close)
	return nil
}

// openPage opens the dashboard, if --web asks for it.
func (r *replayRun) openPage() error {
	if !r.Dashboard.On() {
		return nil
	}
	shown := serve.Shown{Name: r.world.Name, Sim: r.sim, Replay: r.replay, Beside: r.File, Renderer: r.Renderer}
	if r.Continue {
		shown.Replay = nil // the dashboard treats a continued run as a live run
	}
	page, err := r.Dashboard.Open(r.con, shown, r.Flags, r.Access)
	if err != nil {
		return err
	}
	r.opened.push(func() { page.Close() })
	return nil
}

// run replays the recording to its end and prints a summary. With --check it prints the result of the comparison
// instead.
func (r *replayRun) run(ctx context.Context) error {
	pace := r.replayPace()
	if text := ignoresRefbox(r.world, "replay --continue"); r.Continue && text != "" {
		pace.Notify(text)
	}
	report, err := r.simulate(ctx, pace)
	if err = r.finish(ctx, err); err != nil {
		return err
	}
	if r.Compare {
		return r.printComparison(r.con, r.recording, r.replay)
	}
	if report == nil { // the window was closed during a seek
		return nil
	}
	return printReport(r.con.Out, r.sim.World(), report, r.JSON)
}

// replayPace returns the pace of the replay: its speed, and the time at which it ends.
func (r *replayRun) replayPace() omnipitch.Pace {
	speed := timesync.RealTime
	switch {
	case r.Speed != nil:
		speed = *r.Speed
	case r.Out != nil || r.Compare:
		speed = timesync.Max
	}
	var limit time.Duration // end of a continued run; a recording has its own end
	if r.Continue && r.For != nil {
		limit = *r.For
	}
	shown := r.recording.Length() - r.cfg.From // length that the meter shows
	switch {
	case r.Continue || r.Loop || r.cfg.Hold:
		shown = limit
	case r.For != nil:
		shown = min(shown, *r.For)
	}
	pace := r.pace(speed, shown)
	pace.For = limit
	return pace
}

// simulate runs the replay, or the run that continues the replay. With --window it does so in the window.
func (r *replayRun) simulate(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
	switch {
	case r.view != nil && r.Continue:
		return r.view.Run(ctx, r.sim, nil, pace)
	case r.view != nil:
		return r.view.Run(ctx, r.sim, &window.Replay{Stop: r.stopSeek, From: r.replay.Span().From,
			To: r.replay.Span().To, Seek: r.replay.Seek, Now: r.replay.Now}, pace)
	case r.isolated && !r.Dashboard.On() && !r.Servers.Wanted():
		return suite.RunUnattended(ctx, r.sim, pace, nil)
	}
	return r.replay.Run(ctx, pace)
}
