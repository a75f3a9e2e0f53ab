package suite

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
)

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

// JSON returns the result of the run in the form of omnipitch test --json.
func (r *Result) JSON() RunResult {
	j := RunResult{
		Seed: r.Seed, Passed: !r.Failed(), Sim: r.Sim.Seconds(), Steps: r.Steps, Expectations: []Expectation{},
		Pictures: r.Pictures, Recording: r.Recording,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	} else {
		j.StateHash = fmt.Sprintf("%016x", r.Hash)
	}
	for _, v := range r.Verdicts {
		j.Expectations = append(j.Expectations, Expectation{v.Name, string(v.Outcome), v.At.Seconds(), v.Expected,
			v.Was})
	}
	if r.Failed() {
		j.Again = r.Again
	}
	return j
}
