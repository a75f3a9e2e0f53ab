package physics

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Trunk is the body of a robot with legs, without the links that joints move. Vectors are in the robot's frame B, whose
// origin is on the floor while the robot stands with its joints at [Joint.Rest].
type Trunk struct {
	Mass     float64    // kg
	CoMB     mgl64.Vec3 // centre of mass
	InertiaB mgl64.Mat3 // about the centre of mass, in the axes of B
	Shapes   []Shape
}

// ShapeKind is the kind of a collision shape.
type ShapeKind uint8

const (
	SphereShape   ShapeKind = iota // has the radius Half[0]
	CapsuleShape                   // has the radius Half[0]; Half[2] is half of its length along z, without the caps
	CylinderShape                  // has the radius Half[0], and Half[2] is half of its length along z
	BoxShape                       // has the half sizes Half
)

// Shape is a shape with which a link collides.
type Shape struct {
	Kind ShapeKind
	// PoseB is the pose of the shape's centre and axes in the robot's frame, while all joints are at their Zero.
	PoseB    spatial.Pose
	Half     mgl64.Vec3 // sizes, metres; see ShapeKind
	Friction float64    // coefficient of dry friction with the floor and other bodies
}

// maxShape is the largest half size of a shape, in metres. It is a guess, far above the links of robots in halls.
const maxShape = 5

// links judges a robot's trunk and joints.
func (c *check) links(path string, r *Robot) {
	if t := r.Trunk; t != nil {
		if !(t.Mass > 0 && t.Mass <= MaxPlausible) {
			c.fail(path+".Trunk.Mass", t.Mass, fmt.Sprintf("must lie in (0, %g]", MaxPlausible))
		}
		c.shapes(path+".Trunk", t.Shapes)
	}
	for i := range r.Joints {
		j, at := &r.Joints[i], fmt.Sprintf("%s.Joints[%d]", path, i)
		c.notNegative(at+".Armature", j.Armature)
		c.notNegative(at+".P", j.P)
		c.notNegative(at+".D", j.D)
		c.shapes(at, j.Shapes)
	}
	for _, pair := range r.Apart {
		if pair[0] < -1 || pair[1] <= pair[0] || pair[1] >= len(r.Joints) {
			c.fail(path+".Apart", nil, fmt.Sprintf("%v: must be indices of two joints, or -1, the lower one first", pair))
		}
	}
}

func (c *check) notNegative(field string, value float64) {
	if !(value >= 0 && !math.IsInf(value, 1)) {
		c.fail(field, value, "must be finite, and at least 0")
	}
}

func (c *check) shapes(path string, all []Shape) {
	used := [...][]int{SphereShape: {0}, CapsuleShape: {0, 2}, CylinderShape: {0, 2}, BoxShape: {0, 1, 2}}
	for i := range all {
		s, at := &all[i], fmt.Sprintf("%s.Shapes[%d]", path, i)
		c.notNegative(at+".Friction", s.Friction)
		if int(s.Kind) >= len(used) {
			c.fail(at+".Kind", int(s.Kind), "must be a sphere, a capsule, a cylinder or a box")
			continue
		}
		for _, k := range used[s.Kind] {
			if !(s.Half[k] > 0 && s.Half[k] <= maxShape) {
				c.fail(at+".Half", s.Half[k], fmt.Sprintf("must lie in (0, %d] m", maxShape))
			}
		}
	}
}
