package worlds

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Event has one action done at a time.
type Event struct {
	At time.Duration `toml:"at_s" range:"[0, 1000000]" doc:"sim time; it happens before anything observes that time"`
	action.Choice
}

// events reports events whose action is missing, or asks for what the world does not have.
func (w *World) events() error {
	var errs []error
	for i := range w.Events {
		path := fmt.Sprintf("event[%d]", i)
		if !w.Sound(path) {
			continue
		}
		key, a, err := w.Events[i].Action()
		if err != nil {
			errs = append(errs, &schema.Violation{Path: path, Rule: err.Error()})
		} else if v, ok := errors.AsType[*schema.Violation](a.Validate(w)); ok {
			v.Path = path + "." + key
			errs = append(errs, v)
		}
	}
	return errors.Join(errs...)
}

// FindRobot, FindSensor, FindBody and FindBoard implement action.World.
func (w *World) FindRobot(name string) (physics.Robot, error) {
	if r, ok := w.Robot(name); ok {
		return r.physics(), nil
	}
	return physics.Robot{}, errors.New("there is no such robot")
}

func (w *World) FindSensor(robot, sensor string) (*sensors.Config, error) {
	c, ok := w.Sensor(robot, sensor)
	if ok || !w.complete(robot) {
		return c, nil
	}
	return nil, fmt.Errorf("there is no sensor %s.%s%s", robot, sensor, w.meant(robot, sensor))
}

func (w *World) FindBody(name string) error {
	if w.has(name) {
		return nil
	}
	return errors.New("is neither ball, robot nor obstacle")
}

func (w *World) FindBoard(name string) error {
	if w.board(name) {
		return nil
	}
	return errors.New("there is no such board")
}
