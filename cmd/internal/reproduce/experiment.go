// Package reproduce repeats experiments of papers on soccer robots and their simulators, and compares the results with
// the papers.
//
// Each experiment has its own file, a row in Experiments, and a section in texts.md. It loads its world from a Trial,
// runs it, and adds findings and plots. All values are measured, so another world gives other values. A Report contains
// the results. It can be written as an HTML page, as Markdown with plots, or as JSON.
//
// Positions are in metres in the map, angles in radians; findings name their units. For a given seed, everything but
// wall time is reproducible to the last bit.
package reproduce

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
)

// Experiment is one experiment of a paper.
type Experiment struct {
	Name   string // name on the command line and in file names
	Title  string
	Source string // the paper, with section or figure
	World  string // the shipped world that it uses
	run    func(context.Context, *Trial) error
}

// Experiments lists all experiments, in the order of the report.
var Experiments = []*Experiment{
	{"levels", "How much speed each level gains", "Beck et al. 2008, section 5.2", "ten-robots", runLevels},
	{"forecast", "How long sim time will take", "Beck et al. 2008, section 5.1 and figure 4", "forecasts", runForecast},
	{"vision", "The robot's own vision finds the ball in synthetic images",
		"Beck et al. 2008, section 4 and figure 2 (b)", "ball-search", runVision},
	{"scan", "A robot locates itself and avoids collisions by a laser scanner",
		"Beck et al. 2008, section 4 and figure 5 (b)", "laser-course", runScan},
	{"circle", "A robot drives circles", "Zhou et al., Simatch, section VII.A", "simatch-circle", runCircle},
	{"ramp", "A differential drive answers a ramp of velocity", "Beck et al. 2008, section 4 and figure 3",
		"velocity-ramp", runRamp},
	{"path", "A robot tracks a path at up to 3.25 m/s", "Xiao et al. 2017, section 4.3 and figure 13", "path-tracking",
		runPath},
	{"avoid", "A robot drives smoothly among obstacles", "Xiao et al. 2017, section 4.3", "obstacle-course", runAvoid},
	{"localise", "A robot locates itself", "Xiao et al. 2017, section 4.1 and figure 11", "localisation", runLocalise},
	{"lobs", "A goalkeeper goes to where lobs come down", "Xiao et al. 2017, sections 3.2 and 4.2", "lobs", runLobs},
	{"dribble", "A robot keeps the ball, or loses it", "Xiao et al. 2017, section 6.4", "dribbling-methods",
		runDribble},
	{"transport", "How long messages take between nodes", "Bestmann 2017, section 6.3 and figure 6.6", "nubot-attack",
		runTransport},
	{"load", "What the nodes of motion cost", "Bestmann 2017, section 6.3 and figure 6.5", "humanoids", runLoad},
	{"card-places", "A robot is seen by its colour cards", "Dai et al., communication-less cooperation, section 5.1",
		"color-cards", runCardPlaces},
	{"card-speeds", "A robot that drives is seen by its colour cards",
		"Dai et al., communication-less cooperation, section 5.2", "color-cards", runCardSpeeds},
	{"passing", "Two robots pass without communication", "Dai et al., section 5.3, figure 8",
		"technical-challenge-refbot", runPassing},
}

// textFile has a section for each experiment. Its first paragraph describes the paper's method and ours; further
// paragraphs are notes below the findings.
//
//go:embed texts.md
var textFile string

// texts returns the paragraphs of an experiment in textFile. setup describes the experiment in the paper and here.
func (e *Experiment) texts() (setup string, notes []string) {
	_, section, _ := strings.Cut("\n"+textFile, "\n# "+e.Name+"\n")
	section, _, _ = strings.Cut(section, "\n# ")
	all := strings.Split(strings.TrimSpace(section), "\n\n")
	return all[0], all[1:]
}

// Find returns the experiment with the given name.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range Experiments {
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

// Verdict is the relation of a finding to the paper.
type Verdict string

const (
	Reproduced Verdict = "reproduced" // the paper's value, within the tolerance in Rule, or its trend
	Better     Verdict = "better"     // an error or a delay is less than the paper's
	Absent     Verdict = "absent"     // an error is so small that what caused the paper's is missing here
	Differs    Verdict = "differs"    // neither reproduced nor better; Why gives the reason
	Beside     Verdict = "beside"     // the paper has no such value; the finding helps to explain others
)

