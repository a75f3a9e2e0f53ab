package action

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// MoveJoint gives a command to the motor of a joint of a robot that a file describes. The command holds until the
// next one.
type MoveJoint struct {
	Robot    string        `toml:"robot" required:"true"`
	Joint    string        `toml:"joint" required:"true" doc:"name of the joint in the URDF or MJCF"`
	Position *float64      `toml:"position" doc:"position to go to and to hold, in rad, or in m for a prismatic joint"`
	Velocity *float64      `toml:"velocity" doc:"velocity to keep, in rad/s or m/s; together with position, the largest speed on the way"`
	Effort   *float64      `toml:"effort" doc:"effort of the motor, in N m or N; 0 lets the joint move freely. The planar engine has no forces: there the joint stays"`
	Over     time.Duration `toml:"over_s" range:"[0, 1000]" doc:"time for the way to position, which is smooth; 0: as fast as the joint can"`
	Points   []PathPoint   `toml:"point" maxlen:"1000" doc:"points of a path to follow, instead of the keys above; cubic polynomials connect them"`
}

// PathPoint is a point of the path of a joint.
type PathPoint struct {
	At       time.Duration `toml:"at_s" required:"true" range:"[0, 100000]" doc:"time since the command"`
	Position float64       `toml:"position" required:"true" doc:"in rad or m"`
	Velocity float64       `toml:"velocity" doc:"in rad/s or m/s"`
}

func (m *MoveJoint) Validate(w World) error {
	r, err := w.FindRobot(m.Robot)
	if err != nil {
		return violation("robot", m.Robot, err)
	}
	to, err := m.target()
	if err != nil {
		return violation("", "table", err)
	}
	if r.Body.Mass == 0 { // its model could not be read
		return nil
	}
	i, err := findJoint(&r, m.Joint)
	if err == nil {
		err = r.Joints[i].Check(&to)
	}
	return violation("joint", m.Joint, err)
}

func (m *MoveJoint) Do(s Simulation) error {
	r, err := s.Robot(m.Robot)
	if err != nil {
		return err
	}
	i, err := findJoint(r, m.Joint)
	if err != nil {
		return err
	}
	to, err := m.target()
	if err != nil {
		return err
	}
	return s.MoveJoints(m.Robot, []int{i}, []physics.JointTarget{to})
}

// findJoint returns the index of a robot's joint.
func findJoint(r *physics.Robot, name string) (int, error) {
	i := r.Joint(name)
	if i < 0 {
		return i, errors.New("the robot has no such joint" + rules.DidYouMean(name, r.JointNames()))
	}
	return i, nil
}

// target returns the command.
func (m *MoveJoint) target() (t physics.JointTarget, err error) {
	given := 0
	for _, is := range []bool{m.Position != nil, m.Velocity != nil && m.Position == nil, m.Effort != nil,
		len(m.Points) > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		return t, errors.New("needs one of position, velocity, effort and point")
	}
	switch {
	case len(m.Points) > 0:
		t.Mode = physics.JointPath
		for _, p := range m.Points {
			t.Path = append(t.Path, physics.JointPoint{At: p.At, Position: p.Position, Velocity: p.Velocity})
		}
	case m.Position != nil && m.Over > 0:
		t.Mode, t.Path = physics.JointPath, []physics.JointPoint{{At: m.Over, Position: *m.Position}}
	case m.Position != nil:
		t.Mode, t.Value = physics.JointPosition, *m.Position
		if m.Velocity != nil {
			t.Speed = *m.Velocity
		}
	case m.Velocity != nil:
		t.Mode, t.Value = physics.JointVelocity, *m.Velocity
	default:
		t.Mode, t.Value = physics.JointEffort, *m.Effort
	}
	return t, nil
}
