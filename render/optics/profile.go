package optics

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/interp"
)

// Profile is the shape of a mirror: a surface of revolution whose tip points to the camera. Profiles are immutable. Any
// number of goroutines may use them.
type Profile interface {
	// At returns the distance z of the surface behind the plane of its tip at a distance r from the axis, both in
	// metres, and its slope dz/dr.
	At(r float64) (z, slope float64)
}

// Paraboloid is a mirror with the profile r²/2R. For a distant camera with parallel rays, its focus is a single
// viewpoint.
type Paraboloid struct{ Radius float64 } // radius of curvature at the tip, metres

func (p Paraboloid) At(r float64) (z, slope float64) { return r * r / (2 * p.Radius), r / p.Radius }

// Sphere is a spherical mirror. It has no single viewpoint.
type Sphere struct{ Radius float64 } // metres; must be larger than the radius of the mirror's rim

func (s Sphere) At(r float64) (z, slope float64) {
	h := math.Sqrt(math.Max(0, s.Radius*s.Radius-r*r))
	return r * r / (s.Radius + h), r / h
}

// Table is a profile that is interpolated between measured points by a smooth cubic curve.
type Table struct{ curve interp.PiecewiseCubic }

// NewTable returns the profile through at least four points. They are ordered from the tip, where r[0] = 0, outwards.
// Only differences of z matter. NewTable fails if r does not increase.
func NewTable(r, z []float64) (*Table, error) {
	if len(r) < 4 || len(r) != len(z) {
		return nil, fmt.Errorf("%d radii and %d heights: must be as many, and at least 4", len(r), len(z))
	}
	if r[0] != 0 {
		return nil, fmt.Errorf("r[0] = %v: must be 0, the tip", r[0])
	}
	// The curve also goes through the mirrored points of the other half of the cross-section, so it is level at the
	// tip.
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

// GroundLaw describes a mirror by the floor that it shows. A pixel at the distance rho from the image's centre shows
// the floor at the returned distance from the axis, metres. The pixel shows no floor if the result is +Inf.
type GroundLaw func(rho float64) float64

// TangentLaw returns the law a·tan(b·rho), with a in metres and b in radians per pixel. It is the law of team NuBot's
// mirror, with a ≈ 1.57 m and b ≈ 0.0071 (published in its software).
func TangentLaw(a, b float64) GroundLaw {
	return func(rho float64) float64 {
		if b*rho >= math.Pi/2 {
			return math.Inf(1)
		}
		return a * math.Tan(b*rho)
	}
}

// LinearLaw returns the law of a mirror that shows the floor to scale (an isometric mirror), in metres per pixel.
func LinearLaw(scale float64) GroundLaw { return func(rho float64) float64 { return scale * rho } }

// NewGroundMirror returns a mirror that shows the floor according to a law. It computes the mirror's profile. The
// argument height is the height of the origin of the optical frame above the floor, metres. The other arguments are
// those of NewMirror. The argument rho of the law counts pixels along u. NewGroundMirror fails if the law does not
// increase. It also fails if the mirror shows the floor farther than 20 m away before its rim.
//
// The pinhole sees a point of the mirror at the angle α and the distance s(α). The normal there must bisect the angle
// between the ray i from the pinhole and the ray d to the floor. This requires ds/dα = s·(w·d)/(1 − i·d), where w is i
// rotated outwards by 90°. The equation is solved by the classical Runge-Kutta method. Source of the approach: Hicks
// and Bajcsy, "Catadioptric sensors that approximate wide-angle perspective projections", CVPR 2000.
func NewGroundMirror(p Pinhole, law GroundLaw, height, distance, rimRadius float64) (*Mirror, error) {
	if !(distance > 0) || !(rimRadius > 0) || !(height > 0) {
		return nil, errors.New("distance, rim radius and height must be positive")
	}
	// The height of the floor relative to the pinhole depends on the viewpoint, which in turn depends on the unknown
	// profile. So iterate.
	viewpoint := 0.0
	for range 30 {
		profile, err := solve(p, law, distance+viewpoint-height, distance, rimRadius)
		if err != nil {
			return nil, err
		}
		m, err := NewMirror(p, profile, distance, rimRadius)
		if err != nil || math.Abs(-m.tip-viewpoint) < 1e-12 {
			return m, err
		}
		viewpoint = -m.tip
	}
	return nil, errors.New("no mirror with these dimensions follows the law: its viewpoint does not converge")
}

// solve returns the profile for a floor at the distance floor from the pinhole along the axis, metres.
func solve(p Pinhole, law GroundLaw, floor, distance, rimRadius float64) (Profile, error) {
	// slopes returns ds/dα and the slope dz/dr of the mirror's surface.
	slopes := func(alpha, s float64) (along, surface float64) {
		sin, cos := math.Sincos(alpha)
		r, z := s*sin, s*cos
		dr, dz := law(p.FX*sin/cos)-r, floor-z
		n := math.Hypot(dr, dz)
		dr, dz = dr/n, dz/n
		surface = (dr - sin) / (cos - dz)
		return s * (cos*dr - sin*dz) / (1 - sin*dr - cos*dz), surface
	}
	const steps = 2000
	h := math.Atan(rimRadius/distance) / steps
	rs, zs, ds := []float64{0}, []float64{0}, []float64{0}
	for alpha, s := 0.0, distance; rs[len(rs)-1] <= rimRadius; {
		if g := law(p.FX * math.Tan(alpha+h)); !(g <= far) {
			return nil, fmt.Errorf("the law shows the floor beyond %d m where the mirror is %.4g m wide: it must "+
				"end before", far, rs[len(rs)-1])
		}
		k1, _ := slopes(alpha, s)
		k2, _ := slopes(alpha+h/2, s+h/2*k1)
		k3, _ := slopes(alpha+h/2, s+h/2*k2)
		k4, _ := slopes(alpha+h, s+h*k3)
		alpha += h
		s += h / 6 * (k1 + 2*k2 + 2*k3 + k4)
		_, surface := slopes(alpha, s)
		r := s * math.Sin(alpha)
		if !(r > rs[len(rs)-1]) {
			return nil, fmt.Errorf("no mirror wider than %.4g m follows the law", rs[len(rs)-1])
		}
		rs, zs, ds = append(rs, r), append(zs, s*math.Cos(alpha)-distance), append(ds, surface)
	}
	t := &Table{}
	t.curve.FitWithDerivatives(rs, zs, ds)
	return t, nil
}

// Paraxial returns the pixel of a camera's optical axis, and the focal lengths there in pixels. For a mirror, they are
// those of the camera that looks into it.
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

// root returns a root of the function f between lo and hi, by the Illinois variant of false position. It is exact up to
// the last bits. ok is false if f has the same sign at both ends.
func root(lo, hi float64, f func(float64) float64) (x float64, ok bool) {
	a, b := f(lo), f(hi)
	switch {
	case a == 0:
		return lo, true
	case b == 0:
		return hi, true
	case (a < 0) == (b < 0):
		return 0, false
	}
	side, before := 0, math.NaN()
	for range 200 {
		x = lo + (hi-lo)*(a/(a-b))
		if !(x > min(lo, hi) && x < max(lo, hi)) {
			x = lo + (hi-lo)/2
		}
		y := f(x)
		if y == 0 || math.Abs(x-before) <= 4e-16*math.Abs(x) {
			return x, true
		}
		before = x
		if (y < 0) == (a < 0) {
			lo, a = x, y
			if side == 1 {
				b /= 2
			}
			side = 1
		} else {
			hi, b = x, y
			if side == -1 {
				a /= 2
			}
			side = -1
		}
	}
	return x, true
}
