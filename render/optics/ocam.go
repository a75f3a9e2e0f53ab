package optics

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// OCam is the model of Scaramuzza's OCamCalib toolbox for mirrors and fisheyes. A pixel at the distance ρ from the
// centre looks along (x, y, f(ρ)). There x and y are its offsets from the centre, and f is a polynomial with a negative
// constant. The toolbox's z axis points backwards. If Behind is set, as for a camera under a mirror, the z axis of the
// optical frame points backwards too.
//
// Source: Scaramuzza, Martinelli and Siegwart, "A toolbox for easily calibrating omnidirectional cameras", IROS 2006.
type OCam struct {
	Width, Height int
	CX, CY        float64 // centre, pixels
	// affine distortion: (row, column) = [[C, D], [E, 1]]·(x, y), where x points down and y points to the right
	C, D, E float64
	Poly    []float64 // f(ρ) = Poly[0] + Poly[1]·ρ + …, pixels
	Behind  bool      // whether the image's centre shows the direction −z
	reach   float64   // distance from the centre, pixels, up to which different pixels show different directions
}

// NewOCam checks and prepares a model. It fails if the constant of the polynomial is not negative, or if the affine
// distortion is singular.
func NewOCam(m OCam) (OCam, error) {
	if len(m.Poly) == 0 || !(m.Poly[0] < 0) {
		return m, errors.New("the polynomial's constant must be negative")
	}
	det := m.C - m.D*m.E
	if !(math.Abs(det) > 1e-6) {
		return m, fmt.Errorf("affine part c = %v, d = %v, e = %v: must not be singular", m.C, m.D, m.E)
	}
	// The angle from the axis, atan2(ρ, −f), must increase with ρ, which requires f′ρ − f > 0.
	corner := math.Hypot(math.Max(m.CX, float64(m.Width)-m.CX), math.Max(m.CY, float64(m.Height)-m.CY)) *
		1.2 / math.Min(1, math.Abs(det))
	const steps = 2000
	for i := range steps {
		rho := corner * float64(i+1) / steps
		f, slope := m.polynomial(rho)
		if !(slope*rho-f > 0) {
			break
		}
		m.reach = rho
	}
	if m.reach == 0 {
		return m, errors.New("the polynomial folds the image at its middle")
	}
	return m, nil
}

// polynomial returns f(ρ) and its derivative.
func (m OCam) polynomial(rho float64) (f, slope float64) {
	for i := len(m.Poly) - 1; i >= 0; i-- {
		slope = slope*rho + f
		f = f*rho + m.Poly[i]
	}
	return f, slope
}

// Size returns the image's width and height in pixels.
func (m OCam) Size() (width, height int) { return m.Width, m.Height }

// Project fails for directions beyond the largest angle that the polynomial can image.
func (m OCam) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	z := -pointC[2]
	if m.Behind {
		z = pointC[2]
	}
	side := math.Hypot(pointC[0], pointC[1])
	if side == 0 {
		return m.CX, m.CY, z < 0
	}
	rho, ok := root(0, m.reach, func(rho float64) float64 {
		f, _ := m.polynomial(rho)
		return f*side - z*rho
	})
	if !ok {
		return 0, 0, false
	}
	x, y := pointC[1]/side*rho, pointC[0]/side*rho
	return m.CX + m.E*x + y, m.CY + m.C*x + m.D*y, true
}

// Unproject fails for pixels beyond reach, where the polynomial folds back.
func (m OCam) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	row, col := v-m.CY, u-m.CX
	det := m.C - m.D*m.E
	x, y := (row-m.D*col)/det, (m.C*col-m.E*row)/det
	rho := math.Hypot(x, y)
	f, _ := m.polynomial(rho)
	if !m.Behind {
		f = -f
	}
	return mgl64.Vec3{y, x, f}.Normalize(), rho <= m.reach
}
