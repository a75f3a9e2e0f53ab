package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/cmd/internal/reproduce"
)

type reproduceCmd struct {
	Name      []string `arg:"" optional:"" help:"Names of experiments, see --list. Default: all."`
	World     *string  `placeholder:"WORLD" help:"Run the named experiment, only one, in another world: a built-in name or a path."`
	Seed      *uint64  `help:"Seed of all random numbers. Default: the seeds of the worlds."`
	Quick     bool     `help:"Use fewer seeds, images and passes. Takes a sixth of the time and gives wider confidence intervals."`
	Idle      bool     `help:"Fail if other programs use more than 5 % of the processors meanwhile, so that measured wall times are this program's own."`
	Out       *string  `placeholder:"DIR" help:"Write page.html, results.md with plots, and results.json into DIR, a new or empty folder."`
	Overwrite bool     `help:"With --out: first remove the files that an earlier run wrote into DIR. Fails if DIR holds other files."`
	List      bool     `help:"List the experiments and exit."`
	JSON      bool     `name:"json" help:"Print the results as one JSON object."`
}

// Check checks the flags without reading any file.
func (c *reproduceCmd) Check() error {
	switch {
	case c.Out != nil && *c.Out == "":
		return output.NoFolder("--out")
	case c.Overwrite && c.Out == nil:
		return errors.New("--overwrite: needs --out")
	case c.World != nil && *c.World == "":
		return errors.New(`--world = "": must name a world`)
	}
	return c.config().Validate()
}

func (c *reproduceCmd) config() *reproduce.Config {
	cfg := &reproduce.Config{Names: c.Name, Seed: c.Seed, Quick: c.Quick, Idle: c.Idle}
	if c.World != nil {
		cfg.World = *c.World
	}
	return cfg
}

// Run runs the experiments that the flags select, and prints the results.
func (c *reproduceCmd) Run(ctx context.Context, con console.Streams) error {
	if c.List {
		return c.list(con.Out)
	}
	if c.Out != nil {
		if err := output.Check("--out", *c.Out, c.Overwrite); err != nil {
			return err
		}
	}
	cfg := c.config()
	cfg.Machine = console.Machine()
	var status *console.Status // of the current experiment
	cfg.Begin = func(e *reproduce.Experiment) func(float64) {
		if status != nil {
			status.Close()
		}
		fmt.Fprintf(con.Notes(), "%s: %s\n", e.Name, e.Title)
		status = console.NewStatus(con, e.Name)
		begun := status
		begun.Set("0 % done")
		return func(share float64) { begun.Set(fmt.Sprintf("%.0f %% done", 100*share)) }
	}
	report, failure := cfg.Run(ctx)
	if status != nil {
		status.Close()
	}
	if failure != nil && ctx.Err() != nil {
		failure = errors.New("interrupted")
	}
	if failure != nil && len(report.Trials) == 0 {
		return failure
	}
	if err := c.write(report); err != nil {
		return errors.Join(failure, err)
	}
	if c.JSON {
		return errors.Join(failure, console.WriteJSON(con.Out, report))
	}
	return errors.Join(failure, printFindings(con.Out, report))
}

// list prints the experiments.
func (c *reproduceCmd) list(out io.Writer) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range reproduce.Experiments {
		fmt.Fprintf(tw, "%s\t%s\t%s\tworld %s\n", e.Name, e.Title, e.Source, e.World)
	}
	return tw.Flush()
}

// printFindings prints the results of each experiment as a table.
func printFindings(out io.Writer, report *reproduce.Report) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, d := range report.Trials {
		fmt.Fprintf(tw, "%s (%s), %.1f s\n", d.Title, d.Source, d.Seconds)
		for _, f := range d.Findings {
			fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", f.Name, f.Found(), f.Reported, f.Verdict)
		}
		tw.Flush()
	}
	_, err := fmt.Fprintf(out, "%d reproduced, %d better, %d differ, %d absent\n", report.Count(reproduce.Reproduced),
		report.Count(reproduce.Better), report.Count(reproduce.Differs), report.Count(reproduce.Absent))
	return err
}

// Names of the files of a report.
const (
	reportPage     = "page.html"
	reportMarkdown = "results.md"
	reportJSON     = "results.json"
)

// write writes the report into the folder of --out. It does nothing without --out.
func (c *reproduceCmd) write(report *reproduce.Report) error {
	if c.Out == nil {
		return nil
	}
	out, err := output.Open("--out", *c.Out, c.Overwrite)
	if err != nil {
		return err
	}
	defer out.Close()
	err = errors.Join(
		out.Write(reportPage, report.WritePage),
		out.Write(reportMarkdown, report.WriteMarkdown),
		out.Write(reportJSON, func(w io.Writer) error { return console.WriteJSON(w, report) }))
	for _, d := range report.Trials {
		for i := range d.Plots {
			path, listErr := out.List(d.PlotFile(d.Plots[i].Name))
			if err = errors.Join(err, listErr); err == nil {
				err = page.Write(path, d.Plots[i:i+1])
			}
		}
	}
	return errors.Join(err, out.Close())
}