// Finding is a measured value. It can also represent a trend, which holds if the value satisfies Rule.
type Finding struct {
	Name      string
	Value     float64
	Unit      string
	Low, High float64 // ends of the 95 % interval; both 0 if there is no interval
	Reported  string  // the paper's value with its unit, or ""
	Rule      string  // which values have the verdict, such as "at most 2.25 cm"
	Verdict   Verdict
	Why       string // an explanation
}

// absentBelow is the part of the paper's value below which an error is absent.
const absentBelow = 1e-3

// AtMost judges a value that should be small. A value up to the paper's value is better, or absent if it is far below,
// and a value up to twice the paper's value is reproduced.
func AtMost(name string, value, reported float64, unit string) Finding {
	f := Finding{Name: name, Value: value, Unit: unit, Reported: number(reported) + " " + unit, Verdict: Differs,
		Rule: "up to twice as much is reproduced"}
	switch {
	case value < absentBelow*reported:
		f.Verdict, f.Rule = Absent, "what caused the paper's error is missing here"
	case value <= reported:
		f.Verdict, f.Rule = Better, ""
	case value <= 2*reported:
		f.Verdict = Reproduced
	}
	return f
}

// Trend judges whether a trend that the paper describes in words holds. It does not hold if the value is NaN.
func Trend(name string, value float64, unit, reported, rule string, holds bool) Finding {
	f := Finding{Name: name, Value: value, Unit: unit, Reported: reported, Rule: rule, Verdict: Differs}
	if holds && !math.IsNaN(value) {
		f.Verdict = Reproduced
	}
	return f
}

// Aside returns a value without a counterpart in the paper.
func Aside(name string, value float64, unit string) Finding {
	return Finding{Name: name, Value: value, Unit: unit, Verdict: Beside}
}

// because returns the finding with an explanation.
func (f Finding) because(format string, args ...any) Finding {
	f.Why = fmt.Sprintf(format, args...)
	return f
}

// within returns the finding with a 95 % interval. It leaves out an interval that is NaN.
func (f Finding) within(low, high float64) Finding {
	if !math.IsNaN(low + high) {
		f.Low, f.High = low, high
	}
	return f
}

// Found formats the value with its unit and interval.
func (f Finding) Found() string {
	text := number(f.Value)
	if f.Low != 0 || f.High != 0 {
		text += fmt.Sprintf(" (%s to %s)", number(f.Low), number(f.High))
	}
	return strings.TrimSpace(text + " " + f.Unit)
}

// MarshalJSON omits empty fields, and writes null for NaN and infinity.
func (f Finding) MarshalJSON() ([]byte, error) {
	m := struct {
		Name     string      `json:"name"`
		Value    *float64    `json:"value"`
		Unit     string      `json:"unit,omitempty"`
		Interval *[2]float64 `json:"interval,omitempty"`
		Reported string      `json:"reported,omitempty"`
		Rule     string      `json:"rule,omitempty"`
		Verdict  Verdict     `json:"verdict"`
		Why      string      `json:"why,omitempty"`
	}{f.Name, nil, f.Unit, nil, f.Reported, f.Rule, f.Verdict, f.Why}
	if !math.IsNaN(f.Value) && !math.IsInf(f.Value, 0) {
		m.Value = &f.Value
	}
	if (f.Low != 0 || f.High != 0) && !math.IsInf(f.Low, 0) && !math.IsInf(f.High, 0) {
		m.Interval = &[2]float64{f.Low, f.High}
	}
	return json.Marshal(m)
}

// number returns a value as text with three digits.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1000 && a < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a > 0 && a < 1e-6: // rounding errors, below any measurement
		return "< 0.000001"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// joined lists names.
func joined(names []string) string { return strings.Join(names, ", ") }

// start starts a simulation of the trial's world, without workers for sensors.
func (t *Trial) start() (*omnipitch.Sim, error) {
	w, err := t.Load(0)
	if err != nil {
		return nil, err
	}
	return omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
}

// steps advances a simulation until the given sim time. It calls the function before, if not nil, ahead of each step,
// and the function after at the end of each step.
func steps(ctx context.Context, sim *omnipitch.Sim, until time.Duration, before func() error, after func()) error {
	for sim.Truth().Time < until {
		if err := ctx.Err(); err != nil {
			return err
		}
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		if err := sim.Step(); err != nil {
			return err
		}
		after()
	}
	return nil
}

// unfit returns an error that explains why an experiment cannot use a world.
func (t *Trial) unfit(format string, args ...any) error {
	return console.BadInputf("world %s: "+format, append([]any{t.world}, args...)...)
}
