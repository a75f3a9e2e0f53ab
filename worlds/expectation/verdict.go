package expectation

import (
	"fmt"
	"time"
)

// Outcome is the result of judging an expectation.
type Outcome string

// The outcomes. At the end of a test, Undecided counts as failed.
const (
	Undecided Outcome = "undecided"
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
)

// Verdict is the result of judging an expectation, with its explanation.
type Verdict struct {
	Name     string // name of the expectation
	Outcome  Outcome
	At       time.Duration // sim time of the decision; the present sim time if the expectation is undecided
	Expected string        // what was expected, such as "eventually ball in magenta_goal, within 5 s"
	Was      string        // what was the case at that time, such as "ball at (1.20, 0.00, 0.11) m"
}

// String returns the verdict as one sentence.
func (v Verdict) String() string {
	text := fmt.Sprintf("%s: %s at %.3f s: expected %s", v.Name, v.Outcome, v.At.Seconds(), v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	return text
}
