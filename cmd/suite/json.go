package suite

import (
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/render/backend"
)

// outcomeJSON is an Outcome as test --json prints it.
type outcomeJSON struct {
	Counts
	Wall      float64          `json:"wall_s"`
	Worlds    []worldJSON      `json:"worlds"`
	Notes     []string         `json:"notes,omitempty"`
	Renderers []backend.Choice `json:"renderers,omitempty"` // that drew images
}

type worldJSON struct {
	World string `json:"world"`
	Name  string `json:"name"`
	Counts
	Results []resultJSON `json:"results"` // of runs that have ended
}

type resultJSON struct {
	Seed         uint64            `json:"seed"`
	Passed       bool              `json:"passed"`
	Sim          float64           `json:"sim_s"`
	Steps        int64             `json:"steps"`
	StateHash    string            `json:"state_hash,omitempty"` // of the last state; none after an error
	Expectations []expectationJSON `json:"expectations"`
	Error        string            `json:"error,omitempty"`
	Pictures     []string          `json:"pictures,omitempty"`
	Recording    string            `json:"recording,omitempty"`
	Again        string            `json:"again,omitempty"` // of a run that failed: the command that repeats it
}

type expectationJSON struct {
	Name     string  `json:"name"`
	Outcome  string  `json:"outcome"` // passed, failed or undecided
	At       float64 `json:"at_s"`
	Expected string  `json:"expected"`
	Was      string  `json:"was,omitempty"`
}

// PrintJSON writes the outcome as one JSON object.
func (o *Outcome) PrintJSON(out io.Writer) error {
	all := outcomeJSON{Counts: o.Counts(), Wall: o.Wall.Seconds(), Notes: o.Notes, Renderers: o.Renderers()}
	for i := range o.Worlds {
		w := &o.Worlds[i]
		one := worldJSON{World: w.Argument, Name: w.Name, Counts: w.Counts(), Results: []resultJSON{}}
		for k := range w.Results {
			if w.Results[k].Ended {
				one.Results = append(one.Results, w.Results[k].json())
			}
		}
		all.Worlds = append(all.Worlds, one)
	}
	return console.WriteJSON(out, all)
}

func (r *Result) json() resultJSON {
	j := resultJSON{
		Seed: r.Seed, Passed: !r.Failed(), Sim: r.Sim.Seconds(), Steps: r.Steps, Expectations: []expectationJSON{}, Pictures: r.Pictures, Recording: r.Recording,
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	} else {
		j.StateHash = fmt.Sprintf("%016x", r.Hash)
	}
	for _, v := range r.Verdicts {
		j.Expectations = append(j.Expectations, expectationJSON{v.Name, string(v.Outcome), v.At.Seconds(), v.Expected, v.Was})
	}
	if r.Failed() {
		j.Again = r.Again
	}
	return j
}
