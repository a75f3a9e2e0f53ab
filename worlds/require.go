package worlds

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Requirement is a condition that must hold at time 0. The random values of a world are drawn again until it does.
type Requirement struct{ condition.Choice }

// start is the state of a world at time 0, before the first step.
type start struct {
	*World
	model *physics.Model
	truth *physics.Snapshot
}

// startState returns the state in which w starts.
func (w *World) startState() start {
	m := w.Model()
	return start{w, m, m.Start()}
}

var errNotRunning = errors.New("cannot be judged at time 0, only while the world runs")

// start implements condition.State.
func (s start) Model() *physics.Model    { return s.model }
func (s start) Truth() *physics.Snapshot { return s.truth }
func (s start) Areas() area.Areas        { return s.AllAreas() }
func (s start) Game() *game.Game         { return game.New(&s.World.Field.Field, s.Ball.Radius) }

func (s start) Event(string) (*condition.Occurrences, error) { return nil, errNotRunning }
func (s start) EachStep(func())                              {}
func (s start) Keep(keyframe.Exchanger)                      {}

func (s start) Decisions() (func() []referee.Decision, error) { return nil, errNotRunning }

func (s start) Subscribe(string, []string, func(*condition.Message)) error { return errNotRunning }

func (s start) Listen(string, string, func(abstraction.Level) bool, func(*sensors.Observation)) error {
	return errNotRunning
}

func (s start) Level(robot, sensor string) (func() abstraction.Level, error) {
	c, err := s.FindSensor(robot, sensor)
	if err != nil {
		return nil, err
	}
	return func() abstraction.Level { return c.Level }, nil
}

// validateRequirements reports errors in the world's requirements. It also reports requirements that do not hold.
func (w *World) validateRequirements() error {
	begin := w.startState()
	var errs []error
	for i := range w.Require {
		path, r := fmt.Sprintf("require[%d]", i), &w.Require[i].Choice
		if !w.NoErrorAt(path) {
			continue
		}
		err := r.Validate(w)
		if err == nil && lasts(r) {
			err = &schema.Violation{Rule: "for_s is for events and expectations: a world keeps requirements at " +
				"time 0"}
		}
		if err == nil && w.physicsRead() {
			if _, bindErr := r.Bind(begin); bindErr != nil {
				err = &schema.Violation{Rule: bindErr.Error()}
			}
		}
		errs = append(errs, condition.Below(path, err))
	}
	// A random world is not judged here, because its values are drawn again until its requirements hold.
	if err := errors.Join(errs...); err != nil || !w.NoErrorAt("require") || !w.physicsRead() || w.Random() {
		return err
	}
	return w.unmet(begin)
}

// unmet reports the requirements that can be judged at the start and do not hold.
func (w *World) unmet(begin start) error {
	var errs []error
	for i := range w.Require {
		r := &w.Require[i].Choice
		if lasts(r) {
			continue
		}
		if test, err := r.Bind(begin); err == nil && !test.Holds() {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("require[%d]", i),
				Rule: fmt.Sprintf("requires %v, but there is %s", r, test.Now())})
		}
	}
	return errors.Join(errs...)
}

// lasts reports whether a condition has a for_s, or contains a condition with one.
func lasts(c *condition.Choice) bool {
	inner := slices.Concat([]condition.Choice(c.All), []condition.Choice(c.Any))
	if c.Not != nil {
		inner = append(inner, c.Not.Choice)
	}
	return c.For > 0 || slices.ContainsFunc(inner, func(c condition.Choice) bool { return lasts(&c) })
}

// maxNumber is the largest number that a robot may have. It equals the largest number of robots in a world.
const maxNumber = 500

// shirt is the number of a robot within its team.
type shirt struct {
	team   physics.Team
	number int
}

// assignNumbers gives each robot without a number one that is free in its team, in the order of the file. A robot whose
// name ends with a free number gets this number: cyan1 wears a 1. Of the others, a robot with an extension, as
// goalkeepers have, gets the number 1, and the rest get numbers from 2 on.
func (w *World) assignNumbers() {
	taken := map[shirt]bool{}
	next := map[physics.Team]int{}
	w.given = nil
	for i := range w.Robots {
		r := &w.Robots[i]
		taken[shirt{r.Team, r.Number}], next[r.Team] = true, 2
		w.given = append(w.given, r.Number != 0)
	}
	wants := func(i int) bool {
		return w.Robots[i].Number == 0 && w.NoErrorAt(fmt.Sprintf("robot[%d].number", i))
	}
	for i := range w.Robots {
		r := &w.Robots[i]
		if n := numberInName(r.Name); n > 0 && wants(i) && !taken[shirt{r.Team, n}] {
			r.Number, taken[shirt{r.Team, n}] = n, true
		}
	}
	for i := range w.Robots {
		r := &w.Robots[i]
		if !wants(i) {
			continue
		}
		for next[r.Team] <= maxNumber && taken[shirt{r.Team, next[r.Team]}] {
			next[r.Team]++
		}
		r.Number = next[r.Team]
		if keeper := r.Extension != nil; (keeper || r.Number > maxNumber) && !taken[shirt{r.Team, 1}] {
			r.Number = 1
		}
		taken[shirt{r.Team, r.Number}] = true
	}
}

// numberInName returns the number with which a robot's name ends, which may have leading zeros. It returns 0 if the
// name ends with none from 1 to maxNumber.
func numberInName(name string) int {
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	n, err := strconv.Atoi(digits)
	if err != nil || n > maxNumber {
		return 0
	}
	return n
}

// NumberAssigned reports whether assignNumbers assigned a robot's number because the file gives none. The argument
// robot is the robot's index.
func (w *World) NumberAssigned(robot int) bool { return robot < len(w.given) && !w.given[robot] }

// validateNumbers reports robots of the same team that have the same number.
func (w *World) validateNumbers() error {
	first := map[shirt]int{}
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d]", i)
		if !w.NoErrorAt(at+".team") || !w.NoErrorAt(at+".number") || !w.NoErrorAt(at+".model") {
			continue
		}
		s := shirt{r.Team, r.Number}
		have, known := first[s]
		if !known {
			first[s] = i
			continue
		}
		path, key := w.clash(have, i)
		errs = append(errs, &schema.Violation{Path: path, Key: key,
			Rule: fmt.Sprintf("%s and %s of team %s both have number %d", w.Robots[have].Name, r.Name, r.Team,
				r.Number)})
	}
	return errors.Join(errs...)
}

// clash returns the path and the key that the error should name when two robots have the same number. The arguments are
// the robots' indices. The error names the second robot, unless the world's own file gives a number or a team only for
// the first.
func (w *World) clash(first, second int) (path, key string) {
	at := func(robot int) string { return fmt.Sprintf("robot[%d]", robot) }
	if w.file != nil {
		for _, key := range []string{"number", "team"} {
			for _, robot := range []int{second, first} {
				if w.file.Own(at(robot) + "." + key) {
					return at(robot), key
				}
			}
		}
	}
	return at(second), "number"
}
