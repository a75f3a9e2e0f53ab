package expectation

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Expectation says what a world should do, and when. Its window starts at From and ends after Within. Both times are
// counted from the first time that the event After happens, or from time 0 if After is empty. If the event Before
// happens later than the event After, the window ends at the latest in the step before that.
type Expectation struct {
	Name       string            `toml:"name" required:"true" match:"name" fixed:"true" doc:"name in verdicts"`
	Eventually *condition.Choice `toml:"eventually" doc:"condition that must hold at one instant of the window at least"`
	Always     *condition.Choice `toml:"always" doc:"condition that must hold at every instant of the window"`
	Never      *condition.Choice `toml:"never" doc:"condition that must hold at no instant of the window"`
	From       time.Duration     `toml:"from_s" range:"[0, 1000000]" doc:"start of the window, counted from after, or from time 0"`
	Within     time.Duration     `toml:"within_s" range:"[0, 1000000]" doc:"end of the window, counted like from_s; left out, the end of the run"`
	After      string            `toml:"after" doc:"event: the window starts when it has first happened"`
	Before     string            `toml:"before" doc:"event: the window ends in the step before it happens"`
	Times      *Times            `toml:"times" doc:"how often the condition of eventually must start to hold; left out, at least once"`
}

// Times are the limits of a count.
type Times struct {
	AtLeast int `toml:"at_least" range:"[0, 1000000]"`
	AtMost  int `toml:"at_most" range:"[0, 1000000]" doc:"largest number; left out, any"`
}

// kind says what an expectation demands of its condition.
type kind uint8

const (
	eventually kind = iota
	always
	never
)

func (k kind) String() string { return [...]string{"eventually", "always", "never"}[k] }

// chosen returns the kind of the expectation, and its condition. It fails if none or more than one condition is given.
func (e *Expectation) chosen() (asks kind, c *condition.Choice, err error) {
	for k, row := range []*condition.Choice{e.Eventually, e.Always, e.Never} {
		switch {
		case row != nil && c != nil:
			return 0, nil, fmt.Errorf("has %v and %v: an expectation needs one of eventually, always, never", asks,
				kind(k))
		case row != nil:
			asks, c = kind(k), row
		}
	}
	if c == nil {
		err = errors.New("an expectation needs one of eventually, always, never")
	}
	return asks, c, err
}

// Check reports, as schema.Violations, fields that name something the world does not have, and fields that contradict
// each other.
func (e *Expectation) Check(w condition.World) error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	asks, c, err := e.chosen()
	if err != nil {
		fail("", nil, err.Error())
	} else {
		errs = append(errs, condition.Below(asks.String(), c.Validate(w)))
	}
	for _, row := range []struct{ key, event string }{{"after", e.After}, {"before", e.Before}} {
		if row.event != "" {
			if err := w.FindEvent(row.event); err != nil {
				fail(row.key, row.event, err.Error())
			}
		}
	}
	if e.After != "" && e.After == e.Before {
		fail("before", e.Before, "must be an event other than after")
	}
	if e.Within > 0 && e.Within < e.From {
		fail("within_s", e.Within.Seconds(), "must not be less than from_s: both are counted from the same time")
	}
	if t := e.Times; t != nil {
		switch {
		case asks != eventually && err == nil:
			fail("times", nil, "needs eventually")
		case t.AtLeast == 0 && t.AtMost == 0:
			fail("times", nil, "needs at_least or at_most; never says not at all")
		case t.AtMost > 0 && t.AtMost < t.AtLeast:
			errs = append(errs, &schema.Violation{Path: "times", Key: "at_most", Value: t.AtMost,
				Rule: "must be at least at_least"})
		}
	}
	return errors.Join(errs...)
}

// Areas lists the areas that the condition of the expectation names.
func (e *Expectation) Areas() []string {
	_, c, _ := e.chosen()
	return c.Areas()
}

// Topics lists the topics that the condition of the expectation names.
func (e *Expectation) Topics() []string {
	_, c, _ := e.chosen()
	return c.Topics()
}

// String describes the expectation as a verdict does.
func (e *Expectation) String() string {
	asks, c, err := e.chosen()
	if err != nil {
		return err.Error()
	}
	parts := []string{asks.String() + " " + c.String()}
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if t := e.Times; t != nil {
		add(t.AtLeast > 0, "at least %s", condition.TimesText(t.AtLeast))
		add(t.AtMost > 0, "at most %s", condition.TimesText(t.AtMost))
	}
	add(e.From > 0, "from %v s", e.From.Seconds())
	add(e.Within > 0, "within %v s", e.Within.Seconds())
	add(e.After != "", "after event %s", e.After)
	add(e.Before != "", "before event %s", e.Before)
	return strings.Join(parts, ", ")
}

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
	Place    string        // file and line of an expectation that did not pass; empty if they are not known
}

// String returns the verdict as one sentence, after its place.
func (v Verdict) String() string {
	text := ""
	if v.Place != "" {
		text = v.Place + ": "
	}
	text += fmt.Sprintf("%s: %s at %.3f s: expected %s", v.Name, v.Outcome, v.At.Seconds(), v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	return text
}
