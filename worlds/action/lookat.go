package action

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/sensors"
)

// LookAt makes a camera's head turn towards a point that moves with the camera's robot. The action takes over from the
// robot's own head controller, so the camera must be at a level without images.
type LookAt struct {
	Robot  string  `toml:"robot" required:"true"`
	Sensor string  `toml:"sensor" required:"true"`
	X      float64 `toml:"x_m" range:"[-1000, 1000]" doc:"position of the point, forward in the robot's frame"`
	Y      float64 `toml:"y_m" range:"[-1000, 1000]" doc:"position of the point, to the left"`
	Z      float64 `toml:"z_m" range:"[-1000, 1000]" doc:"height of the point"`
}

func (l *LookAt) Validate(w World) error { return validateHead(l.Robot, l.Sensor, w) }

func (l *LookAt) Do(s Simulation) error {
	return command(s, l.Robot, l.Sensor, sensors.HeadCommand{Mode: sensors.HeadAt, PointB: mgl64.Vec3{l.X, l.Y, l.Z}})
}

// command gives a command to the controller of a camera's head.
func command(s Simulation, robot, sensor string, g sensors.HeadCommand) error {
	head, level, err := s.Head(robot, sensor)
	if err != nil {
		return err
	}
	if level.Rendered() {
		return fmt.Errorf("%s.%s: head commanded at level %s: must be one of features, objects, truth; at %s the "+
			"head can be aimed", robot, sensor, level, level)
	}
	head.Command(g)
	return nil
}
