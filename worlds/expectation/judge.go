package expectation

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Judge judges the expectations of a running world.
type Judge struct {
	state  condition.State
	trials []trial
	open   int // number of trials that are undecided
	notify func(Verdict)
}

// trial is an expectation while it is being judged. The fields that every step reads come first, close together in
// memory.
type trial struct {
	holds         func() bool
	from, until   time.Duration          // start and end of the window, in sim time
	before, after *condition.Occurrences // events Before and After; nil if the expectation does not name them
	// number of times that the event Before had happened when the event After happened
	earlier     int
	begun       bool // whether the window has started
	waits       bool // whether the trial waits for the event After
	held        bool
	decided     bool
	asks        kind
	count       int // number of times the condition has started to hold
	least, most int // limits of count; used by eventually

	*Expectation
	now     func() string
	verdict Verdict
}

// NewJudge binds expectations to a running world. If notify is not nil, the Judge calls notify with each verdict, in
// the step in which the verdict is reached.
func NewJudge(list []Expectation, s condition.State, notify func(Verdict)) (*Judge, error) {
	j := &Judge{state: s, trials: make([]trial, len(list)), open: len(list), notify: notify}
	for i := range list {
		t := &j.trials[i]
		t.Expectation = &list[i]
		if err := t.bind(s); err != nil {
			return nil, fmt.Errorf("expect %s: %w", t.Name, err)
		}
	}
	return j, nil
}

// Exchange saves or restores the progress of the expectations.
func (j *Judge) Exchange(c *keyframe.Codec) {
	j.open = 0
	for i := range j.trials {
		t := &j.trials[i]
		c.Part("expect", t.Name)
		if t.Exchange(c); !t.decided {
			j.open++
		}
	}
}

func (t *trial) Exchange(c *keyframe.Codec) {
	c.Bools(&t.begun, &t.waits, &t.held, &t.decided)
	c.Check(!t.waits || t.after != nil, "waits for an event without one")
	c.Duration(&t.from)
	c.Duration(&t.until)
	c.Int(&t.earlier)
	c.Int(&t.count)
	keyframe.Text(c, &t.verdict.Outcome)
	c.Duration(&t.verdict.At)
	keyframe.Text(c, &t.verdict.Was)
}

func (t *trial) bind(s condition.State) error {
	asks, c, err := t.chosen()
	if err != nil {
		return err
	}
	test, err := c.Bind(s)
	if err != nil {
		return err
	}
	t.asks, t.holds, t.now = asks, test.Holds, test.Now
	for _, row := range []struct {
		event string
		into  **condition.Occurrences
	}{{t.After, &t.after}, {t.Before, &t.before}} {
		if row.event != "" {
			if *row.into, err = s.Event(row.event); err != nil {
				return err
			}
		}
	}
	t.least, t.most = 1, math.MaxInt
	if t.Times != nil {
		t.least = t.Times.AtLeast
		if t.Times.AtMost > 0 {
			t.most = t.Times.AtMost
		}
	}
	t.verdict = Verdict{Name: t.Name, Outcome: Undecided, Expected: t.String()}
	if t.waits = t.after != nil; !t.waits {
		t.open(0)
	}
	return nil
}

// open sets the start and the end of the window, counted from the sim time base.
func (t *trial) open(base time.Duration) {
	t.waits, t.from, t.until = false, base+t.From, math.MaxInt64
	if t.Within > 0 {
		t.until = base + t.Within
	}
	if t.before != nil && t.after != nil {
		t.earlier = t.before.Count
	}
}

// Hold delays the windows of the expectations for which which returns true, until Release opens them. It changes only
// windows that count from time 0.
func (j *Judge) Hold(which func(*Expectation) bool) {
	for i := range j.trials {
		if t := &j.trials[i]; t.after == nil && which(t.Expectation) {
			t.from, t.until = math.MaxInt64, math.MaxInt64
		}
	}
}

// Release opens the delayed windows of the expectations for which which returns true. The present time is their time 0.
func (j *Judge) Release(which func(*Expectation) bool) {
	for i := range j.trials {
		if t := &j.trials[i]; t.from == math.MaxInt64 && which(t.Expectation) {
			t.open(j.state.Truth().Time)
		}
	}
}

