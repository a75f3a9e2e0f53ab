package calibration

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Pinhole is OpenCV's common camera model: intrinsics in pixels, and the coefficients k1, k2, p1, p2, k3 of Brown and
// Conrady's distortion.
type Pinhole struct {
	Width, Height  int
	FX, FY, CX, CY float64
	Distortion     [5]float64
	Residual       // pixels
}

// widest is the largest angle from the axis up to which a pinhole is fitted. Near 90°, the image of a pinhole grows
// without bound.
const widest = 80 * spatial.Degree

// FitPinhole fits the model to rays. It fails for a camera that does not look along its axis, such as a mirror camera,
// and for a camera with too wide a field of view.
func FitPinhole(rays Rays) (Pinhole, error) { return fitPinhole(rays, len(Pinhole{}.Distortion)) }

// FitUndistorted is like FitPinhole, for software without a distortion model. The fit has no distortion, and its
// Residual includes the camera's distortion.
func FitUndistorted(rays Rays) (Pinhole, error) { return fitPinhole(rays, 0) }

// fitPinhole fits the intrinsics and the first few coefficients of the distortion. The argument coefficients is their
// number.
func fitPinhole(rays Rays, coefficients int) (Pinhole, error) {
	p := Pinhole{Width: rays.Width, Height: rays.Height}
	var seen []Ray
	for _, r := range rays.All {
		if r.DirC[2] > math.Cos(widest) {
			seen = append(seen, r)
		}
	}
	if len(seen) < 20 || 2*len(seen) < len(rays.All) {
		return p, fmt.Errorf("of %d rays %d lie within %.0f° of the optical axis: a pinhole with distortion cannot "+
			"describe this camera", len(rays.All), len(seen), widest*180/math.Pi)
	}
	f := float64(rays.Width)
	params := append([]float64{f, f, float64(rays.Width-1) / 2, float64(rays.Height-1) / 2},
		make([]float64, coefficients)...)
	set := func(x []float64) {
		p.FX, p.FY, p.CX, p.CY = x[0], x[1], x[2], x[3]
		copy(p.Distortion[:], x[4:])
	}
	errors := func(x, out []float64) {
		set(x)
		for i, r := range seen {
			u, v := p.project(r.DirC[0]/r.DirC[2], r.DirC[1]/r.DirC[2])
			out[2*i], out[2*i+1] = u-r.U, v-r.V
		}
	}
	params = minimise(params, 2*len(seen), errors)
	set(params)
	left := make([]float64, 2*len(seen))
	errors(params, left)
	p.Residual = residualOf(distances(left))
	return p, nil
}

func (p *Pinhole) project(x, y float64) (u, v float64) {
	d := &p.Distortion
	r2 := x*x + y*y
	radial := 1 + r2*(d[0]+r2*(d[1]+r2*d[4]))
	xd := x*radial + 2*d[2]*x*y + d[3]*(r2+2*x*x)
	yd := y*radial + d[2]*(r2+2*y*y) + 2*d[3]*x*y
	return p.FX*xd + p.CX, p.FY*yd + p.CY
}

// distances returns one distance for each pair of errors in u and v.
func distances(errors []float64) []float64 {
	out := make([]float64, len(errors)/2)
	for i := range out {
		out[i] = math.Hypot(errors[2*i], errors[2*i+1])
	}
	return out
}

// Lens describes a camera as OpenCV and ROS do: by intrinsics in pixels, and by a distortion model with ROS's name for
// it. The names are plumb_bob, rational_polynomial and equidistant. The last is OpenCV's fisheye.
type Lens struct {
	Width, Height  int
	FX, FY, CX, CY float64
	Model          string
	D              []float64 // coefficients of the distortion, in the order of the distortion model
	Exact          bool      // whether the lens is the camera's own model, without any residual
	Residual                 // pixels
}

// ExactLens returns the lens of a camera if Lens can describe the camera's model. ok is false for other cameras, such
// as mirror cameras.
func ExactLens(m optics.Model) (Lens, bool) {
	p, name, d := optics.Lens(m)
	switch name {
	case "plumb_bob", "rational_polynomial", "equidistant":
		return Lens{Width: p.Width, Height: p.Height, FX: p.FX, FY: p.FY, CX: p.CX, CY: p.CY, Model: name, D: d,
			Exact: true}, true
	}
	return Lens{}, false
}

// Lens returns the fit as a Lens with the distortion model plumb_bob.
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

// Fisheye reports whether OpenCV's fisheye functions apply to the lens. These accept only directions within 90° of the
// axis.
func (l *Lens) Fisheye() bool { return l.Model == "equidistant" }

// Aside returns the number of rays whose angle with the optical axis is larger than angle, in radians.
func (r Rays) Aside(angle float64) (n int) {
	for _, ray := range r.All {
		if !(ray.DirC[2] > math.Cos(angle)) {
			n++
		}
	}
	return n
}
