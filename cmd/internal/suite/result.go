package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// Result is the outcome of one run.
type Result struct {
	Seed     uint64
	Ended    bool // false if the suite was interrupted before the run ended
	Sim      time.Duration
	Steps    int64
	Hash     uint64 // hash of the last state
	Verdicts []expectation.Verdict
	// Game is nil after an error. Without a referee it is also nil while nobody has scored.
	Game     *match.Report
	Drew     backend.Choice // renderer of the images; without a name if none were rendered
	Err      error          // why the run did not reach its end
	Pictures []string       // paths of the images of the first failed expectation
	Again    string         // command line that repeats the run

	Recording string // path of the recording; empty unless the run failed
}

// Failed reports whether the run has ended and has failed.
func (r *Result) Failed() bool {
	return r.Ended && (r.Err != nil || len(r.failures()) > 0)
}

// failures returns the verdicts of all expectations that did not pass, including expectations that were never decided.
func (r *Result) failures() (all []expectation.Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != expectation.Passed {
			all = append(all, v)
		}
	}
	return all
}

// reasons returns one sentence for each reason for which the run failed.
func (r *Result) reasons() (all []string) {
	if r.Err != nil {
		all = append(all, fmt.Sprintf("the run ended at %.3f s: %v", r.Sim.Seconds(), r.Err))
	}
	for _, v := range r.failures() {
		all = append(all, v.String())
	}
	return all
}

// WorldOutcome holds the results of the runs of one world, in the order of the seeds.
type WorldOutcome struct {
	World
	Results []Result
}

