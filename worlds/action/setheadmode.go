package action

import "github.com/omnipitch/omnipitch/sensors"

// SetHeadMode sets the mode of the controller of a camera's head. The action takes over from the robot's own head
// controller, so the camera must be at a level without images.
type SetHeadMode struct {
	Robot  string           `toml:"robot" required:"true"`
	Sensor string           `toml:"sensor" required:"true"`
	Mode   sensors.HeadMode `toml:"mode" required:"true" oneof:"hold|search|track" doc:"mode: stay, search for the ball, or follow the ball"`
}

func (m *SetHeadMode) Validate(w World) error { return validateHead(m.Robot, m.Sensor, w) }

func (m *SetHeadMode) Do(s Simulation) error {
	return command(s, m.Robot, m.Sensor, sensors.HeadCommand{Mode: m.Mode})
}
