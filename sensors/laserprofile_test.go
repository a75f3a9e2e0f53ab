package sensors

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The noise of a beam over 20 scans is that of measured devices, as the median over beams, and distances are multiples
// of the device's step. The measured figures are those of docs/reality.md.
func TestLaserProfilesHaveTheMeasuredNoise(t *testing.T) {
	for _, c := range []struct {
		profile  string
		distance float64
		sigma    float64 // measured, m
		step     float64 // m
	}{
		{"urg-04lx", 0.75, 0.0027, 0.001}, {"urg-04lx", 1.5, 0.0025, 0.001}, {"urg-04lx", 2.5, 0.0118, 0.001},
		{"urg-04lx", 3.5, 0.0172, 0.001},
		{"sick-lms200", 1.5, 0.0067, 0.01}, {"sick-lms200", 6, 0.0062, 0.01}, {"sick-lms200", 14, 0.0062, 0.01},
	} {
		s := build(t, "laser", func(cfg *Config) {
			cfg.Prepare(func(key string) string {
				return map[string]string{"kind": "laser", "profile": c.profile}[key]
			})
			cfg.Laser.DarkRange = 0 // which leaves the noise as it is, and needs no scene
			cfg.Mount.Z = 0.5       // over the boards
		})
		instant := among(spatial.Identity(), robotAt(c.distance+0.25))
		var beams [][]float64
		for frame := range uint64(20 * 40) { // 40 sets of 20 scans, of the beam straight ahead
			scan := read[LaserScan](s, abstraction.Raw, frame, instant)
			if frame%20 == 0 {
				beams = append(beams, nil)
			}
			r := scan.Ranges[len(scan.Ranges)/2]
			if off := math.Abs(math.Remainder(r, c.step)); !(off <= 1e-9) {
				t.Fatalf("%s: %v m is no multiple of %v m", c.profile, r, c.step)
			}
			beams[len(beams)-1] = append(beams[len(beams)-1], r)
		}
		var sigmas []float64
		for _, b := range beams {
			sigmas = append(sigmas, stat.StdDev(b, nil))
		}
		slices.Sort(sigmas)
		got := stat.Quantile(0.5, stat.Empirical, sigmas, nil)
		t.Logf("%s at %v m: σ of a beam %.1f mm, measured %.1f mm", c.profile, c.distance, 1e3*got, 1e3*c.sigma)
		must.Near(t, fmt.Sprintf("%s at %v m", c.profile, c.distance), got, c.sigma, 0.15*c.sigma)
	}
}
