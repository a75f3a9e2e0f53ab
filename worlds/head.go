package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// validateHeads reports events that give a command to a head's controller at a time at which the camera delivers
// images. At such a time the robot's own software turns the head.
func (w *World) validateHeads() error {
	var order []int
	for i := range w.Events {
		// the time of other events is unknown
		if e := &w.Events[i]; e.When == nil && e.After == "" && e.Every == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.Events[a].At, w.Events[b].At) })
	type camera struct{ robot, sensor string }
	levels := map[camera]abstraction.Level{} // level of each camera, as set by the events so far
	var errs []error
	for _, i := range order {
		key, a, err := w.Events[i].Action()
		// the method events reports it
		if err != nil || a == nil || !w.NoErrorAt(fmt.Sprintf("event[%d]", i)) || a.Validate(w) != nil {
			continue
		}
		var commanded camera
		switch a := a.(type) {
		case *action.SetLevel:
			levels[camera{a.Robot, a.Sensor}] = a.Level
			continue
		case *action.LookAt:
			commanded = camera{a.Robot, a.Sensor}
		case *action.SetHeadMode:
			commanded = camera{a.Robot, a.Sensor}
		}
		c, known := w.Sensor(commanded.robot, commanded.sensor)
		if !known { // the action is another one, or the sensor belongs to a model that could not be read
			continue
		}
		if level := cmp.Or(levels[commanded], c.Level); level.Rendered() {
			errs = append(errs, &schema.Violation{Path: fmt.Sprintf("event[%d].%s", i, key), Key: "sensor",
				Value: commanded.sensor,
				Rule: fmt.Sprintf("is at level %s then: must be at features, objects or truth; at %s the head can be "+
					"aimed", level, level)})
		}
	}
	return errors.Join(errs...)
}
