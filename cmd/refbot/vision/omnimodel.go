package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// OmniModel is the camera model of the OCamCalib toolbox. After undoing the affine distortion, a pixel at a distance ρ
// from the centre looks along (x, y, f(ρ)), with x down and y to the right in the image, and a polynomial f. Source:
// Scaramuzza, Martinelli and Siegwart, "A toolbox for easily calibrating omnidirectional cameras", IROS 2006.
type OmniModel struct {
	Width, Height int       // pixels
	Row, Column   float64   // centre, pixels
	C, D, E       float64   // affine distortion: (row, column) = [[C, D], [E, 1]]·(x, y)
	Direct        []float64 // f(ρ) = Direct[0] + Direct[1]·ρ + …, pixels
	Inverse       []float64 // ρ as a polynomial of a direction's angle atan(z/side), rad
}

// Ray returns the direction in which a pixel looks, in the toolbox's frame, not normalised. The components are: right
// in the image, down in the image, and along the camera's axis. The third component is negative at the image's centre.
func (m *OmniModel) Ray(u, v float64) mgl64.Vec3 {
	row, column := v-m.Row, u-m.Column
	det := m.C - m.D*m.E
	x, y := (row-m.D*column)/det, (m.C*column-m.E*row)/det
	rho, f := math.Hypot(x, y), 0.0
	for i := len(m.Direct) - 1; i >= 0; i-- {
		f = f*rho + m.Direct[i]
	}
	return mgl64.Vec3{y, x, f}
}

// OmniMount is the mount of a camera that sees the floor from above.
type OmniMount struct {
	X, Y, Height float64 // viewpoint in the robot's frame, m
	// Yaw turns the camera about the vertical axis, rad. At 0 the robot's front is at the top of the image. At −π/2 it
	// is on the right for a camera under a mirror.
	Yaw float64
	// Mirrored is true for a camera that looks up into a mirror, and false for a camera that looks down. Calibration
	// files do not contain this value.
	Mirrored bool
}

// Direction converts a ray of an OmniModel to the robot's frame.
func (m *OmniMount) Direction(ray mgl64.Vec3) mgl64.Vec3 {
	sin, cos := math.Sincos(m.Yaw)
	// at yaw 0 the top of the image is ahead, and a mirror shows the left on the right
	x, y, z := -ray[1], ray[0], ray[2]
	if !m.Mirrored {
		y = -y // seen directly from above, the left is on the left
	}
	return mgl64.Vec3{x*cos - y*sin, x*sin + y*cos, z}
}
