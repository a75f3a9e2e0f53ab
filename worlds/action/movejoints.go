package action

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

// MoveJoints gives commands to the motors of several joints of a robot, as controllers of ROS do. Without positions,
// velocities, efforts and points, the joints stop and hold their positions. With stiffness and damping, the other
// numbers count together: the effort of a motor is stiffness·(position − that of the joint) + damping·(velocity − that
// of the joint) + effort.
type MoveJoints struct {
	Robot      string        `toml:"robot" required:"true"`
	Joints     []string      `toml:"joints" maxlen:"128" doc:"names of joints in the URDF or MJCF; left out: all joints that can be commanded, in the order of joint_states"`
	Positions  []float64     `toml:"positions" maxlen:"128" doc:"position of each joint to go to and to hold, in rad, or in m for a prismatic joint"`
	Velocities []float64     `toml:"velocities" maxlen:"128" doc:"velocity of each joint to keep, in rad/s or m/s"`
	Efforts    []float64     `toml:"efforts" maxlen:"128" doc:"effort of each joint's motor, in N m or N"`
	Stiffness  []float64     `toml:"stiffness" maxlen:"128" doc:"gain of each joint's motor for positions, in N m/rad or N/m; with damping, positions, velocities and efforts count together, as in impedance control; on engines other than mujoco, joints with a stiffness go to their positions"`
	Damping    []float64     `toml:"damping" maxlen:"128" doc:"gain of each joint's motor for velocities, in N m s/rad or N s/m"`
	Points     []JointsPoint `toml:"point" maxlen:"1000" wire:"true" doc:"points of a trajectory to follow, instead of positions, velocities and efforts"`
	From       time.Duration `toml:"from_s" range:"[0, 1000000]" doc:"sim time at which the trajectory begins; until then a former one continues; 0: at once. Points that are over by then are left out"`
}

// JointsPoint is a point of the trajectory of several joints.
type JointsPoint struct {
	At         time.Duration `toml:"at_s" required:"true" range:"[0, 100000]" doc:"time since the beginning of the trajectory"`
	Positions  []float64     `toml:"positions" required:"true" doc:"position of each joint, in rad or m"`
	Velocities []float64     `toml:"velocities" doc:"velocity of each joint at the point, in rad/s or m/s: cubic polynomials lead there; left out: joints move there evenly"`
}

func (m *MoveJoints) Validate(w World) error {
	r, err := w.FindRobot(m.Robot)
	if err != nil {
		return violation("robot", m.Robot, err)
	}
	if r.Body.Mass == 0 { // its model could not be read
		return nil
	}
	_, _, err = m.Targets(&r)
	return violation("", "table", err)
}

func (m *MoveJoints) Do(s Simulation) error {
	r, err := s.Robot(m.Robot)
	if err != nil {
		return err
	}
	joints, targets, err := m.Targets(r)
	if err != nil {
		return err
	}
	return s.MoveJoints(m.Robot, joints, targets)
}

// Targets returns the indices of the joints, and their commands. It returns an error if a joint cannot take its
// command.
func (m *MoveJoints) Targets(r *physics.Robot) (joints []int, targets []physics.JointTarget, err error) {
	if joints, err = m.find(r); err != nil {
		return nil, nil, err
	}
	if len(m.Stiffness)+len(m.Damping) > 0 {
		targets, err = m.gains(r, joints)
		return joints, targets, err
	}
	given := 0
	mode, values := physics.JointHold, []float64(nil)
	for i, v := range [][]float64{m.Positions, m.Velocities, m.Efforts} {
		if len(v) > 0 {
			given++
			mode = [...]physics.JointMode{physics.JointPosition, physics.JointVelocity, physics.JointEffort}[i]
			values = v
		}
	}
	if len(m.Points) > 0 {
		given++
		mode = physics.JointPath
	}
	switch {
	case given > 1:
		return nil, nil, errors.New("takes only one of positions, velocities, efforts and point")
	case values != nil && len(values) != len(joints):
		return nil, nil, fmt.Errorf("has %d numbers for %d joints", len(values), len(joints))
	}
	targets = make([]physics.JointTarget, len(joints))
	for i, joint := range joints {
		t := &targets[i]
		if t.Mode, t.From = mode, m.From; values != nil {
			t.Value = values[i]
		}
		for k := range m.Points {
			p := &m.Points[k]
			if len(p.Positions) != len(joints) || len(p.Velocities) != 0 && len(p.Velocities) != len(joints) {
				return nil, nil, fmt.Errorf("point %d has %d positions and %d velocities: must have %d positions, and as "+
					"many velocities or none", k, len(p.Positions), len(p.Velocities), len(joints))
			}
			point := physics.JointPoint{At: p.At, Position: p.Positions[i], Even: len(p.Velocities) == 0}
			if !point.Even {
				point.Velocity = p.Velocities[i]
			}
			t.Path = append(t.Path, point)
		}
		if err := r.Joints[joint].Check(t); err != nil {
			return nil, nil, fmt.Errorf("joint %s %w", r.Joints[joint].Name, err)
		}
	}
	return joints, targets, nil
}

// gains returns the commands of joints whose motors get their gains from the action.
func (m *MoveJoints) gains(r *physics.Robot, joints []int) ([]physics.JointTarget, error) {
	if len(m.Points) > 0 {
		return nil, errors.New("takes no point with stiffness and damping")
	}
	if len(m.Stiffness) != len(joints) || len(m.Damping) != len(joints) || len(m.Positions) != len(joints) {
		return nil, fmt.Errorf("has %d numbers in stiffness, %d in damping and %d in positions for %d joints",
			len(m.Stiffness), len(m.Damping), len(m.Positions), len(joints))
	}
	if v, e := len(m.Velocities), len(m.Efforts); v != 0 && v != len(joints) || e != 0 && e != len(joints) {
		return nil, fmt.Errorf("has %d velocities and %d efforts for %d joints: must have one for each joint, or none", v, e,
			len(joints))
	}
	targets := make([]physics.JointTarget, len(joints))
	for i, joint := range joints {
		t := &targets[i]
		*t = physics.JointTarget{Mode: physics.JointGains, Value: m.Positions[i], P: m.Stiffness[i], D: m.Damping[i]}
		if len(m.Velocities) > 0 {
			t.Velocity = m.Velocities[i]
		}
		if len(m.Efforts) > 0 {
			t.Effort = m.Efforts[i]
		}
		if err := r.Joints[joint].Check(t); err != nil {
			return nil, fmt.Errorf("joint %s %w", r.Joints[joint].Name, err)
		}
	}
	return targets, nil
}

// find returns the indices of the joints.
func (m *MoveJoints) find(r *physics.Robot) (joints []int, err error) {
	if len(m.Joints) == 0 {
		for i := range r.Joints {
			if r.Joints[i].Commanded() {
				joints = append(joints, i)
			}
		}
		if len(joints) == 0 {
			return nil, errors.New("the robot has no joint that can be commanded")
		}
		return joints, nil
	}
	named := map[string]bool{}
	for _, name := range m.Joints {
		i, err := findJoint(r, name)
		if err != nil {
			return nil, fmt.Errorf("joint %.80q: %w", name, err)
		}
		if named[name] {
			return nil, fmt.Errorf("joint %s: is named twice", name)
		}
		named[name] = true
		joints = append(joints, i)
	}
	return joints, nil
}
