package physics

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Snapshot is ground truth at one instant.
type Snapshot struct {
	Step      int64         // steps since the start
	Time      time.Duration // sim time
	Ball      BallState
	Robots    []RobotState    // in the model's order
	Obstacles []ObstacleState // in the model's order
	Joints    []JointState    // of all robots, in the model's order; see Model.JointsOf
	Feet      []FootLoad      // of all robots with feet, in the model's order, left and right; see Model.FirstFoot
	// Touches are the contacts between bodies during the last step. Events are the events of the last step, such as
	// collisions. The order of Touches and of Events is reproducible.
	Touches []Touch
	Events  []Event
}

// BallState is the ball's centre and motion.
type BallState struct {
	PosW     mgl64.Vec3 // centre, metres
	RotW     mgl64.Quat
	TwistInW spatial.Twist
	HeldBy   int // index of the robot that dribbles the ball; −1: no robot does
}

// RobotState is the state of one robot. Its body frame B is on the floor under the robot's centre, x forward.
type RobotState struct {
	PoseWB     spatial.Pose
	TwistWBInW spatial.Twist
	// AccelWBInW is the mean acceleration of B's origin during the last step, without gravity, m/s². AngAccelWBInW is
	// the mean angular acceleration of B during the last step, rad/s².
	AccelWBInW    mgl64.Vec3
	AngAccelWBInW mgl64.Vec3
	WheelRad      [MaxWheels]float64 // angle turned by each wheel since the start, rad; unused entries are 0
	WheelRadS     [MaxWheels]float64 // wheel speeds, rad/s
	WheelStuck    [MaxWheels]bool    // the motor is at a limit and the wheel does not turn
	MotorA        float64            // current of all motors together, A; 0 for a drive without [drive.motor]
	BatteryV      float64            // voltage at the motors, V; 0 for a drive without [drive.motor]
	ArmM          [2]float64         // how far the ball presses the left and the right dribbling arm in, metres
	Charge        float64            // energy of the kicker, as a fraction of its full energy, 0 to 1
	Extension     ExtensionState     // state of the goalkeeper's extension
	Kicks         int                // number of kicks since the start
	Stuck         bool               // the robot is commanded to move, but does not move
	Motion        MotionState        // what the robot does with its joints
	Progress      uint8              // of the animation that it plays, per cent; 0 if it plays none
	Limp          bool               // commands have switched off the motors of all joints that the robot moves by
}

// TwistWBInB returns the robot's velocity over the floor, in the axes of its body frame B.
func (r *RobotState) TwistWBInB() PlanarTwist {
	v := r.PoseWB.Unrotate(r.TwistWBInW.Lin)
	return PlanarTwist{VX: v[0], VY: v[1], Omega: r.TwistWBInW.Ang[2]}
}

// ObstacleState is the state of one obstacle. The obstacle's frame O is on the floor under the obstacle's centre.
type ObstacleState struct {
	PoseWO     spatial.Pose
	TwistWOInW spatial.Twist
}

// Start returns the state at time 0: all bodies at their start poses, at rest except for the ball. Absent bodies have
// the pose of [spatial.Absent].
func (s *Model) Start() *Snapshot {
	now := &Snapshot{Robots: make([]RobotState, len(s.Robots)), Obstacles: make([]ObstacleState, len(s.Obstacles)),
		Joints: s.startJoints(), Feet: make([]FootLoad, s.CountFeet())}
	for i := range s.Robots {
		r := &now.Robots[i]
		r.PoseWB, r.Charge = s.start(s.RobotID(i), s.Robots[i].Pose, s.Robots[i].Absent), 1
		if d := &s.Robots[i].Drive; d.Motor != nil {
			r.BatteryV = d.Supply().Voltage
		}
	}
	for i := range s.Obstacles {
		now.Obstacles[i].PoseWO = s.start(s.ObstacleID(i), s.Obstacles[i].Pose, s.Obstacles[i].Absent)
	}
	posW, twist := s.BallStart()
	now.Ball = BallState{PosW: posW, RotW: mgl64.QuatIdent(), TwistInW: twist, HeldBy: -1}
	return now
}

