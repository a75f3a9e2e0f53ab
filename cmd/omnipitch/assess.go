package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/assess"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

type assessCmd struct {
	World    string          `arg:"" optional:"" help:"Name of a built-in world, or the path of a world file."`
	Topic    []string        `placeholder:"TOPIC[=WHAT]" sep:"none" help:"Topic on which the vision publishes, over ROS 1 or rosbridge. A name without / is relative to the robot's namespace. WHAT is self, ball or obstacles; it is needed if the message type and the name do not tell. May be repeated."`
	Robot    *string         `placeholder:"ROBOT" help:"Robot whose vision is assessed. Default: the only robot of the world."`
	Sensor   *string         `placeholder:"SENSOR" help:"Camera that the vision uses. Default: the robot's omni camera, or else its first camera."`
	Range    *float64        `placeholder:"M" help:"Largest distance, in metres, at which an unreported object counts as missed. Default: max_range_m of the camera's vision."`
	Visible  float64         `default:"0.5" placeholder:"SHARE" help:"Share of an object that the camera must see for it to count as missed. Default: ${default}."`
	Gate     float64         `default:"0.5" placeholder:"M" help:"Largest distance, in metres, between a report and the object it is matched to; a sixth of the object's distance is added. Default: ${default}."`
	Tour     string          `default:"none" enum:"none,drive,place" help:"Move the robot through many scenes, with objects placed around it at all bearings and distances. drive: drive over the whole field at many speeds. place: place the robot elsewhere for each scene. none: only the events of the world. Default: ${default}."`
	For      *time.Duration  `placeholder:"DURATION" help:"Sim time of the judgement, such as 60s. It begins when the vision has sent its first message on each topic. Default: the world's for_s."`
	Within   time.Duration   `name:"start-within" default:"30s" placeholder:"DURATION" help:"Sim time that the vision may take to send its first message. Default: ${default}."`
	Speed    *timesync.Speed `help:"realtime, a factor such as 0.5, or lockstep, each step waits for the robots that the world names. Default: the world's speed."`
	Seed     *uint64         `help:"Seed of all random numbers. Default: the world's seed."`
	Level    []string        `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Set the level of a sensor, as run --level does. May be repeated."`
	Programs *bool           `negatable:"" help:"Start the programs that the world names, with a ROS 1 master of their own. They run with your rights, so use it only for worlds that you trust. Default: only for built-in worlds."`
	JSON     bool            `name:"json" help:"Print the outcome as one JSON object."`

	Out             *string `group:"output" placeholder:"DIR" help:"Write page.html, samples.csv and summary.json into DIR, a new or empty folder."`
	Overwrite       bool    `group:"output" help:"With --out: first remove the files that an earlier run wrote into DIR. Fails if DIR holds other files."`
	Fit             *string `group:"output" placeholder:"FILE" help:"Write the measured errors of the vision as a model for level objects of the camera. World files with such a robot can include FILE. An existing FILE is replaced."`
	photographFlags `group:"photographs"`
	Pairs           *string `placeholder:"FILE" help:"Fit the errors of a team's world model to the pairs of reported and true positions in FILE, comma-separated values, instead of running a world. Print how well the model fits, and write it with --fit. Only --robot and --sensor apply, which name the sensor for --fit."`
	drawingFlags    `group:"output"`
	serve.Flags     `group:"connect"`
	serve.Access    `group:"connect"`
}

// Check checks the flags without reading any file.
func (c *assessCmd) Check() error {
	if err := c.photographFlags.check(c); err != nil {
		return err
	}
	if err := c.checkPairs(); err != nil {
		return err
	}
	switch noWorld := c.Photographs != nil || c.Pairs != nil; {
	case c.World == "" && !noWorld:
		return errors.New("expected a world, --photographs or --pairs")
	case len(c.Topic) == 0 && !noWorld:
		return errors.New("missing --topic=TOPIC[=WHAT]: the topic on which the vision publishes")
	case c.For != nil && *c.For <= 0:
		return fmt.Errorf("--for = %v: must be longer than 0", *c.For)
	case c.Within <= 0:
		return fmt.Errorf("--start-within = %v: must be longer than 0", c.Within)
	case c.Range != nil && !(*c.Range > 0 && *c.Range <= 100):
		return fmt.Errorf("--range = %v: must lie in (0, 100]", *c.Range)
	case !(c.Visible > 0 && c.Visible <= 1):
		return fmt.Errorf("--visible = %v: must lie in (0, 1]", c.Visible)
	case !(c.Gate > 0 && c.Gate <= 10):
		return fmt.Errorf("--gate = %v: must lie in (0, 10]", c.Gate)
	case c.Off():
		return errors.New("--ros1 off: what a vision reports comes over ROS: not without --ros2")
	case c.Out != nil && *c.Out == "":
		return output.NoFolder("--out")
	case c.Overwrite && c.Out == nil:
		return errors.New("--overwrite: needs --out")
	case c.Fit != nil && !strings.HasSuffix(*c.Fit, ".toml"):
		return fmt.Errorf("--fit = %q: must end with .toml", *c.Fit)
	}
	for _, t := range c.Topic {
		if _, err := assess.ParseTopic(t); err != nil {
			return fmt.Errorf("--topic %w", err)
		}
	}
	return c.Flags.Check(c.Access, serve.Dashboard{}, serve.Servers{})
}

