package spatial

import "github.com/go-gl/mathgl/mgl64"

// Twist is the linear velocity of a rigid body's origin, and the body's angular velocity. The variable's name states
// the frame of the numbers: twistWBInW is the twist of body B relative to the world, in world axes.
type Twist struct {
	Lin mgl64.Vec3 // m/s
	Ang mgl64.Vec3 // rad/s
}

// PointVelocity returns the velocity of a point that is fixed to the body. The argument offset is the vector from the
// body's origin to the point. All vectors are in the axes of the twist.
func (t Twist) PointVelocity(offset mgl64.Vec3) mgl64.Vec3 { return t.Lin.Add(t.Ang.Cross(offset)) }
