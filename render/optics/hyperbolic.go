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
	Pinhole           // pinhole of the real camera below the mirror
	K         float64 // shape of the mirror, larger than 2; a larger K is more curved
	C         float64 // distance c between the mirror's foci, metres
	RimRadius float64 // distance from the axis at which the mirror ends, metres
}

// Eccentricity returns the eccentricity e of the hyperbola, where e² = k/(k−2).
func (h Hyperbolic) Eccentricity() float64 { return math.Sqrt(h.K / (h.K - 2)) }

// Unified returns the equivalent unified (Mei) model: the sphere parameter ξ = 2e/(1+e²), and the factor (e²−1)/(e²+1)
// that scales the pinhole's focal lengths. A direction at the angle θ from −z is seen at the radius f·scale·sin θ/(cos
// θ + ξ) from the principal point.
func (h Hyperbolic) Unified() (xi, scale float64) {
	e := h.Eccentricity()
	return 2 * e / (1 + e*e), (e*e - 1) / (e*e + 1)
}

// semiLatusRectum returns ℓ = a·(e²−1) of the hyperbola. In polar coordinates around its inner focus, the hyperbola is
// ℓ/(1 + e·cos θ).
func (h Hyperbolic) semiLatusRectum() float64 {
	e := h.Eccentricity()
	return h.C / (2 * e) * (e*e - 1)
}

// MirrorPoint returns the point of the mirror's surface that is in the direction dirC from the inner focus. The length
// of dirC does not matter. ok is false if the mirror does not extend to that point.
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

// Unproject fails for pixels that do not show the mirror.
func (h Hyperbolic) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	xi, scale := h.Unified()
	x, y := (u-h.CX)/(h.FX*scale), (v-h.CY)/(h.FY*scale)
	rho2 := x*x + y*y
	eta := (xi + math.Sqrt(1+(1-xi*xi)*rho2)) / (1 + rho2)
	dirC = mgl64.Vec3{eta * x, eta * y, xi - eta}
	_, ok = h.MirrorPoint(dirC)
	return dirC, ok
}

// RimAngle returns the angle from −z, in radians, of the direction that is reflected at the mirror's rim. It is the
// largest angle that the mirror shows.
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

// Outline returns n points (r, z) of the mirror's surface from its tip to its rim. They are in the optical frame, in
// metres.
func (h Hyperbolic) Outline(n int) []mgl64.Vec2 {
	profile := make([]mgl64.Vec2, n)
	for i := range profile {
		sin, cos := math.Sincos(h.RimAngle() * (1 - 1e-9) * float64(i) / float64(n-1))
		p, _ := h.MirrorPoint(mgl64.Vec3{sin, 0, -cos})
		profile[i] = mgl64.Vec2{p[0], p[2]}
	}
	return profile
}

// PinholeZ returns the z coordinate of the real camera's viewpoint in the optical frame, metres.
func (h Hyperbolic) PinholeZ() float64 { return -h.C }

// Prepared returns a model with the same results as m, but with precomputed constants.
func Prepared(m Model) Model {
	h, ok := m.(Hyperbolic)
	if !ok {
		return m
	}
	xi, scale := h.Unified()
	e, l := h.Eccentricity(), h.semiLatusRectum()
	fx, fy := h.FX*scale, h.FY*scale
	return &hyperbolic{h, e, h.RimRadius * h.RimRadius / (l * l), xi, fx, fy, 1 / fx, 1 / fy}
}

// hyperbolic gives the same results as Hyperbolic, but faster. It uses the equivalent unified model.
type hyperbolic struct {
	Hyperbolic
	eccentricity float64
	rim          float64 // square of the rim's radius, as a multiple of the semi-latus rectum
	xi, fx, fy   float64
	perFX, perFY float64 // 1/fx, 1/fy
}

func (h *hyperbolic) shows(x2, z, n float64) bool {
	den := n - h.eccentricity*z
	return den > 0 && x2 <= h.rim*den*den
}

func (h *hyperbolic) project(p *mgl64.Vec3) (u, v float64, ok bool) {
	x, y, z := p[0], p[1], p[2]
	x2 := x*x + y*y
	n := math.Sqrt(x2 + z*z)
	f := 1 / (h.xi*n - z)
	return h.CX + h.fx*x*f, h.CY + h.fy*y*f, h.shows(x2, z, n)
}

func (h *hyperbolic) images(p *mgl64.Vec3) bool {
	x2, z := p[0]*p[0]+p[1]*p[1], p[2]
	return h.shows(x2, z, math.Sqrt(x2+z*z))
}

func (h *hyperbolic) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	if u, v, ok = h.project(&pointC); !ok {
		return 0, 0, false
	}
	return u, v, true
}

func (h *hyperbolic) projectAll(pointsC []mgl64.Vec3, into []Pixel) {
	into = into[:len(pointsC)]
	for i := range pointsC {
		p := &into[i]
		if p.U, p.V, p.OK = h.project(&pointsC[i]); !p.OK {
			p.U, p.V = 0, 0
		}
	}
}

func (h *hyperbolic) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	x, y := (u-h.CX)*h.perFX, (v-h.CY)*h.perFY
	rho2 := x*x + y*y
	eta := (h.xi + math.Sqrt(1+(1-h.xi*h.xi)*rho2)) / (1 + rho2)
	dirC = mgl64.Vec3{eta * x, eta * y, h.xi - eta}
	return dirC, h.shows(eta*eta*rho2, dirC[2], 1) // its length is 1
}
