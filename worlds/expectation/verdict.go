package expectation

import (
	"fmt"
	"time"
)

// Outcome is the result of an expectation.
type Outcome string

// Undecided counts as failed at the end of a test.
const (
	Undecided Outcome = "undecided"
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
)

// Verdict is the result of an expectation, with its explanation.
type Verdict struct {
	Name     string // name of the expectation
	Outcome  Outcome
	At       time.Duration // sim time of the decision; the present time if undecided
	Expected string        // "eventually ball in magenta_goal, within 5 s"
	Was      string        // what held instead at that time: "ball at (1.20, 0.00, 0.11) m"
}

// String returns the verdict as one sentence.
func (v Verdict) String() string {
	text := fmt.Sprintf("%s: %s at %.3f s: expected %s", v.Name, v.Outcome, v.At.Seconds(), v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	return text
}
