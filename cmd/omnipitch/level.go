package main

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// sensorLevels returns the levels in world files. Each kind of sensor has some of them.
func sensorLevels() []string {
	field, ok := reflect.TypeFor[sensors.Config]().FieldByName("Level")
	if !ok {
		panic("a sensor's configuration has no level")
	}
	return strings.Split(field.Tag.Get("oneof"), "|")
}

// applyLevels applies ROBOT.SENSOR=LEVEL flags in their order. name is the name of the flag. A pattern with * sets all
// matching sensors that have the level. A plain name must match a sensor that has it.
func applyLevels(w *worlds.World, name string, flags []string) error {
	for _, flag := range flags {
		if err := applyLevel(w, flag); err != nil {
			return console.BadInputf("%s %s: %w", name, flag, err)
		}
	}
	return nil
}

func applyLevel(w *worlds.World, flag string) error {
	pattern, name, ok := strings.Cut(flag, "=")
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

// meant adds a suggestion to an error about a misspelled word.
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
