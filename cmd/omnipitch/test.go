package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
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
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

type testCmd struct {
	Worlds        []string       `arg:"" name:"world" help:"Names of built-in worlds, or paths of world files."`
	Seeds         suite.Seeds    `placeholder:"SEEDS" help:"Seeds to run each world with: 1..100, 7, or 1,5,9. Default: the world's seed."`
	Jobs          *int           `placeholder:"N" help:"Number of runs at a time. Default: one per core."`
	For           *time.Duration `placeholder:"DURATION" help:"Sim time of each run, such as 10s. A run ends earlier when all its expectations are decided. Default: the world's for_s."`
	Level         []string       `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Set the level of a sensor, as run --level does. May be repeated."`
	Programs      *bool          `negatable:"" help:"Start the programs that worlds name, separately for each run. They run with your rights, so use it only for worlds that you trust. Default: only for built-in worlds."`
	WithoutExpect bool           `help:"Also run worlds without [[expect]]. They pass if they run without an error."`
	JSON          bool           `name:"json" help:"Print the outcome as one JSON object."`

	JUnit        *string `group:"output" name:"junit" placeholder:"FILE" help:"Write a JUnit report into FILE, for Jenkins or GitLab."`
	Out          *string `group:"output" placeholder:"DIR" help:"Write images of the first failures of each world into DIR, a new or empty folder: the field from above and the cameras of the robots."`
	Record       bool    `group:"output" help:"With --out: save a recording of each failed run in DIR, for omnipitch replay. It has exact states if [record] of the world says so."`
	Overwrite    bool    `group:"output" help:"With --out: first remove the files that an earlier run wrote into DIR. Fails if DIR holds other files."`
	drawingFlags `group:"output"`
}

// Check checks the flags without reading any file.
func (c *testCmd) Check() error {
	switch {
	case c.For != nil && *c.For <= 0:
		return fmt.Errorf("--for = %v: must be longer than 0", *c.For)
	case c.Jobs != nil && (*c.Jobs < 1 || *c.Jobs > 1024):
		return fmt.Errorf("--jobs = %d: must lie in [1, 1024]", *c.Jobs)
	case len(c.Worlds)*len(c.Seeds) > suite.MostRuns:
		return fmt.Errorf("%d worlds with %d seeds each: must be at most %d runs", len(c.Worlds), len(c.Seeds),
			suite.MostRuns)
	case c.JUnit != nil && *c.JUnit == "":
		return errors.New(`--junit = "": must name a file`)
	case c.Out != nil && *c.Out == "":
		return output.NoFolder("--out")
	case c.Overwrite && c.Out == nil:
		return errors.New("--overwrite: needs --out")
	case c.Record && c.Out == nil:
		return errors.New("--record: needs --out")
	}
	return nil
}

func (c *testCmd) Run(ctx context.Context, con console.Streams) error {
	config := suite.Config{Seeds: c.Seeds, Jobs: runtime.NumCPU(), Change: c.change, Renderer: c.Renderer,
		Again: c.repeatFlags(), Beside: onWires}
	if c.Jobs != nil {
		config.Jobs = *c.Jobs
	}
	if c.For != nil {
		config.For = *c.For
	}
	if c.JUnit != nil {
		if err := mayReplace(*c.JUnit); err != nil {
			return err
		}
	}
	if err := c.load(ctx, con, &config); err != nil {
		return err
	}
	if slices.ContainsFunc(config.Worlds, func(w suite.World) bool { return len(w.Programs)+len(w.Topics()) > 0 }) {
		if err := serve.NeedOpenFiles(uint64(config.Jobs) * programs.OpenFiles); err != nil {
			return err
		}
	}
	if c.Out != nil {
		out, err := output.Open("--out", *c.Out, c.Overwrite)
		if err != nil {
			return err
		}
		defer out.Close()
		config.Out = out
	}
	if c.Record {
		instructions, err := backend.Instructions()
		if err != nil {
			return console.BadInput(err)
		}
		config.Record = &recorder.Config{Program: version(), Instructions: instructions}
	}
	if c.JUnit != nil { // fail now rather than after all runs
		file, err := os.OpenFile(*c.JUnit, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return console.BadInputf("--junit: %w", err)
		}
		file.Close()
	}
	counter := console.NewCounter(con, len(config.Worlds)*max(len(config.Seeds), 1))
	outcome := config.Run(ctx, counter.Show)
	counter.Close()
	if c.JUnit != nil {
		var report bytes.Buffer
		if err := errors.Join(outcome.PrintJUnit(&report), os.WriteFile(*c.JUnit, report.Bytes(), 0o644)); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if config.Out != nil {
		if err := config.Out.Write(suite.ResultsFile, outcome.PrintJSON); err != nil {
			return err
		}
	}
	show := outcome.Print
	if c.JSON {
		show = outcome.PrintJSON
	}
	if err := show(con.Out); err != nil {
		return err
	}
	if c.Out != nil && !c.JSON {
		fmt.Fprintf(con.Err, "to see the results in a browser: omnipitch replay %s\n", console.Quote(*c.Out))
	}
	return verdict(outcome)
}

// mayReplace returns an error if the file at path exists and is no JUnit report, so that it is not overwritten by
// mistake. With --junit tests/*.toml, for instance, the shell inserts the path of a world file.
func mayReplace(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it gives a better error; reading a pipe would block
	}
	file, err := os.Open(path)
	if err != nil {
		return console.BadInputf("--junit: %w", err)
	}
	defer file.Close()
	if !suite.IsJUnit(file) {
		return console.BadInputf("--junit = %q: exists and is no JUnit report: remove it, or name another file", path)
	}
	return nil
}

