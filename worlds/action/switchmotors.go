package action

import "github.com/omnipitch/omnipitch/physics"

// SwitchMotors switches the motors of all joints of a robot that a file describes off or on. Off, the joints move
// freely until they get a command, and the robot stops driving. On, they hold the positions that they have.
type SwitchMotors struct {
	Robot string `toml:"robot" required:"true"`
	On    bool   `toml:"on" doc:"whether the motors are on"`
}

func (m *SwitchMotors) Validate(w World) error { return m.joints().Validate(w) }

func (m *SwitchMotors) Do(s Simulation) error {
	r, err := s.Robot(m.Robot)
	if err != nil {
		return err
	}
	joints, targets, err := m.joints().Targets(r)
	if err != nil {
		return err
	}
	if !m.On {
		for i := range targets {
			targets[i] = physics.JointTarget{Mode: physics.JointEffort}
		}
		err := s.Command(m.Robot, func(c *physics.Command) { c.TwistB = physics.PlanarTwist{} })
		if err != nil {
			return err
		}
	}
	return s.MoveJoints(m.Robot, joints, targets)
}

// joints returns the command to hold the positions of all joints.
func (m *SwitchMotors) joints() *MoveJoints { return &MoveJoints{Robot: m.Robot} }
