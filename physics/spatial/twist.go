package spatial

import "github.com/go-gl/mathgl/mgl64"

// Twist is the velocity of a rigid body: of its frame's origin, and of its rotation. Which frame the numbers are
// expressed in stands in the variable's name (twistWBInW: of body B relative to the world, in world axes).
type Twist struct {
	Lin mgl64.Vec3 // m/s
	Ang mgl64.Vec3 // rad/s
}

// PointVelocity returns the velocity of a point fixed to the body at offset from its origin, all in the axes of t.
func (t Twist) PointVelocity(offset mgl64.Vec3) mgl64.Vec3 { return t.Lin.Add(t.Ang.Cross(offset)) }
