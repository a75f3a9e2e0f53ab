package reproduce

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
)

// Experiment is one experiment of a paper.
type Experiment struct {
	Name   string // on the command line, and in file names
	Title  string
	Source string // the paper, with section or figure
	World  string // the shipped world that it uses
	Setup  string // a few sentences on the paper's method and ours
	run    func(context.Context, *Trial) error
}

// Experiments returns all experiments, in the order of the report.
func Experiments() []*Experiment {
	return []*Experiment{
		forecast,
		ballVision,
		circle,
		ramp,
		path,
		dribble,
		transport,
		cardPlaces,
		cardSpeeds,
		passing,
	}
}

// Find returns the experiment with a name.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range Experiments() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("%q: must be among %s", name, joined(names))
}

// Trial is one execution of an experiment: its parameters and its results.
type Trial struct {
	Quick    bool                // fewer seeds, passes and images: a sixth of the time, and wider intervals
	Progress func(share float64) // is called with the completed fraction, 0 to 1; must not be nil

	world string
	seed  *uint64
	brief bool            // takes even less time than Quick, for tests
	cache omnipitch.Cache // cache that the trial's simulations share
	Outcome
}

// Outcome is the result of an experiment.
type Outcome struct {
	Findings []Finding         `json:"findings"`
	Notes    []string          `json:"notes,omitempty"` // paragraphs that explain the findings
	Plots    []experiment.Plot `json:"-"`
}

// Load reads the trial's world. It adds the argument draw to the seed, which is the world's own or the requested one.
func (t *Trial) Load(draw int) (*worlds.World, error) {
	w, err := t.load(draw)
	if err != nil {
		return nil, console.BadInput(err)
	}
	return w, nil
}

func (t *Trial) load(draw int) (*worlds.World, error) {
	if t.seed == nil {
		w, err := worlds.Load(t.world)
		if err != nil || draw == 0 {
			return w, err
		}
		t.seed = &w.Seed
	}
	return worlds.LoadWithSeed(t.world, *t.seed+uint64(draw))
}

// Add adds a finding.
func (t *Trial) Add(f Finding) { t.Findings = append(t.Findings, f) }

// Note adds a paragraph.
func (t *Trial) Note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// Plot adds a plot.
func (t *Trial) Plot(p experiment.Plot) { t.Plots = append(t.Plots, p) }