func (c *assessCmd) Run(ctx context.Context, con console.Streams) error {
	if c.Photographs != nil {
		return c.judgePhotographs(con)
	}
	if c.Pairs != nil {
		return c.fitPairs(con)
	}
	w, err := loadWorld(ctx, con, c.World, c.Seed)
	if err != nil {
		return err
	}
	if err := applyLevels(w, "--level", c.Level); err != nil {
		return err
	}
	if err := w.Locate(w.Validate()); err != nil { // validate again, because some rules apply only at the new levels
		return console.BadInputf("with --level: %w", err)
	}
	cfg, err := c.config(w)
	if err != nil {
		return console.BadInput(err)
	}
	a, err := assess.New(w, cfg)
	if err != nil {
		return console.BadInputf("%s: %w", c.World, err)
	}
	if c.Out != nil {
		if err := output.Check("--out", *c.Out, c.Overwrite); err != nil {
			return err
		}
	}
	if err := serve.NeedOpenFiles(programs.OpenFiles); err != nil {
		return err
	}
	status := console.NewStatus(con, w.Name)
	defer status.Close()
	topics := robotio.NewTopics()
	sim, err := c.newSim(ctx, w, topics, renderEarly, render.Tracing{}, status.Set)
	if err != nil {
		return err
	}
	defer sim.Close()
	if err := a.Follow(sim, topics); err != nil {
		return err
	}
	if c.Tour != "none" {
		if err := a.Tour(assess.TourKind(c.Tour)); err != nil {
			return console.BadInput(err)
		}
	}
	status.Close()
	result, failure := c.simulate(ctx, con, sim, a, topics)
	if result == nil {
		return failure
	}
	defer result.Close()
	if failure != nil {
		result.Stopped = failure.Error()
	} else if ctx.Err() != nil {
		result.Stopped = "interrupted"
	}
	if err := c.write(result); err != nil {
		return errors.Join(failure, err)
	}
	if c.JSON {
		err = console.WriteJSON(con.Out, result)
	} else {
		result.Words(con.Out)
		if c.Out != nil {
			fmt.Fprintf(con.Out, "page: %s\n", pageIn(*c.Out))
		}
	}
	if err != nil || failure != nil {
		return errors.Join(failure, err)
	}
	if text := cmp.Or(result.Nothing(), result.NeverStarted()); text != "" {
		return errors.New(text)
	}
	if err := c.fit(con, result); err != nil {
		return err
	}
	if n := len(result.Failed()); n > 0 {
		return fmt.Errorf("%d of %d limits of %s are not kept", n, len(result.Verdicts), w.Name)
	}
	return nil
}

// config returns the configuration of the assessment that the flags describe.
func (c *assessCmd) config(w *worlds.World) (assess.Config, error) {
	cfg := assess.Config{Visible: c.Visible, Gate: c.Gate}
	switch {
	case c.Robot != nil:
		cfg.Robot = *c.Robot
	case len(w.Robots) == 1:
		cfg.Robot = w.Robots[0].Name
	default:
		return cfg, fmt.Errorf("%s: has %d robots: --robot names the one to assess", c.World, len(w.Robots))
	}
	if c.Sensor != nil {
		cfg.Sensor = *c.Sensor
	}
	if c.Range != nil {
		cfg.Range = *c.Range
	}
	for _, text := range c.Topic {
		t, err := assess.ParseTopic(text)
		if err != nil {
			return cfg, err
		}
		cfg.Topics = append(cfg.Topics, t)
	}
	return cfg, nil
}

