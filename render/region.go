package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// CameraRegion is a box, aligned with the world's axes, that contains all expected cameras, relative to a static body.
type CameraRegion struct {
	rotWB  mgl64.Mat3
	posWB  mgl64.Vec3
	lo, hi mgl64.Vec3 // corners, metres, W
}

// NewCameraRegion returns the box from lo to hi, metres, W, for a body at a pose.
func NewCameraRegion(poseWB spatial.Pose, lo, hi mgl64.Vec3) *CameraRegion {
	return &CameraRegion{poseWB.Rot.Mat4().Mat3(), poseWB.Pos, lo, hi}
}

// Distance returns the distance, metres, of a point of the body from the box: a lower bound of its distance from a
// camera.
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
