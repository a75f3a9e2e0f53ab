package spatial

import "github.com/go-gl/mathgl/mgl64"

// BodyToOptical returns the pose of a camera's optical frame (z forward, x right, y down) in the camera's body frame
// (x forward, y left, z up), as in REP-103: poseBO.
func BodyToOptical() Pose {
	return Pose{Rot: mgl64.Quat{W: 0.5, V: mgl64.Vec3{-0.5, 0.5, -0.5}}}
}
