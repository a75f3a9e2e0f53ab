package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Event carries out one action, at a time or when a condition starts to hold. An event with a name needs no action.
// Without an action, it marks a moment to which other events and expectations refer.
type Event struct {
	Name   string            `toml:"name" match:"name" fixed:"true" doc:"name for after, before and happened; an event with a name needs no action: it then marks a moment"`
	At     time.Duration     `toml:"at_s" range:"[0, 1000000]" doc:"sim time, or time since after; the event happens before anything observes that time"`
	Every  time.Duration     `toml:"every_s" range:"[0, 1000000]" doc:"period of repetition from at_s on; left out, once"`
	When   *condition.Choice `toml:"when" doc:"condition that triggers the event when it starts to hold; it is judged from at_s on, and counts if it holds then"`
	After  string            `toml:"after" doc:"another event: this one waits for it, and counts at_s from it"`
	Repeat bool              `toml:"repeat" doc:"whether the event happens each time that when starts to hold, or that after happens; otherwise once"`
	Times  int               `toml:"times" range:"[0, 1000000]" doc:"largest number of times, with every_s or repeat; left out, any"`
	action.Choice
}

// Action returns the event's action and the action's key. It returns nil for an event that only marks a moment. It
// fails if there are several actions, or if there is neither a name nor an action.
func (e *Event) Action() (key string, a action.Action, err error) {
	if e.Name != "" && e.Choice == (action.Choice{}) {
		return "", nil, nil
	}
	return e.Choice.Action()
}

// validateEvents reports events without the action that they need, and events whose action names something the world
// does not have.
func (w *World) validateEvents() error {
	var errs []error
	circles := w.circles()
	for i := range w.Events {
		path, e := fmt.Sprintf("event[%d]", i), &w.Events[i]
		if !w.NoErrorAt(path) {
			continue
		}
		errs = append(errs, condition.Below(path, w.validateTiming(e, circles)))
		if e.When != nil {
			errs = append(errs, condition.Below(path+".when", e.When.Validate(w)))
		}
		key, a, err := e.Action()
		if err != nil {
			errs = append(errs, &schema.Violation{Path: path, Rule: err.Error()})
		} else if a == nil {
			continue
		} else if err := w.FindPart(rules.Needs(&e.Choice, key)); err != nil {
			errs = append(errs, &schema.Violation{Path: path, Key: key, Rule: err.Error()})
		} else if v, ok := errors.AsType[*schema.Violation](a.Validate(w)); ok {
			v.Path = strings.TrimSuffix(path+"."+key+"."+v.Path, ".")
			errs = append(errs, v)
		}
	}
	return errors.Join(errs...)
}

// validateTiming reports contradictory keys about the time of an event. The argument circles is the result of
// [World.circles].
func (w *World) validateTiming(e *Event, circles map[string]int) error {
	var errs []error
	fail := func(key string, value any, rule string) {
		errs = append(errs, &schema.Violation{Key: key, Value: value, Rule: rule})
	}
	circular := func(other string) bool {
		circle := circles[e.Name]
		return circle != 0 && circle == circles[other]
	}
	if e.Every > 0 && e.When != nil {
		fail("every_s", e.Every.Seconds(), "cannot be combined with when")
	}
	if e.Every > 0 && e.Every < w.Time.Step && w.NoErrorAt("time") {
		fail("every_s", e.Every.Seconds(), fmt.Sprintf("must be at least a step, %v s", w.Time.Step.Seconds()))
	}
	if e.Repeat && (e.Every > 0 || e.When == nil && e.After == "") {
		fail("repeat", e.Repeat, "needs when or after; every_s repeats by itself")
	}
	if e.Times > 0 && e.Every == 0 && !e.Repeat {
		fail("times", e.Times, "needs every_s or repeat")
	}
	if e.After != "" {
		if err := w.FindEvent(e.After); err != nil {
			fail("after", e.After, err.Error())
		} else if circular(e.After) {
			fail("after", e.After, "waits for itself")
		}
	}
	for _, other := range e.When.Needs() {
		if circular(other) {
			fail("when", nil, fmt.Sprintf("waits for itself: it needs event %s to have happened, which cannot happen "+
				"before", other))
		}
	}
	return errors.Join(errs...)
}

// validateExpectations reports keys of expectations that name something the world does not have.
func (w *World) validateExpectations() error {
	var errs []error
	for i := range w.Expect {
		if path := fmt.Sprintf("expect[%d]", i); w.NoErrorAt(path) {
			errs = append(errs, condition.Below(path, w.Expect[i].Check(w)),
				condition.Below(path, w.validateWindow(&w.Expect[i])))
		}
	}
	return errors.Join(errs...)
}