// BallStart returns the position of the ball's centre at the start, in metres, and the ball's twist at the start. An
// absent ball is at the position of [spatial.Absent].
func (s *Model) BallStart() (posW mgl64.Vec3, twistInW spatial.Twist) {
	if s.Ball.Absent {
		absent := spatial.Absent(int(s.BallID()))
		return absent.Pos, spatial.Twist{}
	}
	return s.Ball.Start()
}

// start returns the pose of a body at time 0.
func (s *Model) start(id BodyID, pose spatial.Pose, absent bool) spatial.Pose {
	if absent {
		return spatial.Absent(int(id))
	}
	return pose
}

// Clone returns a deep copy.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.Robots = append([]RobotState(nil), s.Robots...)
	c.Obstacles = append([]ObstacleState(nil), s.Obstacles...)
	c.Joints = append([]JointState(nil), s.Joints...)
	c.Feet = append([]FootLoad(nil), s.Feet...)
	c.Touches = append([]Touch(nil), s.Touches...)
	c.Events = append([]Event(nil), s.Events...)
	return &c
}

// CopyTo copies the state into another snapshot, reusing its slices.
func (s *Snapshot) CopyTo(into *Snapshot) {
	robots, obstacles, touches, events := into.Robots, into.Obstacles, into.Touches, into.Events
	joints, feet := into.Joints, into.Feet
	*into = *s
	into.Robots = append(slices.Grow(robots[:0], len(s.Robots)), s.Robots...)
	into.Obstacles = append(slices.Grow(obstacles[:0], len(s.Obstacles)), s.Obstacles...)
	into.Joints, into.Feet = append(joints[:0], s.Joints...), append(feet[:0], s.Feet...)
	into.Touches = append(touches[:0], s.Touches...)
	into.Events = append(events[:0], s.Events...)
}

// Drifted copies the state into another snapshot. It extrapolates the poses of the copy by the duration dt, at constant
// velocities. The duration may be negative. The poses are accurate for a few milliseconds, such as an exposure.
func (s *Snapshot) Drifted(dt time.Duration, into *Snapshot) {
	s.CopyTo(into)
	t := dt.Seconds()
	ball := spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}.Drifted(s.Ball.TwistInW, t)
	into.Ball.PosW, into.Ball.RotW = ball.Pos, ball.Rot
	for i := range into.Robots {
		into.Robots[i].PoseWB = s.Robots[i].PoseWB.Drifted(s.Robots[i].TwistWBInW, t)
	}
	for i := range into.Obstacles {
		into.Obstacles[i].PoseWO = s.Obstacles[i].PoseWO.Drifted(s.Obstacles[i].TwistWOInW, t)
	}
	drifted(into.Joints, t)
}

// Hash returns a 64-bit hash of the exact bits of the state. It leaves out Feet, which older recordings lack.
func (s *Snapshot) Hash() uint64 {
	h := hashOffset
	h.u64(uint64(s.Step))
	h.u64(uint64(s.Time))
	h.vec(s.Ball.PosW)
	h.quat(s.Ball.RotW)
	h.twist(s.Ball.TwistInW)
	h.u64(uint64(int64(s.Ball.HeldBy)))
	for i := range s.Robots {
		r := &s.Robots[i]
		h.pose(r.PoseWB)
		h.twist(r.TwistWBInW)
		h.vec(r.AccelWBInW)
		h.vec(r.AngAccelWBInW)
		for w := range r.WheelRad {
			h.f64(r.WheelRad[w])
			h.f64(r.WheelRadS[w])
		}
		h.f64(r.MotorA)
		h.f64(r.BatteryV)
		h.f64(r.ArmM[0])
		h.f64(r.ArmM[1])
		h.f64(r.Charge)
		h.u64(uint64(r.Extension))
		h.u64(uint64(r.Kicks))
		h.flag(r.Stuck)
		if r.Motion != Controllable { // states of robots without legs keep their hashes
			h.u64(uint64(r.Motion))
			h.u64(uint64(r.Progress))
		}
		if r.Limp {
			h.flag(r.Limp)
		}
		for _, stuck := range r.WheelStuck {
			h.flag(stuck)
		}
	}
	for i := range s.Obstacles {
		h.pose(s.Obstacles[i].PoseWO)
		h.twist(s.Obstacles[i].TwistWOInW)
	}
	for i := range s.Joints {
		h.f64(s.Joints[i].Position)
		h.f64(s.Joints[i].Velocity)
		h.f64(s.Joints[i].Effort)
	}
	for i := range s.Touches {
		h.touch(&s.Touches[i])
	}
	for i := range s.Events {
		e := &s.Events[i]
		h.u64(uint64(e.Kind))
		h.touch(&e.Touch)
	}
	return uint64(h)
}

