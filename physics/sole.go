package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Sole is the underside of a foot.
type Sole struct {
	Joint      int        // index of the joint that carries the foot
	MiddleB    mgl64.Vec3 // in the robot's frame while all joints are at their Zero, m
	HalfLength float64    // m
}

// Soles returns the left and the right sole of a robot with legs: those of the two lowest links that carry no other
// ones. The result ok is false for a robot without two such links, one to each side, at the same height.
func (r *Robot) Soles() (soles [2]Sole, ok bool) {
	const level = 0.01 // difference of the heights of two soles, m; a guess
	carries := make([]bool, len(r.Joints))
	for i := range r.Joints {
		if p := r.Joints[i].Parent; p >= 0 {
			carries[p] = true
		}
	}
	low := [2]float64{math.Inf(1), math.Inf(1)}
	for i := range r.Joints {
		if carries[i] || len(r.Joints[i].Shapes) == 0 {
			continue
		}
		s := r.Joints[i].sole()
		s.Joint = i
		side := 0
		if s.MiddleB[1] < 0 {
			side = 1
		}
		if z := s.MiddleB[2]; z < low[side] {
			low[side], soles[side] = z, s
		}
	}
	return soles, math.Abs(low[0]-low[1]) <= level
}

// sole returns the middle of the rectangle around a foot's shapes, at the height of the lowest one, and half of its
// length. The shapes are those of the link of j.
func (j *Joint) sole() (s Sole) {
	low, high := mgl64.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, mgl64.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range j.Shapes {
		shape := &j.Shapes[i]
		half, turn := shape.Half, shape.PoseB.Rotation()
		switch shape.Kind {
		case SphereShape:
			half = mgl64.Vec3{half[0], half[0], half[0]}
		case CapsuleShape:
			half = mgl64.Vec3{half[0], half[0], half[2] + half[0]}
		case CylinderShape:
			half = mgl64.Vec3{half[0], half[0], half[2]}
		}
		for k := range low {
			reach := math.Abs(turn.At(k, 0))*half[0] + math.Abs(turn.At(k, 1))*half[1] + math.Abs(turn.At(k, 2))*half[2]
			low[k], high[k] = min(low[k], shape.PoseB.Pos[k]-reach), max(high[k], shape.PoseB.Pos[k]+reach)
		}
	}
	s.MiddleB, s.HalfLength = mgl64.Vec3{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]}, (high[0]-low[0])/2
	return s
}