// validateTask reports keys of the task that name something the world does not have.
func (w *World) validateTask() error {
	if w.Task == nil || !w.NoErrorAt("task") {
		return nil
	}
	return condition.Below("task", w.Task.Validate(w))
}

// validateWindow reports an expectation whose window is longer than the test. It ignores a window that starts after an
// event, and a window that an event may close, because the end of such a window is unknown.
func (w *World) validateWindow(e *expectation.Expectation) error {
	const rule = "must be at most [test] for_s = %v: no test lasts until the window %s"
	switch test := w.Test.For; {
	case !w.NoErrorAt("test"):
		return nil
	case e.From > test:
		return &schema.Violation{Key: "from_s", Value: e.From.Seconds(), Rule: fmt.Sprintf(rule, test.Seconds(),
			"begins")}
	case e.Within > test && e.After == "" && e.Before == "":
		return &schema.Violation{Key: "within_s", Value: e.Within.Seconds(), Rule: fmt.Sprintf(rule, test.Seconds(),
			"ends")}
	}
	return nil
}

// AllAreas returns the areas of the field and of the world.
func (w *World) AllAreas() area.Areas { return area.Of(&w.Field.Field, w.Areas) }

// FindArea, FindEvent and FindReferee are methods of condition.World.
func (w *World) FindArea(name string) error {
	if !w.NoErrorAt("area") {
		return nil
	}
	_, err := w.AllAreas().Find(name)
	return err
}

func (w *World) FindReferee() error {
	if w.Referee == RefereeAuto || !w.NoErrorAt("referee") {
		return nil
	}
	return errors.New(`needs referee = "auto"`)
}

// FindPart is a method of action.World, condition.World and player.World.
func (w *World) FindPart(name string) error {
	switch {
	case name != "" && w.Ball.Absent:
		return errors.New("needs a ball: the world has none, because of ball = false")
	case name == "goals" && !w.Field.HasGoals:
		return errors.New("needs goals: the field has none")
	}
	return nil
}

func (w *World) FindEvent(name string) error {
	if !w.NoErrorAt("event") {
		return nil
	}
	var names []string
	for i := range w.Events {
		if w.Events[i].Name == name {
			return nil
		}
		if w.Events[i].Name != "" {
			names = append(names, w.Events[i].Name)
		}
	}
	return errors.New("there is no such event" + rules.DidYouMean(name, names))
}

// FindRobot, FindNumber, FindSensor, FindBody, FindBoard and FindLamp are methods of action.World. FindRobot,
// FindSensor and FindBody are also methods of condition.World, which has FindBodies, too.
func (w *World) FindRobot(name string) (physics.Robot, error) {
	if r, ok := w.Robot(name); ok {
		return r.physics(), nil
	}
	return physics.Robot{}, errors.New("there is no such robot")
}

// FindOdometry is a method of action.World.
func (w *World) FindOdometry(robot string) error {
	r, ok := w.Robot(robot)
	is := func(c sensors.Config) bool { return c.Kind == "odometry" }
	switch {
	case !ok:
		return errors.New("there is no such robot")
	case w.complete(robot) && !slices.ContainsFunc(r.Sensors, is):
		return errors.New("has no odometry")
	}
	return nil
}

func (w *World) FindNumber(team physics.Team, number int) error {
	for i := range w.Robots {
		if w.Robots[i].Team == team && w.Robots[i].Number == number {
			return nil
		}
	}
	return fmt.Errorf("%s has no robot of that number", team)
}

func (w *World) FindSensor(robot, sensor string) (*sensors.Config, error) {
	c, ok := w.Sensor(robot, sensor)
	if ok || !w.complete(robot) {
		return c, nil
	}
	return nil, fmt.Errorf("there is no sensor %s.%s%s", robot, sensor, w.similarSensor(robot, sensor))
}

// CanBe implements condition.World.
func (w *World) CanBe(robot, sensor string, levels func(abstraction.Level) bool) bool {
	c, ok := w.Sensor(robot, sensor)
	if !ok || c.Level == "" || levels(c.Level) || !w.NoErrorAt("robot") || !w.NoErrorAt("event") {
		return true
	}
	return slices.ContainsFunc(w.Events, func(e Event) bool {
		set := e.SetLevel
		return set != nil && set.Robot == robot && set.Sensor == sensor && levels(set.Level)
	})
}

func (w *World) FindBody(name string) error {
	if w.hasBody(name) {
		return nil
	}
	if name == "ball" {
		return w.FindPart(name)
	}
	return w.unmoving(name)
}

func (w *World) FindAnswers() error {
	if len(w.Time.WaitFor) > 0 {
		return nil
	}
	return errors.New("needs [[time.wait_for]]: no robot is waited for")
}

func (w *World) FindBoard(name string) error {
	if w.board(name) {
		return nil
	}
	return errors.New("there is no such board")
}
