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
	"github.com/omnipitch/omnipitch/robotio/multicast"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

type replayCmd struct {
	drawing
	serve.Access
	File      string          `arg:"" help:"A recording, FILE.mcap, or FILE.mcap.partial of a run that did not end; or a folder, whose recordings and test results a page lists."`
	From      time.Duration   `default:"0s" placeholder:"DURATION" help:"Begin so long after the recorded run began, such as 90s."`
	For       *time.Duration  `placeholder:"DURATION" help:"Sim time after which the replay ends; default: with the recording."`
	Loop      bool            `help:"Begin again at --from at the end, until Ctrl-C."`
	Speed     *timesync.Speed `help:"realtime, a factor such as 0.5, steady, or max; default: realtime, max with --out or --check."`
	Compare   bool            `name:"check" help:"Run the world again from what the run took from outside, and say at which step, if any, the states part."`
	Continue  bool            `help:"Let the run go on by itself at --from: the engine runs again up to there, then robots' programs command it."`
	Sensor    []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Show a sensor on another level than it had: ${levels}. * matches any; may be given several times."`
	World     *string         `placeholder:"WORLD" help:"See what was recorded in another world, of as many robots and obstacles: with other cameras, lenses or light."`
	Out       *string         `placeholder:"DIR" help:"Write frames as PNG, the truth of every step and an index of frames as JSON lines into DIR, a new or an empty folder: of the sensors that --sensor names, if any, and serve nobody."`
	Overwrite bool            `help:"With --out: remove what an earlier run has written into DIR, if nothing else is in it."`
	serve.Flags
	serve.Dashboard
	Window bool `help:"Open a window on the recording: it pauses, goes step by step, faster, slower and to other moments; H lists the keys. At its end it stays, without --loop."`
	JSON   bool `name:"json" help:"Print the summary as one JSON object."`
}

// Check judges what the flags say by themselves.
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
		return errors.New("--check: runs the whole world again as it was: not with other flags that say what is shown")
	case c.Loop && (c.Compare || c.Continue || c.Out != nil || c.ROS1.Off() && !c.Window):
		return errors.New("--loop: shows programs the same again and again: not with --check, --continue, --out or, " +
			"without --window, --ros1 off")
	case c.Window && (c.Compare || c.Out != nil):
		return errors.New("--window: shows the recording: not with --check or --out")
	case c.Continue && (c.World != nil || len(c.Sensor) > 0):
		return errors.New("--continue: goes on with the world as it was: not with --world or --sensor")
	case c.Speed != nil && *c.Speed == timesync.Lockstep:
		return errors.New("--speed = lockstep: a recording waits for nobody")
	}
	if c.Dashboard.On() && (c.Compare || c.Out != nil) {
		return errors.New("--web: a page shows a replay: not with --check or --out")
	}
	return c.Flags.Check(c.Access, c.Dashboard)
}

// list serves a page of what is in a folder, without a replay of its own, until ctx ends.
func (c *replayCmd) list(ctx context.Context, con console.Streams) error {
	switch {
	case c.Web == "off":
		return console.BadInputf("%s: is a folder, whose recordings and test results a page lists: not with --web off",
			c.File)
	case c.From > 0 || c.For != nil || c.Loop || c.Speed != nil || c.Continue || c.World != nil || len(c.Sensor) > 0:
		return console.BadInputf("%s: is a folder, which a page lists: not with flags that say how one recording is "+
			"replayed", c.File)
	}
	page, err := c.Dashboard.Open(con, serve.Shown{Name: filepath.Base(c.File), Beside: c.File, Renderer: c.Renderer},
		c.Flags, c.Access)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return page.Close()
}

