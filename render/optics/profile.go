package optics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/interp"
)

// Profile is the shape of a mirror, a surface of revolution whose tip points to the camera. Profiles are immutable and
// safe for any number of goroutines.
type Profile interface {
	// At returns the distance z of the surface behind the plane of its tip at a distance r from the axis, both in
	// metres, and its slope dz/dr.
	At(r float64) (z, slope float64)
}

// Paraboloid is r²/2R. For a distant camera with parallel rays, its focus is a single viewpoint.
type Paraboloid struct{ Radius float64 } // of curvature at the tip, metres

func (p Paraboloid) At(r float64) (z, slope float64) { return r * r / (2 * p.Radius), r / p.Radius }

// Sphere is a spherical mirror. It has no single viewpoint.
type Sphere struct{ Radius float64 } // metres; the mirror's rim must be smaller

func (s Sphere) At(r float64) (z, slope float64) {
	h := math.Sqrt(math.Max(0, s.Radius*s.Radius-r*r))
	return r * r / (s.Radius + h), r / h
}

// Table is a profile interpolated between measured points by a smooth cubic curve.
type Table struct{ curve interp.PiecewiseCubic }

// NewTable returns the profile through at least four points, ordered from the tip, where r[0] = 0, outwards. Only
// differences of z matter. It fails unless r increases.
func NewTable(r, z []float64) (*Table, error) {
	if len(r) < 4 || len(r) != len(z) {
		return nil, fmt.Errorf("%d radii and %d heights: must be as many, and at least 4", len(r), len(z))
	}
	if r[0] != 0 {
		return nil, fmt.Errorf("r[0] = %v: must be 0, the tip", r[0])
	}
	// The mirrored half of the cross-section makes the tip level.
	n := len(r)
	xs, ys := make([]float64, 2*n-1), make([]float64, 2*n-1)
	for i := range n {
		if i > 0 && !(r[i] > r[i-1]) || math.IsInf(r[i], 0) {
			return nil, fmt.Errorf("r[%d] = %v: must be larger than the one before", i, r[i])
		}
		if math.IsNaN(z[i]) || math.IsInf(z[i], 0) {
			return nil, fmt.Errorf("z[%d] = %v: must be a number", i, z[i])
		}
		xs[n-1-i], xs[n-1+i] = -r[i], r[i]
		ys[n-1-i], ys[n-1+i] = z[i]-z[0], z[i]-z[0]
	}
	var spline interp.NotAKnotCubic
	if err := spline.Fit(xs, ys); err != nil {
		return nil, err
	}
	slopes := make([]float64, n)
	for i := range slopes {
		slopes[i] = spline.PredictDerivative(r[i])
	}
	slopes[0] = 0
	t := &Table{}
	t.curve.FitWithDerivatives(xs[n-1:], ys[n-1:], slopes)
	return t, nil
}

func (t *Table) At(r float64) (z, slope float64) {
	return t.curve.Predict(r), t.curve.PredictDerivative(r)
}
