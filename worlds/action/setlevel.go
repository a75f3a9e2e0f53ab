package action

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
)

// SetLevel sets the level of a sensor's next frame. If no sensor has had a level with images so far, the simulation
// waits until the renderers are ready.
type SetLevel struct {
	Robot  string `toml:"robot" required:"true"`
	Sensor string `toml:"sensor" required:"true"`
	// any name is accepted, because a Go program may have added the level
	Level abstraction.Level `toml:"level" required:"true"`
}

func (l *SetLevel) Validate(w World) error {
	c, err := w.FindSensor(l.Robot, l.Sensor)
	if err != nil || c == nil || c.Kind == "" {
		return violation("sensor", l.Sensor, err)
	}
	if levels := c.Kind.Levels(); !l.Level.In(levels) {
		return violation("level", string(l.Level), fmt.Errorf("must be one of %v for kind %s", levels, c.Kind))
	}
	return nil
}

func (l *SetLevel) Do(s Simulation) error { return s.SetLevel(l.Robot, l.Sensor, l.Level) }
