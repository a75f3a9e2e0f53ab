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
	// Game is nil after an error. Without a referee it is also nil while nobody has scored.
	Game     *omnipitch.GameReport
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

// Renderers returns each renderer that a run has used, once.
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
