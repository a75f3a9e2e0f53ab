package optics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Prepared returns a model with the same results as m that precomputes constants.
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

// hyperbolic computes the same as Hyperbolic, faster, by the equivalent unified model.
type hyperbolic struct {
	Hyperbolic
	eccentricity float64
	rim          float64 // square of the rim's radius, in semi-latera recta
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
