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
	drawing
	Worlds        []string       `arg:"" name:"world" help:"Names of shipped worlds, or paths."`
	Seeds         suite.Seeds    `placeholder:"SEEDS" help:"Seeds that each world runs with: 1..100, 7, or 1,5,9. Default: the world's own."`
	Jobs          *int           `placeholder:"N" help:"How many runs go on at once. Default: one for each core."`
	For           *time.Duration `placeholder:"DURATION" help:"Sim time of a run, such as 10s; default: the world's for_s. A run ends sooner when all its expectations are decided."`
	Level         []string       `placeholder:"ROBOT.SENSOR=LEVEL" sep:"none" help:"Put a sensor on a level, as run --level does; may be given several times."`
	Programs      *bool          `negatable:"" help:"Start the programs that worlds name, for each run its own, with your rights: do so with worlds alone that you trust. Default: those of worlds that ship."`
	WithoutExpect bool           `help:"Run worlds without [[expect]] too: they pass if they run without an error."`
	JUnit         *string        `name:"junit" placeholder:"FILE" help:"Write a JUnit report into FILE, for Jenkins or GitLab."`
	Out           *string        `placeholder:"DIR" help:"Write pictures of the first failures of each world into DIR, a new or an empty folder: the field from above and what robots see."`
	Record        bool           `help:"With --out: keep a recording of each run that fails in DIR, which omnipitch replay shows again; [record] of the world says whether it has exact states."`
	Overwrite     bool           `help:"With --out: remove what an earlier run has written into DIR, if nothing else is in it."`
	JSON          bool           `name:"json" help:"Print the outcome as one JSON object."`
}

// Check judges what the flags say by themselves.
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
		Again: c.again(), Beside: onWires}
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
	if c.JUnit != nil { // what cannot be written is better known before
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
		fmt.Fprintf(con.Err, "results in a browser: omnipitch replay %s\n", console.Quote(*c.Out))
	}
	return verdict(outcome)
}

// mayReplace refuses a file for the report that holds something else: a world, as in --junit tests/*.toml, where the
// shell puts one there.
func mayReplace(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // opening it says more; reading a pipe would wait
	}
	file, err := os.Open(path)
	if err != nil {
		return console.BadInputf("--junit: %w", err)
	}
	defer file.Close()
	if !suite.IsJUnit(file) {
		return console.BadInputf("--junit = %q: is there and is no JUnit report, so it is not overwritten: remove it, or name another file", path)
	}
	return nil
}

// load reads the worlds, as the flags change them.
func (c *testCmd) load(ctx context.Context, con console.Streams, config *suite.Config) error {
	var wrong []error
	for _, name := range c.Worlds {
		w, err := loadWorld(ctx, name, nil)
		if err == nil {
			err = c.changed(w)
		}
		if err == nil && len(w.Expect) == 0 && !c.WithoutExpect {
			err = console.BadInputf("%s: has no [[expect]], so nothing is tested; --without-expect runs it all the same", name)
		}
		if err == nil && len(w.Programs) > 0 && !programs.Started(w, c.Programs) {
			err = console.BadInputf("%s: %s", name, programs.NotStarted(w))
		}
		if errors.Is(err, console.ErrInterrupted) {
			return err
		}
		if err == nil {
			if text := notFollowed(w, "test"); text != "" {
				fmt.Fprintf(con.Err, "%s: %s\n", name, text)
			}
			if slices.ContainsFunc(w.Robots, func(r worlds.Robot) bool { return r.Radio != nil && r.Radio.UDP != nil }) {
				fmt.Fprintf(con.Err, "%s: test carries no datagrams of UDP: programs that tell their mates so are heard by none\n", name)
			}
		}
		wrong = append(wrong, err)
		config.Worlds = append(config.Worlds, suite.World{Argument: name, World: w})
	}
	return errors.Join(wrong...)
}

// changed applies flags to a world, and reports what it breaks then.
func (c *testCmd) changed(w *worlds.World) error {
	if err := c.change(w); err != nil {
		return err
	}
	if err := w.Locate(w.Validate()); err != nil { // what holds at other levels alone
		return console.BadInputf("with --level: %w", err)
	}
	return nil
}

// change applies flags to a world.
func (c *testCmd) change(w *worlds.World) error { return applyLevels(w, "--level", c.Level) }

// again returns the flags that a run is to be repeated with.
func (c *testCmd) again() (flags []string) {
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

// onWires has runs of worlds that name programs or topics go on beside a master of their own: in lockstep with the
// robots that the world waits for, if it starts programs, else at the world's speed, since wires cannot keep up with
// max.
func onWires(w *worlds.World, opts *omnipitch.Options) suite.Simulate {
	if len(w.Programs) == 0 && len(w.Topics()) == 0 {
		return nil
	}
	topics := robotio.NewTopics()
	opts.Topics = topics
	return func(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, run func(context.Context, omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error) {
		if pace.Speed = w.Time.Speed; len(w.Programs) > 0 && len(w.Time.WaitFor) > 0 {
			pace.Speed = timesync.Lockstep
		}
		return programs.Run(ctx, sim, pace, programs.Options{Topics: topics, Errs: io.Discard, Run: run})
	}
}

// verdict is the error of a suite in which not all runs have passed.
func verdict(o *suite.Outcome) error {
	for i := range o.Worlds {
		for k := range o.Worlds[i].Results {
			// What the machine or the user is to blame for is no verdict.
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
