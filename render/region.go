package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// CameraRegion is where cameras are expected, as a body sees it that never moves: a box aligned with the world's axes.
type CameraRegion struct {
	rotWB  mgl64.Mat3
	posWB  mgl64.Vec3
	lo, hi mgl64.Vec3 // metres, in the world
}

// NewCameraRegion returns the box from lo to hi, metres in the world, for a body at a pose.
func NewCameraRegion(poseWB spatial.Pose, lo, hi mgl64.Vec3) *CameraRegion {
	return &CameraRegion{poseWB.Rot.Mat4().Mat3(), poseWB.Pos, lo, hi}
}

// Distance returns how far a point of the body is from the nearest camera at least, metres.
func (e *CameraRegion) Distance(pB mgl32.Vec3) float64 {
	x, y, z := float64(pB[0]), float64(pB[1]), float64(pB[2])
	square := 0.0
	for i := range e.posWB {
		p := e.rotWB[i]*x + e.rotWB[3+i]*y + e.rotWB[6+i]*z + e.posWB[i]
		if d := max(e.lo[i]-p, p-e.hi[i]); d > 0 {
			square += d * d
		}
	}
	return math.Sqrt(square)
}