// simulate runs the world with its programs, or with programs that the user starts, and returns a summary of the
// robots' reports. The result is nil if the run did not start. If the run fails later, the result covers the time until
// then.
func (c *assessCmd) simulate(ctx context.Context, con console.Streams, sim *omnipitch.Sim, a *assess.Assessment,
	topics *robotio.Topics) (result *assess.Result, err error) {
	w := sim.World()
	pace := omnipitch.Pace{For: w.Test.For, Speed: w.Time.Speed}
	if c.For != nil {
		pace.For = *c.For
	}
	if c.Speed != nil {
		pace.Speed = *c.Speed
	}
	meter := console.NewMeter(con, pace.For, sim.Clock().Paused)
	defer meter.Close()
	pace.Progress = func(p omnipitch.Progress) {
		p.Sim -= a.Starting()
		meter.Show(p)
	}
	pace.Notify = func(text string) { fmt.Fprintf(con.Err, "%s: %s\n", w.Name, text) }
	run := func(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		a.Limit(pace.For, c.Within, stop)
		pace.For = 0
		report, err := sim.Run(ctx, pace)
		if sim.Truth().Time > 0 {
			result = a.Finish()
			if report != nil {
				result.Verdicts = report.Verdicts
			}
		}
		return report, err
	}
	if programs.Started(w, c.Programs) {
		if c.Rosbridge != "" || c.Foxglove != "" || c.Listen != nil {
			return nil, console.BadInputf("--programs: has a master of its own: not with --rosbridge, --foxglove or " +
				"--listen; start the vision yourself with these")
		}
		if len(w.Time.WaitFor) > 0 && c.Speed == nil {
			pace.Speed = timesync.Lockstep
		}
		pace.Speed = programs.Speed(w, pace.Speed)
		_, err = programs.Run(ctx, sim, pace, programs.Options{Topics: topics, Errs: io.Discard,
			Line: newLinePrinter(con.Notes()).printFrom, Run: run})
	} else {
		if text := programs.NotStarted(w); text != "" {
			fmt.Fprintf(con.Err, "%s: %s\n", w.Name, text)
		}
		err = c.serve(ctx, con, sim, pace, topics, run)
	}
	if err == nil && result == nil {
		err = console.ErrInterrupted
	}
	return result, err
}

// serve runs the world for programs that the user starts.
func (c *assessCmd) serve(ctx context.Context, con console.Streams, sim *omnipitch.Sim, pace omnipitch.Pace,
	topics *robotio.Topics,
	run func(context.Context, omnipitch.Pace) (*omnipitch.Report, error)) error {
	server, err := serve.Open(ctx, con, sim.World(), sim, robotio.Options{Topics: topics}, c.Flags, c.Access)
	if err != nil {
		return err
	}
	defer server.Close()
	defer sim.Close() // closed first, because this ends service calls that wait for a step
	ctx, stop := server.Watch(ctx)
	defer stop(nil)
	if _, err = run(ctx, pace); err == nil {
		err = server.ShutDown(ctx)
	}
	return err
}

// fit fits the error model and writes it into the file of --fit. It does nothing without --fit.
func (c *assessCmd) fit(con console.Streams, result *assess.Result) error {
	if c.Fit == nil {
		return nil
	}
	fit, err := result.Fit()
	if err == nil {
		err = page.WriteFile(*c.Fit, fit.WriteTOML)
	}
	if err != nil {
		return fmt.Errorf("--fit: %w", err)
	}
	fmt.Fprintf(con.Notes(), "error model of %s.%s: %s\n", fit.Robot, fit.Sensor, *c.Fit)
	return nil
}

// Names of the files of an assessment.
const (
	pageFile    = "page.html"
	samplesFile = "samples.csv"
	summaryFile = "summary.json"
)

func pageIn(dir string) string { return dir + "/" + pageFile }

// assessed is the result of an assessment.
type assessed interface {
	WritePage(io.Writer) error
	WriteCSV(io.Writer) error
}

// write writes the files into the folder of --out. It does nothing without --out.
func (c *assessCmd) write(result assessed) error {
	if c.Out == nil {
		return nil
	}
	out, err := output.Open("--out", *c.Out, c.Overwrite)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{pageFile, result.WritePage}, {samplesFile, result.WriteCSV},
		{summaryFile, func(w io.Writer) error { return console.WriteJSON(w, result) }},
	} {
		err = errors.Join(err, out.Write(f.name, f.write))
	}
	return errors.Join(err, out.Close())
}
