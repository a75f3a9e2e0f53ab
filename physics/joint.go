package physics

import (
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// MaxJoints is the largest number of joints per robot.
const MaxJoints = 128

// Joint is a joint of a robot that turns or slides, with the link that it carries. Positions are in rad, or in m for a
// joint that slides; efforts are in N m or N. Vectors with the suffix B are in the robot's frame while all joints are
// at their Zero.
type Joint struct {
	Name   string
	Slides bool
	Parent int        // index of the joint that carries this one, which is lower; −1: the robot's body
	AxisB  mgl64.Vec3 // unit vector; the link turns about it, or slides along it
	PointB mgl64.Vec3 // point of the axis
	Zero   float64    // position of the joint in the robot's model
	Start  float64    // position at the start, which the motor holds until the first command; within the limits

	Lower, Upper float64 // limits of the position; infinite for a joint without
	MaxSpeed     float64 // infinite for a joint without a limit
	MaxEffort    float64 // largest effort of the motor; infinite for a joint without a limit
	Passive      bool    // the joint has no motor until it gets a command
	Damping      float64 // effort per speed
	Friction     float64 // effort of dry friction
	Armature     float64 // inertia of what the motor turns before the gear, as the joint feels it: kg m², or kg

	// P and D are the gains of the motor: its effort is P times the distance to the wanted position and D times the
	// difference to the wanted velocity. Only the engine mujoco uses them. If both are 0, it chooses stiff gains.
	P, D float64

	// A joint that mimics another one is always at Multiplier·other + Offset. Mimics is the index of the other, which
	// mimics none; −1 if the joint moves freely.
	Mimics             int
	Multiplier, Offset float64
	Wheel              int // index of the driven wheel that the joint turns; −1 for all other joints

	Mass     float64    // of the link, kg
	CoMB     mgl64.Vec3 // centre of the link's mass
	InertiaB mgl64.Mat3 // of the link about its centre of mass, in the axes of B
	Shapes   []Shape    // what the link collides with, in the engine mujoco
}

// JointState is the motion of a joint.
type JointState struct {
	Position float64 // rad or m
	Velocity float64 // rad/s or m/s
	Effort   float64 // of the motor in the last step, N m or N; 0 for a driven wheel
}

// JointMode is what a joint's controller does.
type JointMode uint8

const (
	JointFree     JointMode = iota // nothing: the joint has no motor
	JointPosition                  // goes to a position
	JointVelocity                  // keeps a velocity
	JointEffort                    // lets the motor act with an effort
	JointPath                      // follows a path
	JointHold                      // stops, and holds the position that the joint has at the command
	JointGains                     // acts with P·(Value − position) + D·(Velocity − velocity) + Effort
)

// JointTarget is a command to a joint's controller.
type JointTarget struct {
	Mode  JointMode
	Value float64 // position, velocity or effort
	Speed float64 // largest speed of JointPosition; 0: the joint's
	// Velocity, Effort, P and D are the other numbers of JointGains; P and D are not negative. Only the engine mujoco
	// uses them: on others, a joint with a P goes to Value, and one without stays.
	Velocity, Effort, P, D float64
	// Path lists the points of JointPath, with their times since its beginning. Between them the position is a cubic
	// polynomial. The joint stays at the last one.
	Path []JointPoint
	// From is the sim time at which Path begins. Until then a former path continues, or the joint holds its position.
	// If From has passed, the points before the command are left out. 0: the path begins at the command.
	From time.Duration
}

// JointPoint is a point of the path of a joint.
type JointPoint struct {
	At                 time.Duration
	Position, Velocity float64
	Even               bool // the joint comes here from the point before at a constant velocity, not along a polynomial
}

// MaxPathPoints is the largest number of points in the path of a joint.
const MaxPathPoints = 1000

// Commanded reports whether the joint can take commands: it turns no driven wheel, and mimics no other joint.
func (j *Joint) Commanded() bool { return j.Wheel < 0 && j.Mimics < 0 }

// maxGain is the largest gain in a command, in SI units. It is a guess, far above those of robots' motors.
const maxGain = 1e5

// Check returns an error if the joint cannot take a command.
func (j *Joint) Check(t *JointTarget) error {
	switch {
	case j.Wheel >= 0:
		return fmt.Errorf("turns a wheel of the drive: command the robot's velocity instead")
	case j.Mimics >= 0:
		return fmt.Errorf("mimics another joint: command that one")
	case !plausible(t.Value) || !plausible(t.Speed):
		return fmt.Errorf("a number of the command: must lie in [-%g, %g]", MaxPlausible, MaxPlausible)
	case !plausible(t.Velocity) || !plausible(t.Effort) || !(min(t.P, t.D) >= 0 && max(t.P, t.D) <= maxGain):
		return fmt.Errorf("velocity %g, effort %g, stiffness %g, damping %g: the first two must lie in [-%g, %g], and "+
			"the others in [0, %g]", t.Velocity, t.Effort, t.P, t.D, MaxPlausible, MaxPlausible, maxGain)
	case t.Mode == JointPosition:
		return j.within(t.Value)
	case t.Mode != JointPath:
		return nil
	case len(t.Path) == 0 || len(t.Path) > MaxPathPoints:
		return fmt.Errorf("%d points: must be 1 to %d", len(t.Path), MaxPathPoints)
	}
	before := time.Duration(-1)
	for i := range t.Path {
		p := &t.Path[i]
		if p.At <= before {
			return fmt.Errorf("point %d is at %v: must be later than the one before, and not negative", i, p.At)
		}
		if before = p.At; !plausible(p.Velocity) {
			return fmt.Errorf("point %d: its velocity must lie in [-%g, %g]", i, MaxPlausible, MaxPlausible)
		}
		if err := j.within(p.Position); err != nil {
			return fmt.Errorf("point %d: %w", i, err)
		}
	}
	return nil
}

// within returns an error for a position beyond the limits.
func (j *Joint) within(position float64) error {
	const rounding = 1e-6 // of programs that command a limit itself
	if !plausible(position) || position < j.Lower-rounding || position > j.Upper+rounding {
		return fmt.Errorf("position %g: must lie in [%g, %g]", position, max(j.Lower, -MaxPlausible),
			min(j.Upper, MaxPlausible))
	}
	return nil
}

// Rest returns the position of a joint at the start: Start, or the limit that is nearest to it.
func (j *Joint) Rest() float64 { return mgl64.Clamp(j.Start, j.Lower, j.Upper) }

// Moved returns the pose of the link at a position, relative to its pose at Zero, if nothing else moves.
func (j *Joint) Moved(position float64) spatial.Pose {
	by := position - j.Zero
	if j.Slides {
		return spatial.Translation(j.AxisB.Mul(by))
	}
	return spatial.TurnAbout(&j.AxisB, &j.PointB, by)
}

// JointNames returns the names of the robot's joints.
func (r *Robot) JointNames() (all []string) {
	for i := range r.Joints {
		all = append(all, r.Joints[i].Name)
	}
	return all
}

// FirstJoint returns the index in Snapshot.Joints of a robot's first joint.
func (s *Model) FirstJoint(robot int) (first int) {
	for i := range robot {
		first += len(s.Robots[i].Joints)
	}
	return first
}

// JointsOf returns the joints of a robot in a snapshot.
func (s *Model) JointsOf(robot int, now *Snapshot) []JointState {
	first := s.FirstJoint(robot)
	return now.Joints[first : first+len(s.Robots[robot].Joints)]
}

// Moved returns by what pose joints have moved the link of a joint: a point of the link that is at pB in the robot's
// model is at Moved.Apply(pB) in the robot's frame.
func (r *Robot) Moved(joint int, states []JointState) spatial.Pose {
	if joint < 0 {
		return spatial.Identity()
	}
	j := &r.Joints[joint]
	by := j.Moved(states[joint].Position)
	if j.Parent < 0 {
		return by
	}
	return r.Moved(j.Parent, states).Mul(by)
}

// LinkTwist returns the velocity of a point of the link of a joint relative to the robot's body, and the link's angular
// velocity, in the axes of B. The argument posB is the point's present position in B.
func (r *Robot) LinkTwist(joint int, states []JointState, posB mgl64.Vec3) (twistB spatial.Twist) {
	for ; joint >= 0; joint = r.Joints[joint].Parent {
		j, before := &r.Joints[joint], r.Moved(r.Joints[joint].Parent, states)
		along := before.Rotate(j.AxisB).Mul(states[joint].Velocity)
		if j.Slides {
			twistB.Lin = twistB.Lin.Add(along)
			continue
		}
		twistB.Ang = twistB.Ang.Add(along)
		twistB.Lin = twistB.Lin.Add(along.Cross(posB.Sub(before.Apply(j.PointB))))
	}
	return twistB
}

// Joint returns the index of the joint with a name, or −1.
func (r *Robot) Joint(name string) int {
	for i := range r.Joints {
		if r.Joints[i].Name == name {
			return i
		}
	}
	return -1
}

// CountJoints returns the number of all robots' joints.
func (s *Model) CountJoints() int { return s.FirstJoint(len(s.Robots)) }

// startJoints returns the joints' state at time 0.
func (s *Model) startJoints() (all []JointState) {
	for i := range s.Robots {
		first := len(all)
		for k := range s.Robots[i].Joints {
			all = append(all, JointState{Position: s.Robots[i].Joints[k].Rest()})
		}
		s.Robots[i].Mimic(all[first:])
	}
	return all
}

// Mimic sets the state of the joints that mimic others.
func (r *Robot) Mimic(states []JointState) {
	for k := range r.Joints {
		if j := &r.Joints[k]; j.Mimics >= 0 {
			other := &states[j.Mimics]
			states[k] = JointState{Position: j.Multiplier*other.Position + j.Offset,
				Velocity: j.Multiplier * other.Velocity}
		}
	}
}

// drifted sets positions after a time at constant velocities.
func drifted(joints []JointState, seconds float64) {
	for i := range joints {
		joints[i].Position += joints[i].Velocity * seconds
	}
}
