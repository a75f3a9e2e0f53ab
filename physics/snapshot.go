package physics

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Snapshot is ground truth at one instant. W is the world frame.
type Snapshot struct {
	Step      int64         // steps since the start
	Time      time.Duration // sim time
	Ball      BallState
	Robots    []RobotState    // in the scene's order
	Obstacles []ObstacleState // in the scene's order
}

// BallState is the ball's centre and motion.
type BallState struct {
	PosW     mgl64.Vec3 // centre, metres
	RotW     mgl64.Quat
	TwistInW spatial.Twist
	HeldBy   int // index of the robot that dribbles it, -1 for none
}

// RobotState is one robot's body frame B: on the floor under the robot's centre, x forward.
type RobotState struct {
	PoseWB     spatial.Pose
	TwistWBInW spatial.Twist
	// AccelWBInW is the acceleration of B's origin during the last step, without gravity, m/s².
	AccelWBInW mgl64.Vec3
	WheelRad   [MaxWheels]float64 // angle turned by each wheel since the start, rad; unused entries are 0
	WheelRadS  [MaxWheels]float64 // wheel speeds, rad/s
	Kicks      int                // kicks carried out since the start
	Stuck      bool               // wants to move and does not
}

// TwistWBInB returns the body's velocity over the floor in its own axes.
func (r *RobotState) TwistWBInB() PlanarTwist {
	v := r.PoseWB.Unrotate(r.TwistWBInW.Lin)
	return PlanarTwist{VX: v[0], VY: v[1], Omega: r.TwistWBInW.Ang[2]}
}

// ObstacleState is an obstacle's frame O: on the floor under its centre.
type ObstacleState struct {
	PoseWO     spatial.Pose
	TwistWOInW spatial.Twist
}

// Clone returns a deep copy.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.Robots = append([]RobotState(nil), s.Robots...)
	c.Obstacles = append([]ObstacleState(nil), s.Obstacles...)
	return &c
}

// Drifted sets into to this state a time dt later, or earlier, if everything kept its velocity: good for the few
// milliseconds of an exposure. Time and what does not move by itself stay as they are.
func (s *Snapshot) Drifted(dt time.Duration, into *Snapshot) {
	robots, obstacles := into.Robots, into.Obstacles
	*into = *s
	into.Robots = append(robots[:0], s.Robots...)
	into.Obstacles = append(obstacles[:0], s.Obstacles...)
	t := dt.Seconds()
	ball := spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}.Drifted(s.Ball.TwistInW, t)
	into.Ball.PosW, into.Ball.RotW = ball.Pos, ball.Rot
	for i := range into.Robots {
		into.Robots[i].PoseWB = s.Robots[i].PoseWB.Drifted(s.Robots[i].TwistWBInW, t)
	}
	for i := range into.Obstacles {
		into.Obstacles[i].PoseWO = s.Obstacles[i].PoseWO.Drifted(s.Obstacles[i].TwistWOInW, t)
	}
}

// Hash returns a 64-bit FNV-1a hash over the exact bits of the whole state. Two runs agree when their hashes do.
func (s *Snapshot) Hash() uint64 {
	h := stateHash{h: fnv.New64a()}
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
		for w := range r.WheelRad {
			h.f64(r.WheelRad[w])
			h.f64(r.WheelRadS[w])
		}
		h.u64(uint64(r.Kicks))
	}
	for i := range s.Obstacles {
		h.pose(s.Obstacles[i].PoseWO)
		h.twist(s.Obstacles[i].TwistWOInW)
	}
	return h.h.Sum64()
}

type stateHash struct {
	h interface {
		Write([]byte) (int, error)
		Sum64() uint64
	}
	buf [8]byte
}

func (h *stateHash) u64(v uint64) {
	binary.LittleEndian.PutUint64(h.buf[:], v)
	h.h.Write(h.buf[:]) // hash.Hash never returns an error
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
