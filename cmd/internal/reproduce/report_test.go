package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestVerdicts checks that a verdict depends on the value alone, and that NaN is never reproduced.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		f    Finding
		want Verdict
	}{
		{AtMost("a", 1, 2, "cm"), Better},
		{AtMost("a", 2, 2, "cm"), Better},
		{AtMost("a", 0.0021, 2, "cm"), Better},
		{AtMost("a", 0.0019, 2, "cm"), Absent},
		{AtMost("a", 3, 2, "cm"), Reproduced},
		{AtMost("a", 4.1, 2, "cm"), Differs},
		{AtMost("a", math.NaN(), 2, "cm"), Differs},
		{AtMost("a", math.Inf(1), 2, "cm"), Differs},
		{Trend("a", 1, "", "grows", "", true), Reproduced},
		{Trend("a", 1, "", "grows", "", false), Differs},
		{Trend("a", math.NaN(), "", "grows", "", true), Differs},
		{Aside("a", 1, ""), Beside},
		{Aside("a", math.NaN(), ""), Beside},
	} {
		if c.f.Verdict != c.want {
			t.Errorf("%+v: want %s", c.f, c.want)
		}
	}
}

// told returns an experiment that runs a given function.
func told(name string, run func(ctx context.Context, t *Trial) error) *Experiment {
	return &Experiment{Name: name, Title: "Title of " + name, Source: "a paper", World: "planar", run: run}
}

// fine adds a finding of each kind.
func fine(_ context.Context, t *Trial) error {
	t.Add(AtMost("error | of a", 0.5, 1, "cm").within(0.25, 0.75))
	t.Add(Trend("grows <b>", 12.5, "%", "it grows", "at least 10 %", true))
	t.Add(Trend("shrinks", 3, "", "it shrinks", "", false).because("the floor & the ball"))
	t.Add(Aside("no number", math.NaN(), "m").within(math.NaN(), math.NaN()))
	t.Note("A note about %s.", "something")
	t.Plot(experiment.Plot{Name: "curve", Title: "A curve", Curves: []experiment.Curve{{Name: "one", X: []float64{0, 1},
		Y: []float64{1, 2}}}})
	t.Plot(experiment.Plot{Name: "empty", Title: "What never came", LogY: true,
		Curves: []experiment.Curve{{Name: "none"}}})
	return nil
}

// TestReportHasEverything checks that the page, the Markdown and the JSON have every finding, note and plot.
func TestReportHasEverything(t *testing.T) {
	report, err := (&Config{Machine: "a machine"}).carryOut(t.Context(), []*Experiment{told("first", fine),
		told("second", fine)})
	must.Do(t, err)
	for v, want := range map[Verdict]int{Reproduced: 2, Better: 2, Differs: 2, Beside: 2} {
		if got := report.Count(v); got != want {
			t.Errorf("%d findings are %s, want %d", got, v, want)
		}
	}
	var page, markdown strings.Builder
	must.Do(t, errors.Join(report.WritePage(&page), report.WriteMarkdown(&markdown)))
	text := html.UnescapeString(page.String())
	for _, d := range report.Trials {
		for _, f := range d.Findings {
			for _, want := range []string{f.Name, f.Found(), f.Reported, f.Why} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not on the page", want)
				}
				if !strings.Contains(markdown.String(), strings.ReplaceAll(want, "|", "\\|")) {
					t.Errorf("%q is not in the Markdown", want)
				}
			}
		}
		for _, want := range []string{d.Title, d.Notes[0]} {
			if !strings.Contains(text, want) || !strings.Contains(markdown.String(), want) {
				t.Errorf("%q is missing", want)
			}
		}
		if !strings.Contains(markdown.String(), d.PlotFile("curve")) || strings.Contains(text, "<b>") != true ||
			strings.Contains(page.String(), "grows <b>") {
			t.Error("the plot is missing, or a name is not escaped")
		}
	}
	must.Equal(t, strings.Count(page.String(), "<svg"), 4, "plots on the page")
	data, err := json.Marshal(report)
	must.Do(t, err)
	var read struct {
		Experiments []struct {
			Name     string
			Findings []struct {
				Name, Verdict string
				Value         *float64
				Interval      *[2]float64
			}
		}
	}
	must.Do(t, json.Unmarshal(data, &read))
	if len(read.Experiments) != 2 || len(read.Experiments[1].Findings) != 4 {
		t.Fatalf("%s", data)
	}
	f := read.Experiments[1].Findings
	if f[0].Interval == nil || f[0].Interval[1] != 0.75 || *f[1].Value != 12.5 || f[2].Verdict != "differs" ||
		f[3].Value != nil {
		t.Errorf("%s", data)
	}
}

// TestRunGoesOnAndIsInterrupted checks that a failed experiment does not stop the others. An interrupted run must leave
// earlier results unchanged.
func TestRunGoesOnAndIsInterrupted(t *testing.T) {
	broken := errors.New("broken")
	var begun []string
	config := &Config{Begin: func(e *Experiment) func(float64) {
		begun = append(begun, e.Name)
		return func(float64) {}
	}}
	report, err := config.carryOut(t.Context(), []*Experiment{told("first", fine),
		told("second", func(context.Context, *Trial) error { return broken }), told("third", fine)})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "second: ") || len(report.Trials) != 2 ||
		report.Trials[1].Name != "third" || len(begun) != 3 {
		t.Errorf("%v, %d experiments, begun: %v", err, len(report.Trials), begun)
	}
	ctx, cancel := context.WithCancel(t.Context())
	report, err = config.carryOut(ctx, []*Experiment{told("first", fine),
		told("second", func(ctx context.Context, t *Trial) error {
			cancel()
			return ctx.Err()
		}), told("third", fine)})
	if !errors.Is(err, context.Canceled) || len(report.Trials) != 1 || report.Trials[0].Name != "first" {
		t.Errorf("%v, %d experiments", err, len(report.Trials))
	}
}

// TestConfigValidate checks that names and worlds are validated before anything runs.
func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		Config
		want string
	}{
		{Config{}, ""},
		{Config{Names: []string{"ramp", "path"}}, ""},
		{Config{Names: []string{"ramps"}}, `"ramps": must be among levels, forecast, `},
		{Config{Names: []string{"ramp", "ramp"}}, "named twice"},
		{Config{World: "planar"}, "needs the name of the one experiment"},
		{Config{Names: []string{"ramp", "path"}, World: "planar"}, "needs the name of the one experiment"},
		{Config{Names: []string{"ramp"}, World: "planar"}, ""},
	} {
		err := c.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.Names, err, c.want)
		}
	}
}
