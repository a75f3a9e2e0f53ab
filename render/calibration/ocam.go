package calibration

import (
	"errors"
	"fmt"
	"math"
)

// OCam is the model of Scaramuzza's OCamCalib toolbox: a pixel at the distance ρ from the image's centre looks along
// (row, column, f(ρ)). There row and column are the pixel's offsets from the centre, and f is a polynomial. The
// toolbox's z axis points away from the scene at the image's centre. So it equals the z axis of our optical frame if
// the image's centre looks along −z, and is its opposite otherwise.
type OCam struct {
	Width, Height int
	CenterRow     float64   // pixels, from 0
	CenterColumn  float64   // pixels, from 0
	C, D, E       float64   // affine distortion [[c, d], [e, 1]] of (row, column)
	Axis          float64   // 1 if the toolbox's z axis equals that of our optical frame, −1 if it is the opposite
	Direct        []float64 // f(ρ) = a0 + a1·ρ + a2·ρ² + …; a1 is 0
	Inverse       []float64 // ρ as a polynomial of the angle atan(z/r) of a direction (r, z)
	Residual                // residual of both polynomials, pixels
}

// FitOCam fits the model to rays. It fails if the image's centre shows nothing, or if the camera is not symmetric.
func FitOCam(rays Rays) (OCam, error) {
	o := OCam{Width: rays.Width, Height: rays.Height, C: 1}
	if len(rays.All) < 50 {
		return o, fmt.Errorf("only %d of the sampled pixels show anything: must be at least 50", len(rays.All))
	}
	o.Axis = 1
	if middle(rays).DirC[2] > 0 {
		o.Axis = -1
	}
	o.findCentre(rays)
	if o.C < 0.5 || o.C > 2 {
		return o, errors.New("the image is not rotationally symmetric: its rays do not lie in planes through one axis")
	}
	var rho, f, theta []float64
	for _, r := range rays.All {
		row, col := o.unbend(r.U, r.V)
		side := math.Hypot(r.DirC[0], r.DirC[1])
		if p := math.Hypot(row, col); p > 1 && side > 1e-6 {
			rho, f = append(rho, p), append(f, p*o.Axis*r.DirC[2]/side)
			theta = append(theta, math.Atan2(o.Axis*r.DirC[2], side))
		}
	}
	var err error
	direct, err := polynomial(rho, f, 0, 2, 3, 4, 5, 6)
	if err != nil {
		return o, fmt.Errorf("direct polynomial: %w", err)
	}
	o.Direct = append([]float64{direct[0], 0}, direct[1:]...)
	const degree = 14 // degree that the toolbox needs for an error below a hundredth of a pixel
	powers := make([]int, degree+1)
	for i := range powers {
		powers[i] = i
	}
	if o.Inverse, err = polynomial(theta, rho, powers...); err != nil {
		return o, fmt.Errorf("inverse polynomial: %w", err)
	}
	var left []float64
	for i := range rho {
		inverse := evaluate(o.Inverse, theta[i])
		left = append(left, inverse-rho[i])
		// The angular error of the direct polynomial, converted to a shift in the image.
		wrong := math.Atan2(evaluate(o.Direct, rho[i]), rho[i])
		left = append(left, evaluate(o.Inverse, wrong)-inverse)
	}
	o.Residual = residualOf(left)
	return o, nil
}

// findCentre fits the centre and the affine distortion, so that a pixel's undistorted row and column point in the same
// direction as its ray.
func (o *OCam) findCentre(rays Rays) {
	m := middle(rays)
	params := []float64{m.V, m.U, 1, 0, 0}
	scale := float64(max(rays.Width, rays.Height))
	set := func(x []float64) { o.CenterRow, o.CenterColumn, o.C, o.D, o.E = x[0], x[1], x[2], x[3], x[4] }
	params = minimise(params, len(rays.All), func(x, out []float64) {
		set(x)
		for i, r := range rays.All {
			row, col := o.unbend(r.U, r.V)
			side := math.Hypot(r.DirC[0], r.DirC[1])
			out[i] = 0
			if side > 1e-6 {
				out[i] = (row*r.DirC[0] - col*r.DirC[1]) / side / scale
			}
		}
	})
	set(params)
}

// unbend returns a pixel's offsets from the centre, without the affine distortion.
func (o *OCam) unbend(u, v float64) (row, col float64) {
	r, c := v-o.CenterRow, u-o.CenterColumn
	det := o.C - o.D*o.E
	return (r - o.D*c) / det, (o.C*c - o.E*r) / det
}

// middle returns the ray with the smallest angle to the optical axis.
func middle(rays Rays) Ray {
	var best Ray
	for _, r := range rays.All {
		if math.Abs(r.DirC[2]) > math.Abs(best.DirC[2]) && (best.DirC[2] == 0 || centred(rays, r) < centred(rays,
			best)) {
			best = r
		}
	}
	return best
}

func centred(rays Rays, r Ray) float64 {
	return math.Hypot(r.U-float64(rays.Width-1)/2, r.V-float64(rays.Height-1)/2)
}

func evaluate(a []float64, x float64) float64 {
	y := 0.0
	for i := len(a) - 1; i >= 0; i-- {
		y = y*x + a[i]
	}
	return y
}
