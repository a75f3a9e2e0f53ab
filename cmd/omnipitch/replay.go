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

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
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
	case c.Loop && (c.Compare || c.Continue || c.Out != nil || c.ROS1.Off() && !c.Window):
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
	if c.Dashboard.On() && (c.Compare || c.Out != nil) {
		return errors.New("--web: a page shows a replay: not with --check or --out")
	}
	return c.Flags.Check(c.Access, c.Dashboard)
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
func (c *replayCmd) shownWorld(ctx context.Context, rec *replay.Recording) (*worlds.World, error) {
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
