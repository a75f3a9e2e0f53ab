package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// CameraRegion is a cuboid, aligned with the world's axes, that contains all expected cameras. It also holds the pose
// of a static body, so that it can measure distances from points of that body.
type CameraRegion struct {
	rotWB  mgl64.Mat3
	posWB  mgl64.Vec3
	lo, hi mgl64.Vec3 // corners, metres, W
}

// NewCameraRegion returns the region from the corner lo to the corner hi, metres, in W, for a body at a pose.
func NewCameraRegion(poseWB spatial.Pose, lo, hi mgl64.Vec3) *CameraRegion {
	return &CameraRegion{poseWB.Rot.Mat4().Mat3(), poseWB.Pos, lo, hi}
}

// Distance returns the distance, metres, from a point of the body to the region. No expected camera is nearer to the
// point.
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
