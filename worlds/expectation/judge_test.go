package expectation

import (
	"errors"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// fake is a world in which one robot holds the ball or does not, with two known events.
type fake struct {
	condition.State // methods that no test here calls
	model           physics.Model
	truth           physics.Snapshot
	events          map[string]*condition.Occurrences
}

func (f *fake) Model() *physics.Model    { return &f.model }
func (f *fake) Truth() *physics.Snapshot { return &f.truth }

func (f *fake) Event(name string) (*condition.Occurrences, error) {
	if h := f.events[name]; h != nil {
		return h, nil
	}
	return nil, errors.New("there is no such event")
}

func held() *condition.Choice { return &condition.Choice{BallHeld: &condition.BallHeld{}} }

// Each letter of a story is a step of 1 s from time 0 on: h means that the ball is held, . that it is not. A and B mean
// that event a or b happens, while the ball is held or not as in the previous step.
func TestVerdicts(t *testing.T) {
	const s = time.Second
	eventually, always, never := Expectation{Eventually: held()}, Expectation{Always: held()},
		Expectation{Never: held()}
	with := func(e Expectation, change func(*Expectation)) Expectation { change(&e); return e }
	window := func(e Expectation, from, within time.Duration) Expectation { e.From, e.Within = from, within; return e }
	between := func(e Expectation, after, before string) Expectation { e.After, e.Before = after, before; return e }
	times := func(least, most int) Expectation {
		return with(eventually, func(e *Expectation) { e.Times = &Times{least, most} })
	}
	for _, c := range []struct {
		e     Expectation
		story string
		want  Outcome
		at    time.Duration
	}{
		{eventually, "h", Passed, 0},
		{eventually, "..h..", Passed, 2 * s},
		{eventually, ".....", Undecided, 4 * s},
		{always, "hhhh", Passed, 3 * s},
		{always, "hh.h", Failed, 2 * s},
		{never, "....", Passed, 3 * s},
		{never, "h...", Failed, 0},
		{never, "..h.", Failed, 2 * s},

		{window(eventually, 0, 2*s), "..h", Passed, 2 * s},
		{window(eventually, 0, 2*s), "...h", Failed, 2 * s},
		// the step at 1 s is the last within 1.5 s
		{window(eventually, 0, 1500*time.Millisecond), "..h", Failed, 1 * s},
		// no step in the window
		{window(eventually, 1500*time.Millisecond, 1500*time.Millisecond), "hhhh", Failed, 2 * s},
		{window(eventually, 0, 5*s), "....", Undecided, 3 * s},
		{window(eventually, 2*s, 0), "h...", Undecided, 3 * s},
		{window(eventually, 2*s, 0), "hhh.", Passed, 2 * s},
		{window(always, 1*s, 2*s), ".hh.", Passed, 2 * s},
		{window(always, 1*s, 2*s), ".h..", Failed, 2 * s},
		{window(always, 0, 5*s), "hhh", Undecided, 2 * s},
		{window(always, 5*s, 0), "hhh", Undecided, 2 * s},
		{window(never, 1*s, 2*s), "h..h", Passed, 2 * s},

		{between(eventually, "a", ""), "h.....", Undecided, 5 * s},
		{between(eventually, "a", ""), "h.A..h", Passed, 5 * s},
		{between(eventually, "a", ""), "hAh", Passed, 1 * s}, // the step of the event counts
		{between(always, "a", ""), "...", Undecided, 2 * s},
		{between(always, "a", ""), "..hAhh", Passed, 5 * s},
		{between(always, "a", ""), "..hAh.", Failed, 5 * s},
		{between(eventually, "", "b"), "..hB", Passed, 2 * s},
		{between(eventually, "", "b"), "..Bh", Failed, 2 * s},
		{between(eventually, "", "b"), "....", Undecided, 3 * s},
		{between(never, "", "b"), "..Bh", Passed, 2 * s},
		{between(never, "", "b"), ".hB.", Failed, 1 * s},
		{between(never, "", "b"), "....", Undecided, 3 * s},
		{between(never, "", "b"), "Bhh", Passed, 0},
		{between(never, "a", "b"), "hB.A.Bh", Passed, 5 * s}, // the first time after event a
		{between(never, "a", "b"), "hB.A.hB", Failed, 5 * s},
		{window(between(eventually, "a", ""), 1*s, 2*s), "..A..h", Failed, 4 * s},
		{window(between(eventually, "a", ""), 1*s, 2*s), "..A.h", Passed, 4 * s},
		{between(eventually, "a", ""), "..AA.hA", Passed, 5 * s},

		{times(2, 0), "h.h.h", Passed, 2 * s},
		{times(2, 0), "hhhhh", Undecided, 4 * s}, // it has started to hold once
		{times(1, 1), "h....", Passed, 4 * s},
		{times(1, 1), "h.h..", Failed, 2 * s},
		{times(0, 1), ".....", Passed, 4 * s},
		{times(2, 3), "h.h.h.h", Failed, 6 * s},
		{window(times(2, 3), 0, 3*s), "h.h.h", Passed, 3 * s},
		{window(times(2, 3), 0, 3*s), "h.....", Failed, 3 * s},
	} {
		c.e.Name = "x"
		f := &fake{events: map[string]*condition.Occurrences{"a": {}, "b": {}}}
		f.model.Step = s
		f.model.Robots = []physics.Robot{{Name: "cyan1"}}
		f.truth.Ball.HeldBy = -1
		f.truth.Robots = make([]physics.RobotState, 1)
		var told []Verdict
		j := must.Get(NewJudge([]Expectation{c.e}, f, func(v Verdict) { told = append(told, v) }))(t)
		for i := range c.story {
			f.truth.Step, f.truth.Time = int64(i), time.Duration(i)*s
			switch c.story[i] {
			case 'A':
				f.events["a"].Add(f.truth.Time)
			case 'B':
				f.events["b"].Add(f.truth.Time)
			case 'h':
				f.truth.Ball.HeldBy = 0
			default:
				f.truth.Ball.HeldBy = -1
			}
			j.Step()
		}
		v := j.Verdicts()[0]
		if v.Outcome != c.want || v.At != c.at {
			t.Errorf("%s: %v: got %s at %v, want %s at %v", c.story, &c.e, v.Outcome, v.At, c.want, c.at)
		}
		if early := v.At < f.truth.Time; early && (len(told) != 1 || told[0] != v || j.Open() != 0) {
			t.Errorf("%s: %v: notified of %v, %d open", c.story, &c.e, told, j.Open())
		}
	}
}

// TestHeldWindows checks that a window which is held begins when it is released, and that others do not wait for it.
func TestHeldWindows(t *testing.T) {
	const s = time.Second
	list := []Expectation{{Name: "held", Always: held(), From: s}, {Name: "free", Never: held(), Within: s}}
	f := &fake{model: physics.Model{Step: s, Robots: make([]physics.Robot, 1)}}
	f.truth.Ball.HeldBy, f.truth.Robots = -1, make([]physics.RobotState, 1)
	j := must.Get(NewJudge(list, f, nil))(t)
	which := func(e *Expectation) bool { return e.Name == "held" }
	j.Hold(which)
	for f.truth.Time = 0; f.truth.Time < 5*s; f.truth.Time += s {
		j.Step() // the ball is not held
	}
	if v := j.Verdicts(); v[0].Outcome != Undecided || v[1].Outcome != Passed || v[1].At != s {
		t.Errorf("got %v, want the first one undecided and the second one passed at 1 s", v)
	}
	j.Release(which)
	for ; f.truth.Time < 8*s; f.truth.Time += s {
		j.Step()
	}
	if v := j.Verdicts()[0]; v.Outcome != Failed || v.At != 6*s {
		t.Errorf("got %v, want failed at 6 s", v)
	}
}

func TestVerdictIsOneSentence(t *testing.T) {
	f := &fake{events: map[string]*condition.Occurrences{"kick": {}}}
	f.model.Step = time.Second
	f.truth.Ball.HeldBy = -1
	j := must.Get(NewJudge([]Expectation{
		{Name: "keeps-it", Always: held()},
		{Name: "gets-it", Eventually: held(), From: time.Second, Within: 5 * time.Second, After: "kick",
			Times: &Times{AtLeast: 2, AtMost: 3}},
	}, f, nil))(t)
	j.Step()
	for i, want := range []string{
		"keeps-it: failed at 0.000 s: expected always ball held; was: ball held by nobody, ball at (0.00, 0.00, 0.00) m",
		"gets-it: undecided at 0.000 s: expected eventually ball held, at least twice, at most 3 times, from 1 s, " +
			"within 5 s, after event kick; was: event kick has not happened",
	} {
		if got := j.Verdicts()[i].String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
