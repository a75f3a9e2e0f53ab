package optics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Hyperbolic is a pinhole camera that looks along its axis into a convex hyperbolic mirror. The mirror's inner focus is
// the single viewpoint and the origin of the optical frame. The pinhole is at the outer focus, (0, 0, −C), and looks
// along +z. The image's centre therefore shows the direction −z: the camera itself and the robot below it.
//
// Mirror surface, with s the distance from the inner focus towards the pinhole and r from the axis:
//
//	(s − c/2)² − r²·(k/2 − 1) = (c²/4)·(k − 2)/k
//
// Source: Baker and Nayar, "A theory of single-viewpoint catadioptric image formation", 1999, eq. 25.
type Hyperbolic struct {
	Pinhole           // of the real camera behind the mirror
	K         float64 // the mirror's shape k > 2; larger is more curved
	C         float64 // distance c between the mirror's foci, metres
	RimRadius float64 // the mirror ends at this distance from its axis, metres
}

// Eccentricity returns e of the hyperbola, e² = k/(k−2).
func (h Hyperbolic) Eccentricity() float64 { return math.Sqrt(h.K / (h.K - 2)) }

// Unified returns the equivalent unified (Mei) model: the sphere parameter ξ = 2e/(1+e²), and the factor (e²−1)/(e²+1)
// that scales the pinhole's focal lengths. A direction at the angle θ from −z is seen at the radius f·scale·sin θ/(cos
// θ + ξ) from the principal point.
func (h Hyperbolic) Unified() (xi, scale float64) {
	e := h.Eccentricity()
	return 2 * e / (1 + e*e), (e*e - 1) / (e*e + 1)
}

// semiLatusRectum is ℓ = a·(e²−1) of the hyperbola; in polar coordinates around its inner focus it is ℓ/(1 + e·cos θ).
func (h Hyperbolic) semiLatusRectum() float64 {
	e := h.Eccentricity()
	return h.C / (2 * e) * (e*e - 1)
}

// MirrorPoint returns the point of the mirror's surface that reflects the direction dirC (any length); ok is false if
// the mirror ends before it.
func (h Hyperbolic) MirrorPoint(dirC mgl64.Vec3) (pointC mgl64.Vec3, ok bool) {
	n := dirC.Len()
	den := n - h.Eccentricity()*dirC[2] // cos θ = −z/n
	if n == 0 || den <= 0 {
		return mgl64.Vec3{}, false
	}
	p := dirC.Mul(h.semiLatusRectum() / den)
	return p, math.Hypot(p[0], p[1]) <= h.RimRadius
}

// Project fails for directions that miss the mirror beyond its rim.
func (h Hyperbolic) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	m, ok := h.MirrorPoint(pointC)
	if !ok {
		return 0, 0, false
	}
	return h.Pinhole.Project(m.Add(mgl64.Vec3{0, 0, h.C}))
}

// Unproject fails for pixels that look past the mirror's rim.
func (h Hyperbolic) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	xi, scale := h.Unified()
	x, y := (u-h.CX)/(h.FX*scale), (v-h.CY)/(h.FY*scale)
	rho2 := x*x + y*y
	eta := (xi + math.Sqrt(1+(1-xi*xi)*rho2)) / (1 + rho2)
	dirC = mgl64.Vec3{eta * x, eta * y, xi - eta}
	_, ok = h.MirrorPoint(dirC)
	return dirC, ok
}

// RimAngle returns the largest angle from −z, radians, that the mirror shows: the direction reflected at its rim.
func (h Hyperbolic) RimAngle() float64 {
	// Solve ℓ·sin θ = R·(1 + e·cos θ), that is A·sin θ − B·cos θ = R, for the smallest positive θ.
	l, b := h.semiLatusRectum(), h.RimRadius*h.Eccentricity()
	return math.Asin(h.RimRadius/math.Hypot(l, b)) + math.Atan2(b, l)
}

// RimPixels returns the radius, in pixels along u, at which the image of the mirror ends.
func (h Hyperbolic) RimPixels() float64 {
	xi, scale := h.Unified()
	t := h.RimAngle()
	return h.FX * scale * math.Sin(t) / (math.Cos(t) + xi)
}

// Outline returns n points (r, z) of the mirror's surface in the optical frame, metres, from its tip to its rim.
func (h Hyperbolic) Outline(n int) []mgl64.Vec2 {
	profile := make([]mgl64.Vec2, n)
	for i := range profile {
		sin, cos := math.Sincos(h.RimAngle() * (1 - 1e-9) * float64(i) / float64(n-1))
		p, _ := h.MirrorPoint(mgl64.Vec3{sin, 0, -cos})
		profile[i] = mgl64.Vec2{p[0], p[2]}
	}
	return profile
}

// PinholeZ returns the height of the real camera's viewpoint in the optical frame, metres.
func (h Hyperbolic) PinholeZ() float64 { return -h.C }