// stateHash is a 64-bit FNV-1a hash over 64-bit words instead of bytes, for speed.
type stateHash uint64

const (
	hashOffset stateHash = 14695981039346656037
	hashPrime  stateHash = 1099511628211
)

func (h *stateHash) u64(v uint64) {
	*h = (*h ^ stateHash(v)) * hashPrime
	*h ^= *h >> 32 // lets the high bits change the low bits
}
func (h *stateHash) flag(v bool) {
	if v {
		h.u64(1)
	} else {
		h.u64(0)
	}
}
func (h *stateHash) f64(v float64) { h.u64(math.Float64bits(v)) }
func (h *stateHash) vec(v mgl64.Vec3) {
	for _, x := range v {
		h.f64(x)
	}
}
func (h *stateHash) quat(q mgl64.Quat)     { h.f64(q.W); h.vec(q.V) }
func (h *stateHash) pose(p spatial.Pose)   { h.vec(p.Pos); h.quat(p.Rot) }
func (h *stateHash) twist(t spatial.Twist) { h.vec(t.Lin); h.vec(t.Ang) }
func (h *stateHash) touch(t *Touch) {
	h.u64(uint64(int64(t.A)))
	h.u64(uint64(int64(t.B)))
	h.vec(t.PosW)
	h.f64(t.Impulse)
	h.f64(t.Closing)
}

// ErrNoMuJoCo is the error of making the engine mujoco where its library is not installed.
var ErrNoMuJoCo = errors.New("install the package libmujoco2.2.2")

// Engine advances a Model in fixed steps. The same model and the same commands at the same steps give bit-identical
// snapshots, in any process on the same type of machine.
type Engine interface {
	// Step advances the state by one step. The model gives the length of the step. Step takes one command per robot, in
	// the model's order. If Command.Validate refuses a command, Step returns an error and changes nothing. After any
	// other error the engine is unusable.
	Step(commands []Command) error
	// Snapshot copies the current state into s, reusing its slices.
	Snapshot(s *Snapshot)
	// PlaceRobot, PlaceObstacle and PlaceBall set the pose and the twist of a body between two steps. The pose is the
	// pose of the body's frame: its origin is on the floor for robots and obstacles, and at the centre for the ball.
	// With the pose of spatial.Absent, the body is not in the world until it is placed again. The methods fail, and
	// change nothing, if a number is not finite or implausibly large.
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error
	PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error
	PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error
	// Push adds an impulse, N s, through a body's centre of mass, and an angular impulse, N m s, both in W. They act
	// during the next step.
	Push(body BodyID, impulseW, angularW mgl64.Vec3)
	// MoveJoints gives commands to the controllers of a robot's joints, from the next step on. It fails, and changes
	// nothing, if Joint.Check refuses a command, or if a path ends in the past.
	MoveJoints(robot int, joints []int, to []JointTarget) error
	// PlayAnimation lets a robot play one of its animations, by its index, once it stands and does nothing else. It
	// replaces an animation that waits already; a fall that begins meanwhile cancels it. It fails for an absent robot.
	PlayAnimation(robot, animation int) error
	// Close frees the memory that the engine holds outside Go. It may be called more than once.
	Close()
}

// Settler is an Engine that has work to do after all bodies of a step have been placed, and before the state is
// observed. The method Settle does this work, and reports whether it changed the state.
type Settler interface{ Settle() (changed bool) }

// Model is what an engine simulates, and its state at the start. Commands and snapshots have the order of its slices.
type Model struct {
	Config    Config        `toml:"physics"`
	Step      time.Duration // length of one step
	Seed      uint64
	Field     Field      `toml:"field"`
	Ball      Ball       `toml:"ball"`
	Robots    []Robot    `toml:"robot"`
	Obstacles []Obstacle `toml:"obstacle"`
	Props     []Prop     `toml:"prop"`
}
