package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// LegJoints is the number of joints of a leg.
const LegJoints = 6

// Foot is the last link of a leg.
type Foot struct {
	Joint int        // index of the joint that moves the link
	SoleB mgl64.Vec3 // middle of the rectangle around the foot, at its lowest point, while joints are at their Zero
	Half  mgl64.Vec2 // half of the rectangle's length, along x, and of its width, along y, m
}

// FootLoad is the force of the floor, and of other bodies, on a foot during the last step.
type FootLoad struct {
	Force float64 // along the normal of the sole, upwards, N
	// Pressure is the centre of pressure: from the middle of the sole, along the axes that are x and y of B while
	// joints are at their Zero, m. Without a force it is 0.
	Pressure mgl64.Vec2
}

// Legs returns the legs of a robot: for each, the indices of the joints from the hip to the foot. A leg has three
// joints of the hip, about z, x and y or about y, x and z, the knee and the pitch of the ankle about y, and the roll of
// the ankle about x.
func (r *Robot) Legs() (all [][LegJoints]int) {
	for last := range r.Joints {
		if r.carries(last) {
			continue
		}
		if leg, ok := r.legTo(last); ok {
			all = append(all, leg)
		}
	}
	return all
}

// carries reports whether a joint carries other joints.
func (r *Robot) carries(joint int) bool {
	for k := range r.Joints {
		if r.Joints[k].Parent == joint {
			return true
		}
	}
	return false
}

// legTo returns the leg whose last joint is given, and whether there is one.
func (r *Robot) legTo(last int) (leg [LegJoints]int, ok bool) {
	var axes [LegJoints]byte
	for i, at := LegJoints-1, last; i >= 0; i, at = i-1, r.Joints[at].Parent {
		if at < 0 {
			return leg, false
		}
		j := &r.Joints[at]
		axis := mainAxis(j.AxisB)
		if axis < 0 || j.Slides || !j.Commanded() {
			return leg, false
		}
		leg[i], axes[i] = at, "xyz"[axis]
	}
	return leg, string(axes[:]) == "zxyyyx" || string(axes[:]) == "yxzyyx"
}

// mainAxis returns 0, 1 or 2 for an axis along x, y or z, and −1 for another one.
func mainAxis(axis mgl64.Vec3) int {
	for k := range axis {
		if math.Abs(axis[k]) > 1-1e-4 {
			return k
		}
	}
	return -1
}

// Feet returns the left and the right foot of a robot with two legs whose feet have collision shapes. Otherwise it
// returns false.
func (r *Robot) Feet() (feet [2]Foot, ok bool) {
	legs := r.Legs()
	if r.Trunk == nil || len(legs) != 2 {
		return feet, false
	}
	for i, leg := range legs {
		foot := &r.Joints[leg[LegJoints-1]]
		if len(foot.Shapes) == 0 {
			return feet, false
		}
		feet[i].Joint = leg[LegJoints-1]
		feet[i].SoleB, feet[i].Half = foot.Sole()
	}
	if feet[0].SoleB[1] < feet[1].SoleB[1] {
		feet[0], feet[1] = feet[1], feet[0]
	}
	return feet, true
}

// Sole returns the middle of the rectangle around the link's shapes, at the height of the lowest one, and half of its
// length and width. The link must have shapes.
func (j *Joint) Sole() (middleB mgl64.Vec3, half mgl64.Vec2) {
	low, high := mgl64.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, mgl64.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range j.Shapes {
		s := &j.Shapes[i]
		half, turn := s.Half, s.PoseB.Rotation()
		switch s.Kind {
		case SphereShape:
			half = mgl64.Vec3{half[0], half[0], half[0]}
		case CapsuleShape:
			half = mgl64.Vec3{half[0], half[0], half[2] + half[0]}
		case CylinderShape:
			half = mgl64.Vec3{half[0], half[0], half[2]}
		}
		for k := range low {
			reach := math.Abs(turn.At(k, 0))*half[0] + math.Abs(turn.At(k, 1))*half[1] + math.Abs(turn.At(k, 2))*half[2]
			low[k], high[k] = min(low[k], s.PoseB.Pos[k]-reach), max(high[k], s.PoseB.Pos[k]+reach)
		}
	}
	return mgl64.Vec3{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]},
		mgl64.Vec2{(high[0] - low[0]) / 2, (high[1] - low[1]) / 2}
}

// FirstFoot returns the index in Snapshot.Feet of a robot's left foot, which the right one follows, and whether the
// robot has feet.
func (s *Model) FirstFoot(robot int) (first int, ok bool) {
	for i := range robot {
		if _, ok := s.Robots[i].Feet(); ok {
			first += 2
		}
	}
	_, ok = s.Robots[robot].Feet()
	return first, ok
}

// CountFeet returns the number of feet of all robots.
func (s *Model) CountFeet() (n int) {
	for i := range s.Robots {
		if _, ok := s.Robots[i].Feet(); ok {
			n += 2
		}
	}
	return n
}
