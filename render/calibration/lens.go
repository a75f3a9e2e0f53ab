package calibration

import (
	"math"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Lens is what OpenCV and ROS know of a camera: intrinsics in pixels and a distortion by ROS's name, plumb_bob,
// rational_polynomial or equidistant, which is OpenCV's fisheye.
type Lens struct {
	Width, Height  int
	FX, FY, CX, CY float64
	Model          string
	D              []float64 // in the model's order
	Exact          bool      // the camera's own, of which nothing is left over
	Residual                 // pixels
}

// ExactLens returns the lens of a camera that has one of those models; false for others, as mirrors.
func ExactLens(m optics.Model) (Lens, bool) {
	p, name, d := optics.Lens(m)
	switch name {
	case "plumb_bob", "rational_polynomial", "equidistant":
		return Lens{Width: p.Width, Height: p.Height, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY, Model: name, D: d,
			Exact: true}, true
	}
	return Lens{}, false
}

// Lens returns what was fitted as plumb_bob.
func (p *Pinhole) Lens() Lens {
	return Lens{Width: p.Width, Height: p.Height, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY, Model: "plumb_bob",
		D: p.Distortion[:], Residual: p.Residual}
}

// String says how well the lens describes the camera.
func (l *Lens) String() string {
	if l.Exact {
		return "exact: the lens's own parameters, " + l.Model
	}
	return l.Residual.String("px")
}

// Fisheye reports whether OpenCV's fisheye functions are for the lens, which take directions within 90° of the axis.
func (l *Lens) Fisheye() bool { return l.Model == "equidistant" }

// Aside returns how many rays are farther than an angle, radians, from the optical axis.
func (r Rays) Aside(angle float64) (n int) {
	for _, ray := range r.All {
		if !(ray.DirC[2] > math.Cos(angle)) {
			n++
		}
	}
	return n
}
