package condition

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Choice names one condition by its key. Its fields are pointers or slices; for a plain value, a pointer to a named
// type.
type Choice struct {
	InArea          *InArea          `toml:"in_area" doc:"a body is in an area"`
	Near            *Near            `toml:"near" doc:"two bodies are close to each other"`
	Apart           *Apart           `toml:"apart" doc:"several bodies are at least a distance apart"`
	LineOfSight     *LineOfSight     `toml:"line_of_sight" doc:"nothing is between two bodies"`
	Contact         *Contact         `toml:"contact" doc:"a body touches another"`
	Speed           *Speed           `toml:"speed" doc:"a body is fast or slow"`
	Turn            *Turn            `toml:"turn" doc:"a body turns fast or slowly"`
	Motion          *Motion          `toml:"motion" doc:"a robot with legs walks, has fallen, plays an animation or does something else with its joints"`
	BallHeld        *BallHeld        `toml:"ball_held" needs:"ball" doc:"a robot dribbles the ball"`
	Score           *Score           `toml:"score" needs:"goals" doc:"a team has a number of goals"`
	GameState       *GameState       `toml:"game_state" needs:"goals" doc:"the game is in a state that a referee box knows"`
	Decided         *Decided         `toml:"decided" needs:"goals" doc:"the automatic referee makes a decision"`
	Level           *Level           `toml:"level" doc:"a sensor is at a level"`
	Detects         *Detects         `toml:"detects" doc:"a camera without images reports a body"`
	SensorRate      *SensorRate      `toml:"sensor_rate" doc:"a sensor delivers at a rate"`
	ImageBrightness *ImageBrightness `toml:"image_brightness" doc:"a camera's images are bright or dark"`
	TopicValue      *TopicValue      `toml:"topic_value" doc:"a field of a topic's messages has a value"`
	TopicRate       *TopicRate       `toml:"topic_rate" doc:"messages arrive on a topic at a rate"`
	TopicDelay      *TopicDelay      `toml:"topic_delay" doc:"a topic's messages arrive with a short delay"`
	TopicError      *TopicError      `toml:"topic_error" doc:"a topic's poses are close to the truth"`
	Happened        *Happened        `toml:"happened" doc:"an event has happened"`
	All             All              `toml:"all" maxlen:"100" doc:"all of these conditions hold"`
	Any             Any              `toml:"any" maxlen:"100" doc:"at least one of these conditions holds"`
	Not             *Not             `toml:"not" doc:"this condition does not hold"`
	For             time.Duration    `toml:"for_s" range:"[0, 1000000]" doc:"time for which the condition must hold without a break"`
}

// Chosen returns the condition without its for_s, and the key that names the condition. It fails if none or more than
// one is named.
func (c *Choice) Chosen() (key string, chosen Condition, err error) {
	key, value, err := rules.One(c, "needs one condition of", "needs one condition; all = [...] joins several")
	if err != nil {
		return "", nil, err
	}
	return key, value.(Condition), nil
}

func (c *Choice) Validate(w World) error {
	key, chosen, err := c.Chosen()
	if err != nil {
		return &schema.Violation{Rule: err.Error()}
	}
	if err := w.FindPart(rules.Needs(c, key)); err != nil {
		return violation(key, nil, err)
	}
	return Below(key, chosen.Validate(w))
}

func (c *Choice) Bind(s State) (Test, error) {
	_, chosen, err := c.Chosen()
	if err != nil {
		return Test{}, err
	}
	test, err := chosen.Bind(s)
	if err != nil || c.For == 0 {
		return test, err
	}
	truth, held := s.Truth(), &holding{step: never}
	s.Keep(held)
	return Test{func() bool {
		if !test.Holds() {
			held.step = never
			return false
		}
		if held.step < truth.Step-1 {
			held.since = truth.Time
		}
		held.step = truth.Step
		return truth.Time-held.since >= c.For
	}, test.Now}, nil
}

// holding records for how long a condition has held without a break.
type holding struct {
	since time.Duration
	step  int64 // index of the last step in which the condition held
}

// never is an index that no step has. It is also not the index before that of the first step, so that no step directly
// follows it.
const never = -2

func (h *holding) Exchange(c *keyframe.Codec) {
	c.Duration(&h.since)
	c.Int64(&h.step)
}

func (c *Choice) String() string {
	_, chosen, err := c.Chosen()
	switch {
	case err != nil:
		return err.Error()
	case c.For > 0:
		return fmt.Sprintf("%v for %v s", chosen, c.For.Seconds())
	}
	return chosen.String()
}

// All holds while all of its conditions hold. Any holds while at least one of its conditions holds.
type (
	All []Choice
	Any []Choice
)

func (a All) Validate(w World) error { return validate(a, w) }
func (a Any) Validate(w World) error { return validate(a, w) }

