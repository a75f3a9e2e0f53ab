package condition

import (
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
)

// Level holds while the level of a sensor's next frame is the given one.
type Level struct {
	Robot  string            `toml:"robot" required:"true"`
	Sensor string            `toml:"sensor" required:"true"`
	Is     abstraction.Level `toml:"is" required:"true"`
}

func (c *Level) Validate(w World) error {
	cfg, err := w.FindSensor(c.Robot, c.Sensor)
	if err != nil || cfg == nil || cfg.Kind == "" {
		return violation("sensor", c.Sensor, err)
	}
	if levels := cfg.Kind.Levels(); !c.Is.In(levels) {
		return violation("is", string(c.Is), fmt.Errorf("must be one of %v for kind %s", levels, cfg.Kind))
	}
	return nil
}

func (c *Level) Bind(s State) (Test, error) {
	level, err := s.Level(c.Robot, c.Sensor)
	return Test{
		func() bool { return level() == c.Is },
		func() string { return fmt.Sprintf("%s.%s at level %s", c.Robot, c.Sensor, level()) },
	}, err
}

func (c *Level) String() string { return fmt.Sprintf("%s.%s at level %s", c.Robot, c.Sensor, c.Is) }
