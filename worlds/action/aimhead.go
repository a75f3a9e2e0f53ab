package action

import (
	"errors"
)

// AimHead makes a camera's head turn to a pan angle and a tilt angle, as far and as fast as it can, and stay there.
type AimHead struct {
	Robot  string  `toml:"robot" required:"true"`
	Sensor string  `toml:"sensor" required:"true"`
	Pan    float64 `toml:"pan_deg" doc:"pan, anticlockwise"`
	Tilt   float64 `toml:"tilt_deg" doc:"tilt; positive looks down"`
}

func (a *AimHead) Validate(w World) error { return validateHead(a.Robot, a.Sensor, w) }

func (a *AimHead) Do(s Simulation) error {
	head, _, err := s.Head(a.Robot, a.Sensor)
	if err != nil {
		return err
	}
	head.Aim(a.Pan, a.Tilt)
	return nil
}

// validateHead returns an error unless the sensor is a camera with a head.
func validateHead(robot, sensor string, w World) error {
	c, err := w.FindSensor(robot, sensor)
	if err == nil && c != nil && c.Head == nil {
		err = errors.New("has no head to turn")
	}
	return violation("sensor", sensor, err)
}