func (c *replayCmd) Run(ctx context.Context, con console.Streams) (err error) {
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		return c.list(ctx, con)
	}
	rec, err := replay.Open(c.File)
	if err != nil {
		return console.BadInput(err)
	}
	defer rec.Close()
	if damage := rec.Damage(); damage != nil {
		fmt.Fprintln(con.Err, damage)
	}
	if length := rec.Length(); c.From > length {
		return console.BadInputf("--from = %v: the recording ends at %v", c.From, length)
	}
	cfg := replay.Config{From: c.From, Until: c.until(rec), Loop: c.Loop, Hold: c.Window || c.Dashboard.On() && !c.Loop,
		Check: c.Compare, Continue: c.Continue}
	if cfg.World, err = c.world(ctx, rec); err != nil {
		return err
	}
	if c.Out != nil {
		if err := output.Check("--out", *c.Out, c.Overwrite); err != nil {
			return err
		}
	}
	var view *window.Window
	if c.Window {
		opened, err := window.Open("omnipitch: " + c.File)
		if err != nil {
			return console.Unavailablef("--window: %w", err)
		}
		defer opened.Close()
		view = &opened
	}
	alone := c.Out != nil || c.Compare || c.ROS1.Off()
	var topics *robotio.Topics
	opts := omnipitch.Options{Renderer: c.Renderer}
	if !alone {
		topics = robotio.NewTopics()
		opts.Topics = topics
	}
	status := console.NewStatus(con, rec.World.Name)
	defer status.Close()
	opts.Notify = status.Set
	way, stop := context.WithCancel(ctx) // to another time
	defer stop()
	sim, err := console.Await(ctx, func() (*replay.Replay, error) { return rec.NewSim(way, opts, cfg) },
		func(x *replay.Replay) { x.Close() })
	if err != nil {
		return err
	}
	defer sim.Close()
	pace := omnipitch.Pace{Speed: timesync.RealTime}
	switch {
	case c.Speed != nil:
		pace.Speed = *c.Speed
	case c.Out != nil || c.Compare:
		pace.Speed = timesync.Max
	}
	if c.Continue && c.For != nil {
		pace.For = *c.For
	}
	if c.Continue {
		told := newEcho(con.Err)
		radios, err := multicast.Join(sim, func(text string) { told.line(rec.World.Name, text) })
		if err != nil {
			return console.NetworkError(err)
		}
		defer radios.Close()
	}
	shown := serve.Shown{Name: rec.World.Name, Sim: sim.Sim, Replay: sim, Beside: c.File, Renderer: c.Renderer}
	if c.Continue {
		shown.Replay = nil // it goes on by itself
	}
	if c.Dashboard.On() {
		page, err := c.Dashboard.Open(con, shown, c.Flags, c.Access)
		if err != nil {
			return err
		}
		defer page.Close()
	}
	var server *serve.Server
	if !alone {
		status.Set("joining ROS 1")
		opened := robotio.Options{Topics: topics}
		if !c.Continue {
			opened.Seek = sim.Seek
		}
		if server, err = serve.Open(ctx, con, sim.World(), sim.Sim, opened, c.Flags, c.Access); err != nil {
			return err
		}
		defer server.Close()
		defer sim.Close() // before the bridge: it answers calls that wait for a step
		var stop context.CancelCauseFunc
		ctx, stop = server.Watch(ctx)
		defer stop(nil)
	}
	status.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var frames *output.Recorder
	if c.Out != nil {
		out, err := output.Open("--out", *c.Out, c.Overwrite)
		if err != nil {
			return err
		}
		if frames, err = output.NewRecorder(sim.Sim, out, c.shown, cancel); err != nil {
			return err
		}
	}
	length := rec.Length() - cfg.From
	switch {
	case c.Continue || c.Loop || cfg.Hold:
		length = pace.For
	case c.For != nil:
		length = min(length, *c.For)
	}
	meter := console.NewMeter(con, length, sim.Clock().Paused)
	defer meter.Close()
	pace.Progress = meter.Show
	pace.Notify = func(text string) { fmt.Fprintf(con.Err, "%s: %s\n", rec.World.Name, text) }
	if text := notFollowed(rec.World, "replay --continue"); c.Continue && text != "" {
		pace.Notify(text)
	}
	noted := newEcho(con.Notes())
	sim.OnDecision(func(d *referee.Decision) { noted.line(rec.World.Name, d.String()) })
	report, err := c.play(ctx, sim, pace, alone, view, stop)
	meter.Close()
	if frames != nil {
		if closeErr := frames.Close(); err == nil {
			err = closeErr
		}
	}
	if err == nil && server != nil {
		err = server.ShutDown(ctx)
	}
	if err != nil {
		return err
	}
	if c.Compare {
		return c.verdict(con, rec, sim)
	}
	if report == nil { // the window was closed on the way to another time
		return nil
	}
	return printReport(con.Out, sim.World(), report, c.JSON)
}

