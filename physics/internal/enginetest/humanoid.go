package enginetest

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Sizes of Humanoid, in metres: about those of a robot of the kid size.
const (
	hipHeight  = 0.33
	thigh      = 0.14
	shank      = 0.14
	ankle      = hipHeight - thigh - shank
	crouch     = 0.3 // angle of the thighs at the start, rad
	crouchedBy = (thigh + shank) * (1 - 0.955336489125606)
)

// Humanoid returns a robot with legs, 20 joints and 4 kg, that stands with bent knees.
func Humanoid(x, y, heading float64) physics.Robot {
	r := physics.Robot{Name: "humanoid", Team: physics.Cyan, Pose: spatial.Planar(x, y, heading),
		Body:  physics.Body{Radius: 0.15, Height: 0.6, Mass: 4, InertiaZ: 0.03, CoMZ: 0.3},
		Drive: physics.LegsDrive()}
	up := -crouchedBy // B is on the floor while the robot stands
	box := func(mass float64, centre, half mgl64.Vec3) (float64, mgl64.Vec3, mgl64.Mat3, []physics.Shape) {
		q := mgl64.Vec3{half[0] * half[0], half[1] * half[1], half[2] * half[2]}.Mul(mass / 3)
		return mass, centre, mgl64.Diag3(mgl64.Vec3{q[1] + q[2], q[0] + q[2], q[0] + q[1]}),
			[]physics.Shape{{Kind: physics.BoxShape, PoseB: spatial.Translation(centre), Half: half, Friction: 1}}
	}
	t := &physics.Trunk{}
	t.Mass, t.CoMB, t.InertiaB, t.Shapes = box(1.4, mgl64.Vec3{0, 0, up + 0.43}, mgl64.Vec3{0.05, 0.07, 0.08})
	r.Trunk = t
	axes := map[byte]mgl64.Vec3{'x': {1, 0, 0}, 'y': {0, 1, 0}, 'z': {0, 0, 1}}
	add := func(name string, parent int, axis byte, at mgl64.Vec3, start float64) int {
		at[2] += up
		r.Joints = append(r.Joints, physics.Joint{Name: name, Parent: parent, AxisB: axes[axis], PointB: at,
			Start: start, Lower: -1.8, Upper: 1.8, MaxSpeed: math.Inf(1), MaxEffort: 7, Damping: 0.05, Armature: 0.01,
			Mimics: -1, Wheel: -1})
		return len(r.Joints) - 1
	}
	give := func(joint int, mass float64, centre, half mgl64.Vec3) {
		j := &r.Joints[joint]
		centre[2] += up
		j.Mass, j.CoMB, j.InertiaB, j.Shapes = box(mass, centre, half)
	}
	neck := add("neck yaw", -1, 'z', mgl64.Vec3{0, 0, 0.52}, 0)
	head := add("neck pitch", neck, 'y', mgl64.Vec3{0, 0, 0.54}, 0)
	give(head, 0.2, mgl64.Vec3{0, 0, 0.58}, mgl64.Vec3{0.03, 0.03, 0.03})
	for _, y := range []struct {
		name string
		at   float64
	}{{"left", 1}, {"right", -1}} {
		shoulder := add(y.name+" shoulder pitch", -1, 'y', mgl64.Vec3{0, y.at * 0.09, 0.49}, 0)
		upper := add(y.name+" shoulder roll", shoulder, 'x', mgl64.Vec3{0, y.at * 0.09, 0.49}, 0)
		give(upper, 0.15, mgl64.Vec3{0, y.at * 0.11, 0.45}, mgl64.Vec3{0.015, 0.015, 0.04})
		lower := add(y.name+" elbow", upper, 'y', mgl64.Vec3{0, y.at * 0.11, 0.4}, 0)
		give(lower, 0.1, mgl64.Vec3{0, y.at * 0.11, 0.35}, mgl64.Vec3{0.015, 0.015, 0.04})

		hip := mgl64.Vec3{0, y.at * 0.05, hipHeight}
		yaw := add(y.name+" hip yaw", -1, 'z', hip, 0)
		roll := add(y.name+" hip roll", yaw, 'x', hip, 0)
		pitch := add(y.name+" hip pitch", roll, 'y', hip, -crouch)
		give(pitch, 0.35, hip.Sub(mgl64.Vec3{0, 0, thigh / 2}), mgl64.Vec3{0.02, 0.02, 0.05})
		knee := add(y.name+" knee", pitch, 'y', hip.Sub(mgl64.Vec3{0, 0, thigh}), 2*crouch)
		give(knee, 0.25, hip.Sub(mgl64.Vec3{0, 0, thigh + shank/2}), mgl64.Vec3{0.02, 0.02, 0.05})
		foot := hip.Sub(mgl64.Vec3{0, 0, thigh + shank})
		tilt := add(y.name+" ankle pitch", knee, 'y', foot, -crouch)
		sole := add(y.name+" ankle roll", tilt, 'x', foot, 0)
		give(sole, 0.2, foot.Add(mgl64.Vec3{0.02, 0, 0.01 - ankle}), mgl64.Vec3{0.06, 0.035, 0.01})
	}
	return r
}
