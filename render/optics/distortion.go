package optics

import (
	"fmt"
	"math"
)

// Distortion distorts the image plane of a pinhole, after Brown and Conrady, in OpenCV's order and convention: with r²
// = x² + y²
//
//	x' = x·(1 + K1·r² + K2·r⁴ + K3·r⁶)/(1 + K4·r² + K5·r⁴ + K6·r⁶) + 2·P1·x·y + P2·(r² + 2·x²)
//	y' = y·(…)/(…) + P1·(r² + 2·y²) + 2·P2·x·y
type Distortion struct{ K1, K2, P1, P2, K3, K4, K5, K6 float64 }

// farthest is the largest radius in the image plane for which distortions are evaluated, in focal lengths. It is 89.4°
// from the axis of a pinhole.
const farthest = 100

// reach returns the radius up to which the radial part of the distortion increases. Up to this radius, no two points
// have the same image. reach fails if the radial part does not increase at all.
func (d *Distortion) reach() (float64, error) {
	for _, k := range []float64{d.K1, d.K2, d.P1, d.P2, d.K3, d.K4, d.K5, d.K6} {
		if math.IsNaN(k) || math.IsInf(k, 0) {
			return 0, fmt.Errorf("distortion = %v: must be finite", *d)
		}
	}
	slope := func(r float64) float64 {
		radial, derivative := d.radial(r * r)
		return radial + 2*r*r*derivative
	}
	for r, step := 0.0, 0.002; r < farthest; r, step = r+step, step*1.002 {
		// Stop where the slope falls below a hundredth of the slope without distortion, shortly before the image folds
		// back.
		if slope(r+step) > 0.01 && d.denominator((r+step)*(r+step)) > 0 {
			continue
		}
		lo, hi := r, r+step
		for range 60 {
			if mid := (lo + hi) / 2; slope(mid) > 0.01 && d.denominator(mid*mid) > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		if lo < 0.01 {
			return 0, fmt.Errorf("distortion = %v: must not fold the image at its middle", *d)
		}
		return lo, nil
	}
	return farthest, nil
}

func (d *Distortion) denominator(r2 float64) float64 { return 1 + r2*(d.K4+r2*(d.K5+r2*d.K6)) }

// radial returns the radial factor at the squared radius r2, and its derivative with respect to r2.
func (d *Distortion) radial(r2 float64) (factor, derivative float64) {
	n, m := 1+r2*(d.K1+r2*(d.K2+r2*d.K3)), d.denominator(r2)
	dn, dm := d.K1+r2*(2*d.K2+3*r2*d.K3), d.K4+r2*(2*d.K5+3*r2*d.K6)
	return n / m, (dn*m - n*dm) / (m * m)
}

// apply distorts a point of the image plane.
func (d *Distortion) apply(x, y float64) (xd, yd float64) {
	r2 := x*x + y*y
	radial, _ := d.radial(r2)
	return x*radial + 2*d.P1*x*y + d.P2*(r2+2*x*x), y*radial + d.P1*(r2+2*y*y) + 2*d.P2*x*y
}

// invert returns the point within the radius reach whose distorted image is (xd, yd). ok is false if there is no such
// point.
func (d *Distortion) invert(xd, yd, reach float64) (x, y float64, ok bool) {
	x, y = d.invertRadial(xd, yd, reach)
	for range 30 {
		gx, gy := d.apply(x, y)
		ex, ey := gx-xd, gy-yd
		if math.Abs(ex)+math.Abs(ey) < 1e-15*(1+math.Abs(xd)+math.Abs(yd)) {
			break
		}
		r2 := x*x + y*y
		radial, slope := d.radial(r2)
		xx := radial + 2*x*x*slope + 2*d.P1*y + 6*d.P2*x
		xy := 2*x*y*slope + 2*d.P1*x + 2*d.P2*y
		yy := radial + 2*y*y*slope + 6*d.P1*y + 2*d.P2*x
		det := xx*yy - xy*xy
		if det <= 0 {
			return 0, 0, false
		}
		x, y = x-(yy*ex-xy*ey)/det, y-(xx*ey-xy*ex)/det
	}
	gx, gy := d.apply(x, y)
	ok = math.Hypot(gx-xd, gy-yd) < 1e-11*(1+math.Hypot(xd, yd)) && math.Hypot(x, y) <= reach
	return x, y, ok
}

// invertRadial inverts the radial part by bisection, because that part increases up to reach.
func (d *Distortion) invertRadial(xd, yd, reach float64) (x, y float64) {
	r := math.Hypot(xd, yd)
	if r == 0 {
		return 0, 0
	}
	lo, hi := 0.0, math.Min(reach, math.Max(2*r, 0.1))
	for at, _ := d.radial(hi * hi); hi < reach && hi*at < r; at, _ = d.radial(hi * hi) {
		hi = math.Min(reach, 2*hi)
	}
	for range 20 {
		mid := (lo + hi) / 2
		if f, _ := d.radial(mid * mid); mid*f < r {
			lo = mid
		} else {
			hi = mid
		}
	}
	k := (lo + hi) / 2 / r
	return k * xd, k * yd
}