func (c *replayCmd) play(ctx context.Context, sim *replay.Replay, pace omnipitch.Pace, alone bool, view *window.Window,
	stop func()) (*omnipitch.Report, error) {
	if view != nil && c.Continue { // it is a run again
		return view.Run(ctx, sim.Sim, nil, pace)
	} else if view != nil {
		return view.Run(ctx, sim.Sim, &window.Replay{Stop: stop, From: sim.Span().From, To: sim.Span().To,
			Seek: sim.Seek, Now: sim.Now}, pace)
	}
	if alone && !c.Dashboard.On() {
		return suite.RunUnattended(ctx, sim.Sim, pace, nil)
	}
	return sim.Run(ctx, pace)
}

// until returns when the replay ends, if that is before the recording does.
func (c *replayCmd) until(rec *replay.Recording) time.Duration {
	if c.For == nil {
		return 0
	}
	begin, _ := rec.Begin() // a recording that began in the middle of its run has nothing before that
	return max(c.From, begin) + *c.For
}

// world returns what is seen in place of the recorded world, or nil.
func (c *replayCmd) world(ctx context.Context, rec *replay.Recording) (*worlds.World, error) {
	if c.World == nil && len(c.Sensor) == 0 {
		return nil, nil
	}
	w := rec.World
	if c.World != nil {
		var err error
		if w, err = loadWorld(ctx, *c.World, &rec.World.Seed); err != nil {
			return nil, err
		}
		if of := rec.World; len(w.Robots) != len(of.Robots) || len(w.Obstacles) != len(of.Obstacles) {
			return nil, console.BadInputf("--world = %q: has %d robots and %d obstacles: must have as many as the "+
				"recorded world, %d and %d", *c.World, len(w.Robots), len(w.Obstacles), len(of.Robots),
				len(of.Obstacles))
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

// shown tells whether frames of a sensor are written.
func (c *replayCmd) shown(robot, sensor string) bool {
	for _, flag := range c.Sensor {
		pattern, _, _ := strings.Cut(flag, "=")
		if ok, err := path.Match(pattern, robot+"."+sensor); ok && err == nil {
			return true
		}
	}
	return len(c.Sensor) == 0
}

// verdict says what --check has found.
func (c *replayCmd) verdict(con console.Streams, rec *replay.Recording, sim *replay.Replay) error {
	steps, episode, parting := sim.Verdict()
	if parting == nil {
		unknown := ""
		if more := rec.Steps() - steps; more > 0 {
			unknown = fmt.Sprintf(", which lacks those of %d more", more)
		}
		fmt.Fprintf(con.Out, "%s: the states of %d steps are those of the recording%s\n", c.File, steps, unknown)
		return nil
	}
	where := ""
	if len(rec.Episodes) > 1 {
		where = fmt.Sprintf(" of episode %d", episode)
	}
	if parting.Err != nil {
		return fmt.Errorf("%s: step %d%s: %w", c.File, parting.Step, where, parting.Err)
	}
	return fmt.Errorf("%s: the run parts from the recording at step %d%s (%v): %v", c.File, parting.Step, where,
		time.Duration(parting.Step)*rec.World.Time.Step, parting.Difference)
}