// Step judges the present state, after the events of this state. The caller calls it at time 0 and after each step.
func (j *Judge) Step() {
	now, step := j.state.Truth().Time, j.state.Model().Step
	for i := range j.trials {
		t := &j.trials[i]
		if t.decided {
			continue
		}
		if outcome := t.judge(now, step); outcome != "" {
			j.open--
			t.decide(outcome, now)
			if j.notify != nil {
				j.notify(t.verdict)
			}
		}
	}
}

func (t *trial) decide(o Outcome, now time.Duration) {
	t.decided = true
	t.verdict.Outcome, t.verdict.At = o, now
	if o != Passed {
		t.verdict.Was = t.presentValue()
	}
}

// judge judges the present state. It returns an empty outcome while the trial is undecided. The argument step is the
// duration of a step.
func (t *trial) judge(now, step time.Duration) Outcome {
	if t.waits {
		if t.after.Count == 0 {
			return ""
		}
		t.open(t.after.First)
	}
	if now < t.from {
		return ""
	}
	t.begun = true
	if now > t.until || t.before != nil && t.before.Count > t.earlier {
		return t.atEnd()
	}
	held := t.held
	t.held = t.holds()
	switch {
	case t.asks == always && !t.held, t.asks == never && t.held:
		return Failed
	case t.asks == eventually && t.held && !held:
		if t.count++; t.count > t.most {
			return Failed
		}
		if t.count >= t.least && t.most == math.MaxInt {
			return Passed // no later start of the condition can change the outcome
		}
	}
	if now > t.until-step { // this was the last state in the window
		return t.atEnd()
	}
	return ""
}

// atEnd returns the outcome at the end of the window.
func (t *trial) atEnd() Outcome {
	if t.asks == eventually && t.count < t.least {
		return Failed
	}
	return Passed
}

// presentValue describes the state of the trial: the values that the condition compares, or what the trial is waiting
// for.
func (t *trial) presentValue() string {
	switch {
	case t.waits:
		return "event " + t.After + " has not happened"
	case !t.begun:
		return "the window has not begun"
	case t.Times != nil:
		return fmt.Sprintf("%s, then %s", condition.TimesText(t.count), t.now())
	}
	return t.now()
}

// Open returns the number of undecided expectations.
func (j *Judge) Open() int { return j.open }

// End reports the verdicts of all undecided expectations, as if the run ended now.
func (j *Judge) End() {
	if j.notify == nil || j.open == 0 {
		return
	}
	for i, v := range j.Verdicts() {
		if !j.trials[i].decided {
			j.notify(v)
		}
	}
}

// Verdicts returns the verdicts of all expectations, in their order, as if the run ended now. This also ends each
// window that lasts until the end of the run. Other windows do not end now, so their expectations may be undecided.
func (j *Judge) Verdicts() []Verdict {
	list := make([]Verdict, len(j.trials))
	for i := range j.trials {
		list[i] = j.trials[i].soFar(j.state.Truth().Time)
	}
	return list
}

// soFar returns the verdict of the trial as if the run ended now. The trial itself continues.
func (t trial) soFar(now time.Duration) Verdict {
	if !t.decided {
		outcome := Undecided
		if t.begun && t.before == nil && t.until == math.MaxInt64 && t.atEnd() == Passed {
			outcome = Passed
		}
		t.decide(outcome, now)
	}
	return t.verdict
}

// Progress is how far the judging of an expectation has come.
type Progress struct {
	Verdict      // verdict as if the run ended now
	Decided bool // whether the verdict is final
	Begun   bool // whether the window has started
	Holds   bool // whether the condition held when it was last judged in the window
}

// Progress returns the progress of all expectations, in their order.
func (j *Judge) Progress() []Progress {
	list := make([]Progress, len(j.trials))
	for i := range j.trials {
		t := &j.trials[i]
		list[i] = Progress{t.soFar(j.state.Truth().Time), t.decided, t.begun, t.held}
	}
	return list
}
