package expectation

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Judge judges the expectations of a running world.
type Judge struct {
	state  condition.State
	cases  []trial
	open   int // cases that are not decided
	notify func(Verdict)
}

// trial is one expectation while it is judged.
type trial struct {
	*Expectation
	test          condition.Test
	after, before *condition.Happenings // nil without
	based         bool                  // after has happened, or there is none
	base          time.Duration         // that the window counts from
	earlier       int                   // how often the event before had happened then
	begun         bool                  // the window
	held          bool
	count         int // how often the condition has begun to hold
	verdict       Verdict
}

// NewJudge binds expectations. notify, if not nil, is called for each verdict in the step in which it falls.
func NewJudge(list []Expectation, s condition.State, notify func(Verdict)) (*Judge, error) {
	j := &Judge{state: s, cases: make([]trial, len(list)), open: len(list), notify: notify}
	for i := range list {
		t := &j.cases[i]
		t.Expectation = &list[i]
		if err := t.bind(s); err != nil {
			return nil, fmt.Errorf("expect %s: %w", t.Name, err)
		}
	}
	return j, nil
}

func (t *trial) bind(s condition.State) error {
	_, c, err := t.kind()
	if err != nil {
		return err
	}
	if t.test, err = c.Bind(s); err != nil {
		return err
	}
	for _, row := range []struct {
		event string
		into  **condition.Happenings
	}{{t.After, &t.after}, {t.Before, &t.before}} {
		if row.event != "" {
			if *row.into, err = s.Event(row.event); err != nil {
				return err
			}
		}
	}
	t.verdict = Verdict{Name: t.Name, Outcome: Undecided, Expected: t.String()}
	return nil
}

// Step judges the present state, after its events. It is called for time 0 and after each step.
func (j *Judge) Step() {
	now, step := j.state.Truth().Time, j.state.Model().Step
	for i := range j.cases {
		t := &j.cases[i]
		if t.verdict.Outcome != Undecided {
			continue
		}
		if outcome := t.judge(now, step); outcome != Undecided {
			j.open--
			t.decide(outcome, j.state)
			if j.notify != nil {
				j.notify(t.verdict)
			}
		}
	}
}

func (t *trial) decide(o Outcome, s condition.State) {
	t.verdict.Outcome, t.verdict.At = o, s.Truth().Time
	if o != Passed {
		t.verdict.Was = t.was(s)
	}
}

// judge judges one instant.
func (t *trial) judge(now, step time.Duration) Outcome {
	if !t.based {
		if t.after != nil {
			if t.after.Count == 0 {
				return Undecided
			}
			t.base = t.after.First
			if t.before != nil {
				t.earlier = t.before.Count
			}
		}
		t.based = true
	}
	if now < t.base+t.From {
		return Undecided
	}
	t.begun = true
	if t.before != nil && t.before.Count > t.earlier || t.Within > 0 && now > t.base+t.Within {
		return t.atEnd()
	}
	if outcome := t.look(); outcome != Undecided {
		return outcome
	}
	if t.Within > 0 && now+step > t.base+t.Within { // it was the last instant
		return t.atEnd()
	}
	return Undecided
}

// look judges an instant of the window.
func (t *trial) look() Outcome {
	held := t.held
	t.held = t.test.Holds()
	switch {
	case t.Always != nil && !t.held, t.Never != nil && t.held:
		return Failed
	case t.Eventually != nil && t.held && !held:
		t.count++
		return t.counted()
	}
	return Undecided
}

// bounds are how often the condition of eventually is to begin to hold.
func (t *trial) bounds() (least, most int) {
	if t.Times == nil {
		return 1, math.MaxInt
	}
	if t.Times.AtMost == 0 {
		return t.Times.AtLeast, math.MaxInt
	}
	return t.Times.AtLeast, t.Times.AtMost
}

// counted decides as soon as no further count can change the verdict.
func (t *trial) counted() Outcome {
	switch least, most := t.bounds(); {
	case t.count > most:
		return Failed
	case t.count >= least && most == math.MaxInt:
		return Passed
	}
	return Undecided
}

// atEnd decides when the window has ended.
func (t *trial) atEnd() Outcome {
	if t.Eventually == nil {
		return Passed
	}
	if least, _ := t.bounds(); t.count < least {
		return Failed
	}
	return Passed
}

// was says what there is instead of what is expected.
func (t *trial) was(s condition.State) string {
	switch {
	case !t.based:
		return "event " + t.After + " has not happened"
	case !t.begun:
		return "the window has not begun"
	case t.Times != nil:
		return fmt.Sprintf("%d times, then %s", t.count, t.test.Now())
	}
	return t.test.Now()
}

// Open returns how many expectations are not decided.
func (j *Judge) Open() int { return j.open }

// Verdicts returns those of all expectations if the run ended now, in their order. Windows that last until the end of the run end now, those
// that end at a time or with an event do not: what depends on them is undecided.
func (j *Judge) Verdicts() []Verdict {
	list := make([]Verdict, len(j.cases))
	for i := range j.cases {
		t := j.cases[i] // a copy: the run may go on
		if t.verdict.Outcome == Undecided {
			outcome := Undecided
			if t.begun && t.before == nil && t.Within == 0 && t.atEnd() == Passed {
				outcome = Passed
			}
			t.decide(outcome, j.state)
		}
		list[i] = t.verdict
	}
	return list
}