// Counts holds how many runs of a world, or of a suite, there are, and how many ended in which way.
type Counts struct {
	Runs   int `json:"runs"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	NotRun int `json:"not_run"` // runs that had not ended when the suite was interrupted
}

// Counts counts the runs of a world.
func (w *WorldOutcome) Counts() Counts {
	c := Counts{Runs: len(w.Results)}
	for i := range w.Results {
		switch r := &w.Results[i]; {
		case !r.Ended:
			c.NotRun++
		case r.Failed():
			c.Failed++
		default:
			c.Passed++
		}
	}
	return c
}

// Outcome is the outcome of a suite.
type Outcome struct {
	Worlds []WorldOutcome // in the order of Config.Worlds
	Wall   time.Duration
	Notes  []string // further messages for the user, such as missing images
}

// Renderers returns each renderer that a run has used, once, with the reason of the first such run.
func (o *Outcome) Renderers() (all []backend.Choice) {
	for i := range o.Worlds {
		for k := range o.Worlds[i].Results {
			drew := o.Worlds[i].Results[k].Drew
			if drew.Name != "" && !slices.ContainsFunc(all,
				func(c backend.Choice) bool { return c.Name == drew.Name }) {
				all = append(all, drew)
			}
		}
	}
	return all
}

// Counts counts the runs of all worlds.
func (o *Outcome) Counts() (sum Counts) {
	for i := range o.Worlds {
		c := o.Worlds[i].Counts()
		sum = Counts{sum.Runs + c.Runs, sum.Passed + c.Passed, sum.Failed + c.Failed, sum.NotRun + c.NotRun}
	}
	return sum
}

// ResultsFile is the name of the file that holds the outcome of a suite.
const ResultsFile = "omnipitch-results.json"

// maxResults is the maximum size of a ResultsFile, in bytes. 128 MiB is a guess: 100,000 runs take about 50 MB.
const maxResults = 128 << 20

// Results is the outcome of a suite in the form of a ResultsFile and of omnipitch test --json.
type Results struct {
	Counts
	Wall      float64          `json:"wall_s"`
	Worlds    []WorldResults   `json:"worlds"`
	Notes     []string         `json:"notes,omitempty"`
	Renderers []backend.Choice `json:"renderers,omitempty"` // renderers of the images
}

// WorldResults is the outcome of the runs of a world.
type WorldResults struct {
	World string `json:"world"`
	Name  string `json:"name"`
	Counts
	Results []RunResult `json:"results"` // finished runs
}

// RunResult is the outcome of one run.
type RunResult struct {
	Seed         uint64        `json:"seed"`
	Passed       bool          `json:"passed"`
	Sim          float64       `json:"sim_s"`
	Steps        int64         `json:"steps"`
	StateHash    string        `json:"state_hash,omitempty"` // hash of the last state; empty after an error
	Expectations []Expectation `json:"expectations"`
	Error        string        `json:"error,omitempty"`
	Pictures     []string      `json:"pictures,omitempty"`
	Recording    string        `json:"recording,omitempty"`
	Again        string        `json:"again,omitempty"` // for a failed run: the command that repeats it
}

// Expectation is the outcome of one expectation in a run.
type Expectation struct {
	Name     string  `json:"name"`
	Outcome  string  `json:"outcome"` // passed, failed or undecided
	At       float64 `json:"at_s"`
	Expected string  `json:"expected"`
	Was      string  `json:"was,omitempty"`
	Place    string  `json:"place,omitempty"` // file and line of an expectation that did not pass
}

// ReadResults reads the JSON that PrintJSON has written.
func ReadResults(in io.Reader) (*Results, error) {
	limited := &io.LimitedReader{R: in, N: maxResults}
	r := &Results{}
	if err := json.NewDecoder(limited).Decode(r); err != nil {
		if limited.N <= 0 {
			return nil, fmt.Errorf("has more than %d bytes", maxResults)
		}
		return nil, fmt.Errorf("is not a results file of omnipitch test: %w", err)
	}
	return r, nil
}

// PrintJSON writes the outcome as one JSON object.
func (o *Outcome) PrintJSON(out io.Writer) error {
	all := Results{Counts: o.Counts(), Wall: o.Wall.Seconds(), Notes: o.Notes, Renderers: o.Renderers()}
	for i := range o.Worlds {
		w := &o.Worlds[i]
		one := WorldResults{World: w.Argument, Name: w.Name, Counts: w.Counts(), Results: []RunResult{}}
		for k := range w.Results {
			if w.Results[k].Ended {
				one.Results = append(one.Results, w.Results[k].JSON())
			}
		}
		all.Worlds = append(all.Worlds, one)
	}
	return console.WriteJSON(out, all)
}

// Expectations returns verdicts in the form of RunResult.
func Expectations(verdicts []expectation.Verdict) []Expectation {
	all := []Expectation{}
	for _, v := range verdicts {
		all = append(all, Expectation{v.Name, string(v.Outcome), v.At.Seconds(), v.Expected, v.Was, v.Place})
	}
	return all
}

// JSON returns the result of the run in the form of omnipitch test --json.
func (r *Result) JSON() RunResult {
	j := RunResult{
		Seed: r.Seed, Passed: !r.Failed(), Sim: r.Sim.Seconds(), Steps: r.Steps, Expectations: Expectations(r.Verdicts),
		Pictures: r.Pictures, Recording: r.Recording,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	} else {
		j.StateHash = fmt.Sprintf("%016x", r.Hash)
	}
	if r.Failed() {
		j.Again = r.Again
	}
	return j
}

// maxPrinted is the number of failed runs per world that Print describes in full. Of the other failed runs it lists
// only the seeds.
const maxPrinted = 20

// Print prints how many runs of each world passed and failed. Then it prints the failures, and the commands that repeat
// the failed runs.
func (o *Outcome) Print(out io.Writer) error {
	w := &console.CheckedWriter{W: out}
	for i := range o.Worlds {
		o.Worlds[i].print(w)
	}
	c := o.Counts()
	fmt.Fprintf(w, "%s in %.1f s: %s\n", counted(c.Runs, "run"), o.Wall.Seconds(), c)
	for _, note := range o.Notes {
		fmt.Fprintln(w, note)
	}
	for _, drew := range o.Renderers() {
		fmt.Fprintf(w, "renderer: %s\n", drew)
	}
	return w.Err()
}

func (w *WorldOutcome) print(out io.Writer) {
	c := w.Counts()
	fmt.Fprintf(out, "%s: %s: %s\n", w.Argument, counted(c.Runs, "run"), c)
	var left []string
	printed := 0
	for i := range w.Results {
		r := &w.Results[i]
		if !r.Failed() {
			continue
		}
		if printed == maxPrinted {
			left = append(left, strconv.FormatUint(r.Seed, 10))
			continue
		}
		printed++
		fmt.Fprintf(out, "  seed %d failed\n", r.Seed)
		for _, reason := range r.reasons() {
			fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(strings.TrimSpace(reason), "\n", "\n    "))
		}
		if len(r.Pictures) > 0 {
			fmt.Fprintf(out, "    pictures: %s\n", strings.Join(r.Pictures, " "))
		}
		if r.Recording != "" {
			fmt.Fprintf(out, "    recording: %s\n", r.Recording)
		}
		fmt.Fprintf(out, "    again: %s\n", r.Again)
	}
	if len(left) > 0 {
		fmt.Fprintf(out, "  failed too: --seeds %s\n", strings.Join(left, ","))
	}
}

// String returns a text with the number of passed runs, and with each other count that is not 0.
func (c Counts) String() string {
	parts := []string{fmt.Sprintf("%d passed", c.Passed)}
	for _, row := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.NotRun, "not run to the end"}} {
		if row.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", row.n, row.what))
		}
	}
	return strings.Join(parts, ", ")
}

// counted returns a count with its noun in the singular or plural, such as "2 runs".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// repeatCommand returns the command line that repeats a run of a world, for a POSIX shell.
func repeatCommand(w *World, seed uint64, flags []string) string {
	words := append([]string{"omnipitch", "test", w.Argument, "--seeds", strconv.FormatUint(seed, 10)}, flags...)
	for i, word := range words {
		words[i] = console.Quote(word)
	}
	return strings.Join(words, " ")
}
