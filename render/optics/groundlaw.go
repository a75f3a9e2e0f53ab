package optics

import (
	"errors"
	"fmt"
	"math"
)

// GroundLaw describes a mirror by the floor that it shows: a pixel at the distance rho from the image's centre shows
// the floor at the returned distance from the axis, metres, or no floor if it is +Inf.
type GroundLaw func(rho float64) float64

// TangentLaw is a·tan(b·rho), with a in metres and b in radians per pixel: team NuBot's mirror, a ≈ 1.57 m and
// b ≈ 0.0071 (published in its software).
func TangentLaw(a, b float64) GroundLaw {
	return func(rho float64) float64 {
		if b*rho >= math.Pi/2 {
			return math.Inf(1)
		}
		return a * math.Tan(b*rho)
	}
}

// LinearLaw shows the floor to scale, in metres per pixel: an isometric mirror.
func LinearLaw(scale float64) GroundLaw { return func(rho float64) float64 { return scale * rho } }

// NewGroundMirror computes the mirror profile that shows the floor, height metres below the origin of the optical
// frame, according to a law. The other parameters are those of NewMirror; rho counts pixels along u. It fails if the
// law does not grow, or if the mirror shows the floor farther than 20 m away before it ends.
//
// The pinhole sees the mirror under the angle α at the distance s(α). The normal must bisect the angle between the ray
// i from the pinhole and the ray d to the floor. This requires ds/dα = s·(w·d)/(1 − i·d), where w is i rotated outwards
// by 90°. The classical Runge-Kutta method solves it. Source of the approach: Hicks and Bajcsy, "Catadioptric sensors
// that approximate wide-angle perspective projections", CVPR 2000.
func NewGroundMirror(p Pinhole, law GroundLaw, height, distance, rimRadius float64) (*Mirror, error) {
	if !(distance > 0) || !(rimRadius > 0) || !(height > 0) {
		return nil, errors.New("distance, rim radius and height must be positive")
	}
	// The floor is below the viewpoint, which depends on the unknown profile.
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

// solve returns the profile for a floor at the distance floor, metres, from the pinhole along the axis.
func solve(p Pinhole, law GroundLaw, floor, distance, rimRadius float64) (Profile, error) {
	// slopes returns ds/dα and, of the mirror's surface, dz/dr.
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
