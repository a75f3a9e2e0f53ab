package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// Result is what became of one run.
type Result struct {
	Seed     uint64
	Ended    bool // false of a run that had not ended when the suite was interrupted
	Sim      time.Duration
	Steps    int64
	Hash     uint64 // of the last state
	Verdicts []expectation.Verdict
	Game     *omnipitch.GameReport // nil without a referee as long as nobody has scored, and after an error
	Drew     backend.Choice        // that drew images; without a name if none did
	Err      error                 // why the run could not go to its end
	Pictures []string              // paths of the files that show the first failure
	Again    string                // the command line that repeats the run

	Recording string // path of the file; none of a run that has not failed
}

// Failed tells whether a run that has ended did not do what is expected.
func (r *Result) Failed() bool {
	return r.Ended && (r.Err != nil || len(r.failures()) > 0)
}

// failures are the expectations that were not met. One that was never decided is one.
func (r *Result) failures() (all []expectation.Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != expectation.Passed {
			all = append(all, v)
		}
	}
	return all
}

// reasons says in a sentence each why a run has failed.
func (r *Result) reasons() (all []string) {
	if r.Err != nil {
		all = append(all, fmt.Sprintf("the run ended at %.3f s: %v", r.Sim.Seconds(), r.Err))
	}
	for _, v := range r.failures() {
		all = append(all, v.String())
	}
	return all
}

// WorldOutcome is what became of a world's runs, in the order of the seeds.
type WorldOutcome struct {
	World
	Results []Result
}

// Counts are how many runs a world or a suite has.
type Counts struct {
	Runs   int `json:"runs"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	NotRun int `json:"not_run"` // when the suite was interrupted
}

// Counts counts a world's runs.
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

// Outcome is what became of a suite.
type Outcome struct {
	Worlds []WorldOutcome // in the order of the Config's
	Wall   time.Duration
	Notes  []string // what a user should know besides: why there are no pictures
}

// Renderers returns what has drawn images, each once.
func (o *Outcome) Renderers() (all []backend.Choice) {
	for i := range o.Worlds {
		for k := range o.Worlds[i].Results {
			drew := o.Worlds[i].Results[k].Drew
			if drew.Name != "" && !slices.ContainsFunc(all,
				func(c backend.Choice) bool { return c.String() == drew.String() }) {
				all = append(all, drew)
			}
		}
	}
	return all
}

// Counts counts all runs.
func (o *Outcome) Counts() (sum Counts) {
	for i := range o.Worlds {
		c := o.Worlds[i].Counts()
		sum = Counts{sum.Runs + c.Runs, sum.Passed + c.Passed, sum.Failed + c.Failed, sum.NotRun + c.NotRun}
	}
	return sum
}
