package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// gazes reports events that command a head's controller at a time at which its camera delivers pictures: then the robot's
// own software turns the head.
func (w *World) gazes() error {
	order := make([]int, len(w.Events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.Events[a].At, w.Events[b].At) })
	levels := map[string]abstraction.Level{} // by ROBOT.SENSOR, of those that events have set so far
	var errs []error
	for _, i := range order {
		e := &w.Events[i]
		if robot, sensor, level, ok := e.LevelChange(); ok {
			levels[robot+"."+sensor] = level
			continue
		}
		robot, sensor, _, ok := e.Gazing()
		if !ok || w.event("", e) != nil { // of which event tells
			continue
		}
		c, known := w.Sensor(robot, sensor)
		if !known { // of a model that is not to be had
			continue
		}
		level := c.Level
		if set, ok := levels[e.Gaze]; ok {
			level = set
		}
		if level.Rendered() {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("event[%d]", i), Key: "gaze", Value: e.Gaze,
				Rule: fmt.Sprintf("is at level %s then: must be at features, objects or truth; at %s the head can be aimed", level, level)})
		}
	}
	return errors.Join(errs...)
}
