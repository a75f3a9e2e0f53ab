package optics

import "math"

// root returns a root of the function f between lo and hi, exact to the last bits, by the Illinois variant of false
// position. ok is false if f has the same sign at both ends.
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
