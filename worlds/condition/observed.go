package condition

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
)

// findCamera returns an error if the sensor does not exist or is not a camera.
func findCamera(w World, robot, sensor string) error {
	cfg, err := w.FindSensor(robot, sensor)
	if err == nil && cfg != nil && cfg.Kind != "" && !cfg.Kind.TakesImages() {
		err = fmt.Errorf("is no camera but of kind %s", cfg.Kind)
	}
	return violation("sensor", sensor, err)
}

// findReporting returns an error if the camera does not exist, or if it is never at a level whose frames contain what
// the condition judges. The function gives reports whether the frames of a level do.
func findReporting(w World, robot, sensor string, gives func(abstraction.Level) bool, what, levels string) error {
	err := findCamera(w, robot, sensor)
	if err == nil && !w.CanBe(robot, sensor, gives) {
		err = violation("sensor", sensor, fmt.Errorf("is never at a level that has %s: needs %s, as its own level or "+
			"by "+
			"set_level", what, levels))
	}
	return err
}

func reportsThings(l abstraction.Level) bool {
	return l == abstraction.Features || l == abstraction.Objects || l == abstraction.Truth
}

func anyLevel(abstraction.Level) bool { return true }
