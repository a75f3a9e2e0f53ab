package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// Result is the outcome of one run.
type Result struct {
	Seed     uint64
	Ended    bool // false if the suite was interrupted before the run ended
	Sim      time.Duration
	Steps    int64
	Hash     uint64 // hash of the last state
	Verdicts []expectation.Verdict
	Game     *omnipitch.GameReport // nil without a referee while nobody has scored, and after an error
	Drew     backend.Choice        // renderer of the images; without a name if none were rendered
	Err      error                 // why the run did not reach its end
	Pictures []string              // paths of images of the first failure
	Again    string                // command line that repeats the run

	Recording string // path of the recording; empty unless the run failed
}

// Failed reports whether a finished run failed.
func (r *Result) Failed() bool {
	return r.Ended && (r.Err != nil || len(r.failures()) > 0)
}

// failures returns the expectations that were not met, including those that were never decided.
func (r *Result) failures() (all []expectation.Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != expectation.Passed {
			all = append(all, v)
		}
	}
	return all
}

// reasons returns a sentence for each reason why the run failed.
func (r *Result) reasons() (all []string) {
	if r.Err != nil {
		all = append(all, fmt.Sprintf("the run ended at %.3f s: %v", r.Sim.Seconds(), r.Err))
	}
	for _, v := range r.failures() {
		all = append(all, v.String())
	}
	return all
}

// WorldOutcome is the outcome of the runs of a world, in the order of the seeds.
type WorldOutcome struct {
	World
	Results []Result
}

// Counts are numbers of runs of a world or a suite.
type Counts struct {
	Runs   int `json:"runs"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	NotRun int `json:"not_run"` // not finished when the suite was interrupted
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

// Renderers returns the renderers that were used, each once.
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

// Counts counts the runs of all worlds.
func (o *Outcome) Counts() (sum Counts) {
	for i := range o.Worlds {
		c := o.Worlds[i].Counts()
		sum = Counts{sum.Runs + c.Runs, sum.Passed + c.Passed, sum.Failed + c.Failed, sum.NotRun + c.NotRun}
	}
	return sum
}
