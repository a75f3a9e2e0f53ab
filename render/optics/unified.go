package optics

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Unified is the sphere model of cameras with a single viewpoint, OpenCV's omnidir. A pinhole at the distance Xi behind
// a unit sphere's centre sees points of the sphere through a lens with distortion; pixels may be skewed.
//
//	(x, y) = (X, Y)/(Z + Xi), distorted to (x', y'); u = FX·x' + Skew·y' + CX; v = FY·y' + CY
//
// Xi is 0 for a pinhole, 1 for a parabolic mirror, between 0 and 1 for a hyperbolic mirror, and above 1 for fisheye
// lenses. The image's centre looks along +z. Thus, for a camera that looks up into a mirror, z points down.
//
// Source: Mei and Rives, "Single view point omnidirectional camera calibration from planar grids", 2007.
type Unified struct {
	Pinhole
	Xi, Skew   float64
	Distortion Distortion
	// largest radius in the image plane, before distortion, up to which different points have different images
	reach float64
}

// NewUnified returns the model. It fails if Xi is negative, or if the distortion folds the image at its centre.
func NewUnified(p Pinhole, xi, skew float64, d Distortion) (Unified, error) {
	m := Unified{Pinhole: p, Xi: xi, Skew: skew, Distortion: d}
	if !(xi >= 0) || math.IsInf(xi, 0) {
		return m, fmt.Errorf("xi = %v: must not be negative", xi)
	}
	reach, err := d.reach()
	m.reach = reach
	if xi > 1 { // the limit is the outline of the sphere, which is seen from outside
		m.reach = math.Min(reach, 1/math.Sqrt(xi*xi-1))
	}
	return m, err
}

// lowest returns the z component of the lowest unit direction that the camera sees.
func (m Unified) lowest() float64 {
	if m.Xi > 1 {
		return -1 / m.Xi
	}
	return -m.Xi
}

// Project fails for directions that the sphere hides from its pinhole, and for directions beyond the radius at which
// the distortion folds the image back.
func (m Unified) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	n := pointC.Len()
	if n == 0 || pointC[2] <= n*m.lowest() {
		return 0, 0, false
	}
	w := pointC[2] + m.Xi*n
	x, y := pointC[0]/w, pointC[1]/w
	if math.Hypot(x, y) > m.reach {
		return 0, 0, false
	}
	x, y = m.Distortion.apply(x, y)
	return m.CX + m.FX*x + m.Skew*y, m.CY + m.FY*y, true
}

// Unproject fails for pixels beyond what the optics can image.
func (m Unified) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	y := (v - m.CY) / m.FY
	x, y, ok := m.Distortion.invert((u-m.CX-m.Skew*y)/m.FX, y, m.reach)
	rho2 := x*x + y*y
	root := 1 + (1-m.Xi*m.Xi)*rho2
	if !ok || root < 0 {
		return mgl64.Vec3{}, false
	}
	eta := (m.Xi + math.Sqrt(root)) / (1 + rho2)
	return mgl64.Vec3{eta * x, eta * y, eta - m.Xi}, true
}
