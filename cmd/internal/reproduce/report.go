package reproduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Config selects the experiments and their parameters.
type Config struct {
	Names []string // of experiments; empty means all
	// World replaces the world of the experiment: a path, or the name of a shipped world. It requires that there is
	// only one experiment. "" means the experiment's own world.
	World   string
	Seed    *uint64                                          // seed of all worlds; nil: each world's own seed
	Quick   bool                                             // see Trial
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
func (c *Config) Run(ctx context.Context) (*Report, error) { return c.carryOut(ctx, Experiments()) }

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
		err := e.run(ctx, t)
		if ctx.Err() != nil {
			return report, errors.Join(append(failed, ctx.Err())...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", e.Name, err))
			continue
		}
		report.Trials = append(report.Trials, &Done{Name: e.Name, Title: e.Title, Source: e.Source, World: t.world,
			Seed: c.Seed, Setup: e.Setup,
			Seconds: time.Since(begun).Seconds(), Outcome: t.Outcome})
	}
	return report, errors.Join(failed...)
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
