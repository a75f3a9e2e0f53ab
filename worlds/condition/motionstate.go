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
	m, truth := s.Model(), s.Truth()
	is, _ := physics.MotionStateOf(c.Is)
	for i := range m.Robots {
		if m.Robots[i].Name == c.Robot {
			return Test{
				func() bool { return truth.Robots[i].Motion == is },
				func() string { return fmt.Sprintf("%s is %v", c.Robot, truth.Robots[i].Motion) },
			}, nil
		}
	}
	return Test{}, fmt.Errorf("robot = %q: there is no such robot", c.Robot)
}

func (c *Motion) String() string { return fmt.Sprintf("%s is %s", c.Robot, c.Is) }
