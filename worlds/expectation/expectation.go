package expectation

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Expectation is what a world is expected to do, and when. Its window begins at From, and ends after Within, both
// counted from the first time that the event After happens, or from time 0; it also ends just before the event Before
// happens for the first time after that.
type Expectation struct {
	Name       string            `toml:"name" required:"true" match:"name" fixed:"true" doc:"what a verdict is called"`
	Eventually *condition.Choice `toml:"eventually" doc:"the condition holds at one instant of the window at least"`
	Always     *condition.Choice `toml:"always" doc:"the condition holds at every instant of the window"`
	Never      *condition.Choice `toml:"never" doc:"the condition holds at no instant of the window"`
	From       time.Duration     `toml:"from_s" range:"[0, 1000000]" doc:"when the window begins, counted from after, or from time 0"`
	Within     time.Duration     `toml:"within_s" range:"[0, 1000000]" doc:"when the window ends, counted like from_s; if left out it ends with the run"`
	After      string            `toml:"after" doc:"an event: the window begins when it has happened for the first time"`
	Before     string            `toml:"before" doc:"an event: the window ends in the step before it happens"`
	Times      *Times            `toml:"times" doc:"how often the condition of eventually begins to hold; at least once if left out"`
}

// Times bounds a count.
type Times struct {
	AtLeast int `toml:"at_least" range:"[0, 1000000]"`
	AtMost  int `toml:"at_most" range:"[0, 1000000]" doc:"any number if left out"`
}

// kind is what an expectation asks of its condition.
type kind uint8

const (
	eventually kind = iota
	always
	never
)

func (k kind) String() string { return [...]string{"eventually", "always", "never"}[k] }

// chosen returns what an expectation asks, and of which condition. It fails unless that is just one.
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

// Check reports what an expectation asks for that a world does not have, and what contradicts itself, as
// schema.Violations.
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
		fail("before", e.Before, "must be another event than after")
	}
	if e.Within > 0 && e.Within < e.From {
		fail("within_s", e.Within.Seconds(), "must not be less than from_s: both are counted from the same time")
	}
	if t := e.Times; t != nil {
		switch {
		case asks != eventually && err == nil:
			fail("times", nil, "goes with eventually alone")
		case t.AtLeast == 0 && t.AtMost == 0:
			fail("times", nil, "needs at_least or at_most; never says not at all")
		case t.AtMost > 0 && t.AtMost < t.AtLeast:
			errs = append(errs, &schema.Violation{Path: "times", Key: "at_most", Value: t.AtMost,
				Rule: "must be at least at_least"})
		}
	}
	return errors.Join(errs...)
}

// Areas lists the areas that its condition asks about.
func (e *Expectation) Areas() []string {
	_, c, _ := e.chosen()
	return c.Areas()
}

// String is what is expected, as a verdict says it.
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
		add(t.AtLeast > 0, "at least %s", condition.Often(t.AtLeast))
		add(t.AtMost > 0, "at most %s", condition.Often(t.AtMost))
	}
	add(e.From > 0, "from %v s", e.From.Seconds())
	add(e.Within > 0, "within %v s", e.Within.Seconds())
	add(e.After != "", "after event %s", e.After)
	add(e.Before != "", "before event %s", e.Before)
	return strings.Join(parts, ", ")
}