func (a All) Bind(s State) (Test, error) {
	tests, err := bind(a, s)
	return Test{func() bool {
		all := true
		// calls every test in every step, because a test with for_s measures for how long it has held
		for _, test := range tests {
			all = test.Holds() && all
		}
		return all
	}, describeAll(tests)}, err
}

func (a Any) Bind(s State) (Test, error) {
	tests, err := bind(a, s)
	return Test{func() bool {
		any := false
		for _, test := range tests {
			any = test.Holds() || any
		}
		return any
	}, describeAll(tests)}, err
}

func (a All) String() string { return join(a, " and ") }
func (a Any) String() string { return join(a, " or ") }

// Not holds while the condition inside it does not hold.
type Not struct{ Choice }

func (n *Not) Bind(s State) (Test, error) {
	test, err := n.Choice.Bind(s)
	return Test{func() bool { return !test.Holds() }, test.Now}, err
}

func (n *Not) String() string { return "not (" + n.Choice.String() + ")" }

func validate(list []Choice, w World) error {
	if len(list) == 0 {
		return &schema.Violation{Rule: "needs one condition at least"}
	}
	var errs []error
	for i := range list {
		errs = append(errs, Below(fmt.Sprintf("[%d]", i), list[i].Validate(w)))
	}
	return errors.Join(errs...)
}

func bind(list []Choice, s State) ([]Test, error) {
	tests := make([]Test, len(list))
	var errs []error
	for i := range list {
		test, err := list[i].Bind(s)
		tests[i] = test
		errs = append(errs, err)
	}
	return tests, errors.Join(errs...)
}

func join(list []Choice, with string) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].String()
		if len(list) > 1 && (len(list[i].All) > 1 || len(list[i].Any) > 1) {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, with)
}

// describeAll returns a function that describes the present values of several tests. The description of a test is left
// out if the description of another test contains it.
func describeAll(tests []Test) func() string {
	return func() string {
		var texts []string
		for _, test := range tests {
			text := test.Now()
			if slices.ContainsFunc(texts, func(said string) bool { return containsSequence(said, text) }) {
				continue
			}
			texts = slices.DeleteFunc(texts, func(said string) bool { return containsSequence(text, said) })
			texts = append(texts, text)
		}
		return strings.Join(texts, ", ")
	}
}

// containsSequence reports whether a list contains the items of another list, side by side and in the same order. Both
// lists separate their items by ", ".
func containsSequence(list, things string) bool {
	return strings.Contains(", "+list+", ", ", "+things+", ")
}

// Happened holds once an event has happened the given number of times.
type Happened struct {
	Event string `toml:"event" required:"true" doc:"name of an event"`
	Times int    `toml:"times" range:"[0, 1000000]" doc:"smallest number of times; 1 if left out"`
}

func (c *Happened) Validate(w World) error { return violation("event", c.Event, w.FindEvent(c.Event)) }

func (c *Happened) Bind(s State) (Test, error) {
	event, err := s.Event(c.Event)
	return Test{func() bool { return event.Count >= max(c.Times, 1) }, func() string {
		if event.Count == 0 {
			return "event " + c.Event + " has not happened"
		}
		return fmt.Sprintf("event %s happened %s, last at %.3f s", c.Event, TimesText(event.Count),
			event.Last.Seconds())
	}}, err
}

func (c *Happened) String() string {
	if c.Times > 1 {
		return fmt.Sprintf("event %s happened %s", c.Event, TimesText(c.Times))
	}
	return "event " + c.Event + " happened"
}

// Needs lists the events that must happen before the condition can hold: the event of `happened`, or the events of all
// members of `all`. A `happened` inside `any` or `not` is left out, because the condition can hold without it.
func (c *Choice) Needs() (events []string) {
	if c == nil {
		return nil
	}
	if c.Happened != nil {
		events = append(events, c.Happened.Event)
	}
	for i := range c.All {
		events = append(events, c.All[i].Needs()...)
	}
	return events
}

// Counts lists the events whose occurrences the condition counts. The result alone is true if the condition depends on
// nothing else, apart from the time. No condition depends on nothing.
func (c *Choice) Counts() (events []string, alone bool) {
	switch {
	case c == nil:
		return nil, true
	case c.Happened != nil:
		return []string{c.Happened.Event}, true
	case c.Not != nil:
		return c.Not.Counts()
	case c.All == nil && c.Any == nil:
		return nil, false
	}
	alone = true
	for _, list := range [...][]Choice{c.All, c.Any} {
		for i := range list {
			inner, same := list[i].Counts()
			events, alone = append(events, inner...), alone && same
		}
	}
	return events, alone
}

// TimesText returns a count of repetitions in words.
func TimesText(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
