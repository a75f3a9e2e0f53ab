package reproduce

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/page"
)

// Config selects the experiments and their parameters.
type Config struct {
	Names []string // names of experiments; empty means all
	// World replaces the world of the experiment: a path, or the name of a shipped world. Exactly one experiment must
	// then be selected. "" means the experiment's own world.
	World   string
	Seed    *uint64                                          // seed of all worlds; nil: each world's own seed
	Quick   bool                                             // see Trial
	Idle    bool                                             // fail if other programs use the processors meanwhile
	Machine string                                           // description of the machine for the report
	Begin   func(*Experiment) (progress func(share float64)) // called at the start of each experiment; may be nil
}

// Validate checks the configuration.
func (c *Config) Validate() error {
	seen := map[string]bool{}
	for _, name := range c.Names {
		if _, err := Find(name); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%q: is named twice", name)
		}
		seen[name] = true
	}
	if c.World != "" && len(c.Names) != 1 {
		return errors.New("another world: needs the name of the one experiment that is to run in it")
	}
	return nil
}

// Report contains the results of all experiments.
type Report struct {
	Machine string  `json:"machine"`
	Quick   bool    `json:"quick,omitempty"`
	Trials  []*Done `json:"experiments"`
}

// Done is a completed experiment.
type Done struct {
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Source  string  `json:"source"`
	World   string  `json:"world"`
	Seed    *uint64 `json:"seed,omitempty"` // missing if the seed is the world's own
	Setup   string  `json:"-"`
	Seconds float64 `json:"seconds"` // wall time
	Outcome
}

// Run runs experiments one after the other. After a failure it continues with the next: it returns all results and all
// errors. When ctx ends, it returns the results so far.
func (c *Config) Run(ctx context.Context) (*Report, error) { return c.carryOut(ctx, Experiments) }

func (c *Config) carryOut(ctx context.Context, all []*Experiment) (*Report, error) {
	report := &Report{Machine: c.Machine, Quick: c.Quick, Trials: []*Done{}}
	var failed []error
	for _, e := range all {
		if len(c.Names) > 0 && !slices.Contains(c.Names, e.Name) {
			continue
		}
		progress := func(float64) {}
		if c.Begin != nil {
			progress = c.Begin(e)
		}
		t := &Trial{Quick: c.Quick, Progress: progress, world: e.World, seed: c.Seed}
		if c.World != "" {
			t.world = c.World
		}
		begun := time.Now()
		err := c.execute(ctx, e, t)
		if ctx.Err() != nil {
			return report, errors.Join(append(failed, ctx.Err())...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", e.Name, err))
			continue
		}
		setup, notes := e.texts()
		t.Notes = append(t.Notes, notes...)
		report.Trials = append(report.Trials, &Done{Name: e.Name, Title: e.Title, Source: e.Source, World: t.world,
			Seed: c.Seed, Setup: setup, Seconds: time.Since(begun).Seconds(), Outcome: t.Outcome})
	}
	return report, errors.Join(failed...)
}

// execute runs an experiment. If the machine must be idle, it waits until it is, and checks that it was.
func (c *Config) execute(ctx context.Context, e *Experiment, t *Trial) error {
	if c.Idle {
		if err := waitIdle(ctx); err != nil {
			return err
		}
	}
	before := machineUsage()
	if err := e.run(ctx, t); err != nil {
		return err
	}
	if others := othersSince(before); c.Idle && others > busy {
		return tooBusy(others)
	}
	return nil
}

// Count returns the number of findings with a verdict.
func (r *Report) Count(v Verdict) (n int) {
	for _, t := range r.Trials {
		for _, f := range t.Findings {
			if f.Verdict == v {
				n++
			}
		}
	}
	return n
}

// PlotFile returns the file name of an experiment's plot.
func (d *Done) PlotFile(plot string) string { return "reproduce-" + d.Name + "-" + plot + ".png" }

// WriteMarkdown writes the report as a page for the docs, with plots as separate files.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := &strings.Builder{}
	b.WriteString("# Results\n\n" +
		"This page compares results of papers on soccer robots and their simulators with results of Omnipitch. " +
		"`omnipitch reproduce` ran each experiment in an included world, and wrote this page. " +
		"[Reproduce](reproduce.md) describes the command and the verdicts.\n\n")
	fmt.Fprintf(b, "%s. %d of the papers' values and trends are reproduced, %d are better, %d differ, and %d errors are "+
		"absent.\n", r.Machine, r.Count(Reproduced), r.Count(Better), r.Count(Differs), r.Count(Absent))
	if r.Quick {
		b.WriteString("\nMade with `--quick`: with fewer repetitions than the page of docs.\n")
	}
	b.WriteString("\n| experiment | source | world |\n| --- | --- | --- |\n")
	for _, d := range r.Trials {
		fmt.Fprintf(b, "| [%s](#%s): `omnipitch reproduce %s` | %s | `%s` |\n", d.Title, anchor(d.Title), d.Name,
			d.Source, d.World)
	}
	for _, d := range r.Trials {
		fmt.Fprintf(b, "\n## %s\n%s\n\n| | paper | here | verdict |\n| --- | --- | --- | --- |\n", d.Title, d.Setup)
		for _, f := range d.Findings {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(f.Name), cell(f.Reported), cell(f.Found()),
				cell(f.verdict()))
		}
		for _, text := range d.Notes {
			fmt.Fprintf(b, "\n%s\n", text)
		}
		for i := range d.Plots {
			p := &d.Plots[i]
			fmt.Fprintf(b, "\n<img src=\"%s\" width=\"600\" alt=\"%s\">\n", d.PlotFile(p.Name), p.Title)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdict formats the verdict with its rule and explanation.
func (f Finding) verdict() string {
	text := string(f.Verdict)
	if f.Rule != "" {
		text += " (" + f.Rule + ")"
	}
	if f.Why != "" {
		text += ": " + f.Why
	}
	return text
}

// cell escapes a text for a table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// anchor returns the link target of a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return -1
	}, strings.ToLower(title))
}

//go:embed page.html
var pageText string

var report = page.New(pageText, template.FuncMap{
	"charts":  func(d *Done) ([]page.Chart, error) { return page.Charts(d.Plots) },
	"verdict": Finding.verdict,
	"seconds": func(s float64) string { return fmt.Sprintf("%.0f s", s) },
})

// WritePage writes the report as an HTML page that needs no other file.
func (r *Report) WritePage(w io.Writer) error {
	return report.Execute(w, struct {
		*Report
		Reproduced, Better, Differs, Absent int
	}{r, r.Count(Reproduced), r.Count(Better), r.Count(Differs), r.Count(Absent)})
}
