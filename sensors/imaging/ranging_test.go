package imaging

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// The oracle is the published laws as written in their sources.
func TestRangingHasThePublishedNoise(t *testing.T) {
	var v2 Ranging
	v2.SetDefaults()
	for _, c := range []struct {
		name string
		cfg  Ranging
		// metres; for each unit of θ²/(π/2 − θ)²; pixels of a focal length of 365
		facing, slant, lateral func(z float64) float64
	}{
		{"Kinect v2", v2, func(z float64) float64 { return 1e-3 * (1.5 - 0.5*z + 0.3*z*z) },
			func(z float64) float64 { return 1e-4 * math.Pow(z, 1.5) },
			func(z float64) float64 { return 0.0016 * 365 / z }},
		{"Kinect v1", KinectV1(), func(z float64) float64 { return 0.0012 + 0.0019*math.Pow(z-0.4, 2) },
			func(z float64) float64 { return 1e-4 / math.Sqrt(z) },
			func(float64) float64 { return 0.8 }},
	} {
		for _, factor := range []float64{0, 1, 2.5} {
			c.cfg.Noise, c.cfg.Lateral = factor, 3*factor
			m := c.cfg.Measured()
			for _, z := range []float64{0.5, 1, 3, 8} {
				for _, x := range []struct {
					name      string
					got, want float64
				}{
					{"Sigma", c.cfg.Sigma(z), factor * c.facing(z)},
					{"axial noise", m.Axial[0] + m.Axial[1]*z + m.Axial[2]*z*z, factor * c.facing(z)},
					{"slant", (m.Slant[0] + m.Slant[1]*z*z) / math.Sqrt(z), factor * c.slant(z)},
					{"lateral noise", m.Lateral[0] + m.Lateral[1]*365/z, 3 * factor * c.lateral(z)},
				} {
					if !scalar.EqualWithinAbsOrRel(x.got, x.want, 1e-12, 1e-12) {
						t.Errorf("%s, factor %v, %v m: %s %v, want %v", c.name, factor, z, x.name, x.got, x.want)
					}
				}
			}
		}
	}
}
