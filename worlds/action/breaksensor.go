package action

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/sensors"
)

// BreakSensor gives a sensor a fault at every level, from its next frame on. The fault lasts until HealSensor removes
// it or another BreakSensor replaces it.
type BreakSensor struct {
	Robot  string        `toml:"robot" required:"true"`
	Sensor string        `toml:"sensor" required:"true"`
	Fault  sensors.Fault `toml:"fault" required:"true" oneof:"freeze|black|noise|off" doc:"kind of fault: repeat the last frame's content with new stamps; show nothing; deliver noise, or at upper levels misses and false detections; deliver nothing"`
}

func (b *BreakSensor) Validate(w World) error {
	c, err := w.FindSensor(b.Robot, b.Sensor)
	if err != nil || c == nil || c.Kind == "" {
		return violation("sensor", b.Sensor, err)
	}
	if all := c.Kind.Faults(); !slices.Contains(all, b.Fault) {
		return violation("fault", string(b.Fault), fmt.Errorf("must be one of %v for kind %s", all, c.Kind))
	}
	return nil
}

func (b *BreakSensor) Do(s Simulation) error { return s.SetFault(b.Robot, b.Sensor, b.Fault) }

// HealSensor removes a sensor's fault, from its next frame on.
type HealSensor struct {
	Robot  string `toml:"robot" required:"true"`
	Sensor string `toml:"sensor" required:"true"`
}

func (h *HealSensor) Validate(w World) error {
	_, err := w.FindSensor(h.Robot, h.Sensor)
	return violation("sensor", h.Sensor, err)
}

func (h *HealSensor) Do(s Simulation) error { return s.SetFault(h.Robot, h.Sensor, "") }