// load reads the worlds, applies the flags to them, and adds them to config.
func (c *testCmd) load(ctx context.Context, con console.Streams, config *suite.Config) error {
	var wrong []error
	for _, name := range c.Worlds {
		w, err := loadWorld(ctx, con, name, nil)
		if err == nil {
			err = c.changed(w)
		}
		if err == nil && len(w.Expect) == 0 && !c.WithoutExpect {
			err = console.BadInputf("%s: has no [[expect]], so nothing is tested; --without-expect runs it anyway",
				name)
		}
		if err == nil && len(w.Programs) > 0 && !programs.Started(w, c.Programs) {
			err = console.BadInputf("%s: %s", name, programs.NotStarted(w))
		}
		if errors.Is(err, console.ErrInterrupted) {
			return err
		}
		if err == nil {
			if text := ignoresRefbox(w, "test"); text != "" {
				fmt.Fprintf(con.Err, "%s: %s\n", name, text)
			}
			if slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool {
				return r.Radio != nil &&
					(r.Radio.UDP != nil || r.Radio.Mitecom != nil && r.Radio.Mitecom.BasePort > 0)
			}) {
				fmt.Fprintf(con.Err, "%s: test does not connect UDP radios: programs do not receive the datagrams of "+
					"their teammates\n", name)
			}
		}
		wrong = append(wrong, err)
		config.Worlds = append(config.Worlds, suite.World{Argument: name, World: w})
	}
	return errors.Join(wrong...)
}

// changed applies the flags to a world and validates it again.
func (c *testCmd) changed(w *worlds.World) error {
	if err := c.change(w); err != nil {
		return err
	}
	if err := w.Locate(w.Validate()); err != nil { // validate again, because some rules apply only at the new levels
		return console.BadInputf("with --level: %w", err)
	}
	return nil
}

// change applies the flags to a world.
func (c *testCmd) change(w *worlds.World) error { return applyLevels(w, "--level", c.Level) }

// repeatFlags returns the flags that a command needs to repeat a run.
func (c *testCmd) repeatFlags() (flags []string) {
	for _, level := range c.Level {
		flags = append(flags, "--level", level)
	}
	if c.For != nil {
		flags = append(flags, "--for", c.For.String())
	}
	if c.Renderer != backend.Auto {
		flags = append(flags, "--renderer", c.Renderer)
	}
	if c.Programs != nil && *c.Programs {
		flags = append(flags, "--programs")
	}
	if c.WithoutExpect {
		flags = append(flags, "--without-expect")
	}
	return flags
}

// onWires returns a function that runs a simulation with ROS 1 masters that only this run uses. It returns nil if the
// world names neither programs nor topics. If the world names programs and robots to wait for, the run is in lockstep
// with these robots. Otherwise it runs at the speed of the world, because messages cannot keep up with speed max.
func onWires(w *worlds.World, opts *omnipitch.Options) suite.Simulate {
	if len(w.Programs) == 0 && len(w.Topics()) == 0 {
		return nil
	}
	topics := robotio.NewTopics()
	opts.Topics = topics
	return func(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, run func(context.Context,
		omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error) {
		if pace.Speed = w.Time.Speed; len(w.Programs) > 0 && len(w.Time.WaitFor) > 0 {
			pace.Speed = timesync.Lockstep
		}
		return programs.Run(ctx, sim, pace, programs.Options{Topics: topics, Errs: io.Discard, Run: run})
	}
}

// verdict returns the error of the command for the outcome of a suite. It is nil if all runs passed.
func verdict(o *suite.Outcome) error {
	for i := range o.Worlds {
		for k := range o.Worlds[i].Results {
			// An error of the machine or of the input takes precedence over a failed test.
			if err := o.Worlds[i].Results[k].Err; err != nil && console.ExitCode(err) != console.ExitFailed {
				return err
			}
		}
	}
	switch c := o.Counts(); {
	case c.NotRun > 0:
		return fmt.Errorf("interrupted: %d of %d runs have not ended", c.NotRun, c.Runs)
	case c.Failed > 0:
		return fmt.Errorf("%d of %d runs failed", c.Failed, c.Runs)
	}
	return nil
}
