package worlds

import (
	"fmt"
	"path"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// ApplyLevel sets the initial level of sensors. The argument has the form ROBOT.SENSOR=LEVEL. A pattern with * sets the
// level of all matching sensors that have such a level. Without *, each matching sensor must have such a level.
func (w *World) ApplyLevel(text string) error {
	pattern, name, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("must be ROBOT.SENSOR=LEVEL")
	}
	level := abstraction.Level(name)
	wild := strings.Contains(pattern, "*")
	matched, set := false, false
	var all []string
	var known abstraction.Levels // levels of the matching sensors
	for i := range w.Robots {
		r := &w.Robots[i]
		for j := range r.Sensors {
			c := &r.Sensors[j]
			full := r.Name + "." + c.Name
			all = append(all, full)
			if ok, err := path.Match(pattern, full); err != nil {
				return fmt.Errorf("%q is no pattern", pattern)
			} else if !ok {
				continue
			}
			matched = true
			for _, l := range c.Kind.Levels() {
				if !l.In(known) {
					known = append(known, l)
				}
			}
			if level.In(c.Kind.Levels()) {
				c.Level, set = level, true
			} else if !wild {
				err := fmt.Errorf("level = %q: must be one of %v for kind %s", name, c.Kind.Levels(), c.Kind)
				return meant(err, name, c.Kind.Levels())
			}
		}
	}
	switch {
	case !matched:
		return meant(fmt.Errorf("there is no sensor %s", pattern), pattern, all)
	case !set:
		err := fmt.Errorf("no sensor that matches %s has level %q: they have %v", pattern, name, known)
		return meant(err, name, known)
	}
	return nil
}

// meant returns err. If word is similar to a choice, it adds that choice to the error as a suggestion.
func meant[S ~string](err error, word string, choices []S) error {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = string(c)
	}
	if near := rules.Nearest(word, names); near != "" {
		return fmt.Errorf("%w, did you mean %s?", err, near)
	}
	return err
}
