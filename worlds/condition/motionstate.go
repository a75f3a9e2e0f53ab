package condition

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
)

// Motion holds while a robot does a given thing with its joints.
type Motion struct {
	Robot string `toml:"robot" required:"true"`
	Is    string `toml:"is" required:"true" oneof:"controllable|walking|falling|fallen|getting_up|animation|kicking" doc:"the robot's motion state: what it does with its joints"`
}

func (c *Motion) Validate(w World) error {
	_, err := w.FindRobot(c.Robot)
	return violation("robot", c.Robot, err)
}

func (c *Motion) Bind(s State) (Test, error) {
	i, err := s.Model().FindRobot(c.Robot)
	if err != nil {
		return Test{}, err
	}
	robot := &s.Truth().Robots[i]
	is, _ := physics.MotionStateOf(c.Is)
	return Test{
		func() bool { return robot.Motion == is },
		func() string { return fmt.Sprintf("%s is %v", c.Robot, robot.Motion) },
	}, nil
}

func (c *Motion) String() string { return fmt.Sprintf("%s is %s", c.Robot, c.Is) }
