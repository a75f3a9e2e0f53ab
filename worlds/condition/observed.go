package condition

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
)

// findCamera reports a sensor that is not there, or takes no images.
func findCamera(w World, robot, sensor string) error {
	cfg, err := w.FindSensor(robot, sensor)
	if err == nil && cfg != nil && cfg.Kind != "" && !cfg.Kind.TakesImages() {
		err = fmt.Errorf("is no camera but of kind %s", cfg.Kind)
	}
	return wrong("sensor", sensor, err)
}

func reportsThings(l abstraction.Level) bool {
	return l == abstraction.Features || l == abstraction.Objects || l == abstraction.Truth
}

func anyLevel(abstraction.Level) bool { return true }
