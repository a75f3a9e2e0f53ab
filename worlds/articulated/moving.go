package articulated

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// movers returns the joints that move, each after the one that carries it. For each link it returns the index, among
// these, of the joint that moves the link; −1 if none does.
func (r *Robot) movers() (joints, mover []int) {
	mover = make([]int, len(r.Links))
	mover[r.root] = -1
	for _, i := range r.order {
		mover[r.holds[i]] = mover[r.parents[i]]
		if r.Joints[i].Moves() {
			mover[r.holds[i]] = len(joints)
			joints = append(joints, i)
		}
	}
	return joints, mover
}

// Mechanism is a robot as engines get it.
type Mechanism struct {
	Joints []physics.Joint // that move, with the links that each carries as one
	Trunk  *physics.Trunk  // the links that no joint moves; nil if they have no mass, and of a robot on driven wheels
	Apart  [][2]int        // joints whose links pass through each other; -1 is the trunk
}

// Mechanism returns the robot as engines get it. The argument wheels names the joints of the driven wheels, in the
// order of the drive's wheels.
func (r *Robot) Mechanism(wheels []string, meshes Meshes) (*Mechanism, error) {
	s, err := r.stand(wheels, meshes)
	if err != nil {
		return nil, err
	}
	moves, mover := r.movers()
	if len(moves) > physics.MaxJoints {
		return nil, r.fault(r.Place, "has %d joints that move: must have at most %d", len(moves),
			physics.MaxJoints)
	}
	all := make([]physics.Joint, len(moves))
	poseBR := spatial.Translation(mgl64.Vec3{0, 0, -s.floor})
	for k, i := range moves {
		j, pose := &r.Joints[i], poseBR.Mul(s.poses[r.holds[i]])
		to := &all[k]
		*to = physics.Joint{Name: j.Name, Slides: j.Type == Prismatic, Parent: mover[r.parents[i]],
			AxisB: pose.Rotate(j.Axis), PointB: pose.Apply(j.PointC), Zero: r.position(i, nil), Start: j.Start,
			Lower: math.Inf(-1), Upper: math.Inf(1), MaxSpeed: math.Inf(1), MaxEffort: math.Inf(1), Damping: j.Damping,
			Friction: j.Friction, Armature: j.Armature, P: j.P, D: j.D, Mimics: -1, Wheel: slices.Index(wheels, j.Name)}
		if l := j.Limit; l != nil {
			if j.Type != Continuous {
				to.Lower, to.Upper = l.Lower, l.Upper
			}
			if l.Velocity > 0 {
				to.MaxSpeed = l.Velocity
			}
			if l.Effort > 0 {
				to.MaxEffort = l.Effort
			}
		}
		to.Passive = j.Motor == WithoutMotor ||
			j.Motor == AssumedMotor && math.IsInf(to.MaxEffort, 0) && j.Type == Continuous
		if j.Mimic != nil {
			to.Mimics, to.Multiplier, to.Offset = r.mimics(i)
			to.Mimics = slices.Index(moves, to.Mimics)
		}
		to.Mass, to.CoMB, to.InertiaB = r.joined(s, poseBR, func(link int) bool { return mover[link] == k })
	}
	m := &Mechanism{Joints: all}
	if len(wheels) == 0 {
		var t physics.Trunk
		t.Mass, t.CoMB, t.InertiaB = r.joined(s, poseBR, func(link int) bool { return mover[link] < 0 })
		if t.Mass > 0 {
			m.Trunk = &t
		}
	}
	if m.Trunk != nil {
		err = r.collide(m, s, mover, meshes)
	}
	return m, err
}

// mimics returns the joint that a joint follows in the end, which follows none, with the factor and the offset.
func (r *Robot) mimics(joint int) (other int, factor, offset float64) {
	factor = 1
	for range r.Joints { // ends too if joints mimic each other
		m := r.Joints[joint].Mimic
		if m == nil {
			break
		}
		offset += factor * m.Offset
		factor *= m.Multiplier
		joint = r.follows[joint]
	}
	return joint, factor, offset
}

// joined returns the mass, its centre and the inertia about it of some links together, in the frame B.
func (r *Robot) joined(s *stand, poseBR spatial.Pose, of func(link int) bool) (mass float64, com mgl64.Vec3,
	inertia mgl64.Mat3) {
	each := func(f func(in *Inertial, poseBC spatial.Pose)) {
		for i := range r.Links {
			if in := r.Links[i].Inertial; in != nil && of(i) {
				f(in, poseBR.Mul(s.poses[i]).Mul(in.PoseLC))
			}
		}
	}
	each(func(in *Inertial, poseBC spatial.Pose) {
		mass += in.Mass
		com = com.Add(poseBC.Pos.Mul(in.Mass))
	})
	if mass > 0 {
		com = com.Mul(1 / mass)
	}
	each(func(in *Inertial, poseBC spatial.Pose) {
		turn, off := poseBC.Rotation(), poseBC.Pos.Sub(com)
		square := off.Dot(off)
		shift := mgl64.Ident3().Mul(square).Sub(mgl64.Mat3FromCols(off.Mul(off[0]), off.Mul(off[1]), off.Mul(off[2])))
		inertia = inertia.Add(turn.Mul3(in.Tensor()).Mul3(turn.Transpose())).Add(shift.Mul(in.Mass))
	})
	return mass, com, inertia
}
