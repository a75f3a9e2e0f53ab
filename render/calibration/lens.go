package calibration

import (
	"math"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Lens describes a camera as OpenCV and ROS do: intrinsics in pixels and a distortion by ROS's name. The names are
// plumb_bob, rational_polynomial and equidistant, which is OpenCV's fisheye.
type Lens struct {
	Width, Height  int
	FX, FY, CX, CY float64
	Model          string
	D              []float64 // coefficients of the distortion, in the order of the model of that name
	Exact          bool      // whether this is the camera's own model, without residual
	Residual                 // pixels
}

// ExactLens returns the lens of a camera whose model Lens can describe; ok is false for other
// cameras, such as mirror cameras.
func ExactLens(m optics.Model) (Lens, bool) {
	p, name, d := optics.Lens(m)
	switch name {
	case "plumb_bob", "rational_polynomial", "equidistant":
		return Lens{Width: p.Width, Height: p.Height, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY, Model: name, D: d,
			Exact: true}, true
	}
	return Lens{}, false
}

// Lens returns the fit as plumb_bob.
func (p *Pinhole) Lens() Lens {
	return Lens{Width: p.Width, Height: p.Height, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY, Model: "plumb_bob",
		D: p.Distortion[:], Residual: p.Residual}
}

// String describes how well the lens fits the camera.
func (l *Lens) String() string {
	if l.Exact {
		return "exact: the lens's own parameters, " + l.Model
	}
	return l.Residual.String("px")
}

// Fisheye reports whether OpenCV's fisheye functions, which accept directions within 90° of the axis, apply to the
// lens.
func (l *Lens) Fisheye() bool { return l.Model == "equidistant" }

// Aside returns how many rays make a larger angle with the optical axis than the argument angle, radians.
func (r Rays) Aside(angle float64) (n int) {
	for _, ray := range r.All {
		if !(ray.DirC[2] > math.Cos(angle)) {
			n++
		}
	}
	return n
}
