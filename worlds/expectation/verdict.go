package expectation

import (
	"fmt"
	"time"
)

// Outcome is what a verdict says.
type Outcome string

// Undecided counts as failed when a test ends.
const (
	Undecided Outcome = "undecided"
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
)

// Verdict is what has become of one expectation.
type Verdict struct {
	Name     string // of the expectation
	Outcome  Outcome
	At       time.Duration // sim time at which it was decided; at present if it has not been
	Expected string        // "eventually ball in magenta_goal, within 5 s"
	Was      string        // what there was instead at that time: "ball at (1.20, 0.00, 0.11) m"
}

// String is the verdict in one sentence.
func (v Verdict) String() string {
	text := fmt.Sprintf("%s: %s at %.3f s: expected %s", v.Name, v.Outcome, v.At.Seconds(), v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	return text
}
