package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// applyLevels carries out --level ROBOT.SENSOR=LEVEL flags, in their order. A pattern with * sets what it matches and
// what knows the level; a plain name must do both.
func applyLevels(w *worlds.World, flags []string) error {
	for _, flag := range flags {
		if err := applyLevel(w, flag); err != nil {
			return badInput{fmt.Errorf("--level %s: %w", flag, err)}
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
			if level.In(c.Kind.Levels()) {
				c.Level, set = level, true
			} else if !wild {
				return fmt.Errorf("level = %q: must be one of %v for kind %s", name, c.Kind.Levels(), c.Kind)
			}
		}
	}
	switch {
	case !matched:
		err := fmt.Errorf("there is no sensor %s", pattern)
		if near := schema.Nearest(pattern, all); near != "" {
			err = fmt.Errorf("%w, did you mean %s?", err, near)
		}
		return err
	case !set:
		return fmt.Errorf("level = %q: no sensor that matches %s knows it", name, pattern)
	}
	return nil
}
