package optics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Paraxial returns the position in the image, pixels, of a camera's optical axis, and the focal lengths there, pixels.
// For a mirror, they are those of the camera that looks into it.
func Paraxial(m Model) (cu, cv, fu, fv float64) {
	switch p := m.(type) {
	case Pinhole:
		return p.CX, p.CY, p.FX, p.FY
	case Hyperbolic:
		return p.CX, p.CY, p.FX, p.FY
	case *Mirror:
		return p.CX, p.CY, p.FX, p.FY
	case Central:
		return Paraxial(p.mirror)
	}
	w, h := m.Size()
	cu, cv = float64(w-1)/2, float64(h-1)/2
	axis := 1.0
	if d, ok := m.Unproject(cu, cv); ok && d[2] < 0 {
		axis = -1
	}
	if u, v, ok := m.Project(mgl64.Vec3{0, 0, axis}); ok {
		cu, cv = u, v
	}
	const small = 1e-3 // radians
	ru, rv, _ := m.Project(mgl64.Vec3{small, 0, axis})
	du, dv, _ := m.Project(mgl64.Vec3{0, small, axis})
	return cu, cv, math.Hypot(ru-cu, rv-cv) / small, math.Hypot(du-cu, dv-cv) / small
}
