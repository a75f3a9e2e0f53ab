package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// OmniModel is a camera as the OCamCalib toolbox describes it. A pixel at the distance ρ from the centre, its affine
// distortion undone, looks along (x, y, f(ρ)), x down and y to the right in the image, f a polynomial. Source:
// Scaramuzza, Martinelli and Siegwart, "A toolbox for easily calibrating omnidirectional cameras", IROS 2006.
type OmniModel struct {
	Width, Height int       // pixels
	Row, Column   float64   // centre, pixels
	C, D, E       float64   // affine distortion: (row, column) = [[C, D], [E, 1]]·(x, y)
	Direct        []float64 // f(ρ) = Direct[0] + Direct[1]·ρ + …, pixels
	Inverse       []float64 // ρ by a direction's angle, atan(z/side), rad
}

// Ray returns a vector along which a pixel looks in the toolbox's frame, of no particular length: to the right in the
// image, downwards in the image, and along its axis, negative in the image's middle.
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

// OmniMount is how a camera that shows the floor from above stands on a robot.
type OmniMount struct {
	X, Y, Height float64 // of the viewpoint, m: ahead, to the left, over the floor
	// Yaw turns the camera about the upright axis, rad. At 0 the robot's front is up in the image; of a camera under a
	// mirror it is on the right at −π/2.
	Yaw float64
	// Mirrored is true of a camera that looks up into a mirror, and false of one that looks down: calibration files do
	// not tell.
	Mirrored bool
}

// Direction returns a ray of a Model in the robot's frame.
func (m *OmniMount) Direction(ray mgl64.Vec3) mgl64.Vec3 {
	sin, cos := math.Sincos(m.Yaw)
	x, y, z := -ray[1], ray[0], ray[2] // at yaw 0 the image's top is ahead, and a mirror shows the left on the right
	if !m.Mirrored {
		y = -y // seen directly, from above, the left is on the left
	}
	return mgl64.Vec3{x*cos - y*sin, x*sin + y*cos, z}
}
