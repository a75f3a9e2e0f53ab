//go:build cgo

package worlds_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// patch is the side of the squares in which planes are fitted, pixels.
const patch = 21

// planeSigma returns the standard deviation of the depths of patch × patch pixels from the plane that fits them best,
// and the mean depth. The inverse of a plane's depth is linear in the pixel's place. It reports false if a pixel has no
// depth, or if the plane is steeper than 60°.
func planeSigma(d *render.Depth, focal float64, u, v int) (sigma, mean float64, ok bool) {
	var normal mgl64.Mat3
	var right mgl64.Vec3
	var rows []mgl64.Vec3
	var depths []float64
	for y := v; y < v+patch; y++ {
		for x := u; x < u+patch; x++ {
			z := float64(d.Z[y*d.Width+x])
			if !(z > 0) || math.IsInf(z, 0) {
				return 0, 0, false
			}
			row := mgl64.Vec3{(float64(x) - float64(d.Width-1)/2) / focal,
				(float64(y) - float64(d.Height-1)/2) / focal, 1}
			normal, right = normal.Add(row.OuterProd3(row)), right.Add(row.Mul(1/z))
			rows, depths = append(rows, row), append(depths, z)
			mean += z / patch / patch
		}
	}
	plane := normal.Inv().Mul3x1(right) // the plane's normal, divided by its distance
	if !(math.Atan2(math.Hypot(plane[0], plane[1]), plane[2]) < 60*spatial.Degree) {
		return 0, 0, false
	}
	var residuals []float64
	for i, row := range rows {
		r := depths[i] - 1/plane.Dot(row)
		if math.Abs(r) <= 6*nguyen(mean)+0.004 {
			residuals = append(residuals, r)
		}
	}
	return stat.StdDev(residuals, nil), mean, true
}

// nguyen returns the standard deviation of the depth z, in m, of a surface that faces a Kinect v1. Source: Nguyen,
// Izadi and Lovell 2012.
func nguyen(z float64) float64 { return 0.0012 + 0.0019*math.Pow(z-0.4, 2) }

// long is set by make verify-reality. Without it, tests use fewer places and less time.
var long = flag.Bool("reality.long", false, "compare sensors with real ones in all places, which takes a minute")

// A Kinect v1 in an office has the steps, the noise and the pixels without depth of measured images. As σ grows fast
// with the distance, it is compared relative to that of Nguyen et al. at the same distance. The measured figures are
// those of docs/reality.md.
func TestKinectHasTheMeasuredDepths(t *testing.T) {
	bands := []struct{ from, to, measured float64 }{ // m, m, and σ divided by that of Nguyen et al.
		{1.5, 2, 4.75 / 4.52}, {2, 2.5, 7.95 / 8.15}, {2.5, 3.5, 10.32 / 10.51},
	}
	ratios, steps := make([][]float64, len(bands)), []float64{}
	without, pixels := 0.0, 0.0
	var cache omnipitch.Cache
	poses := []mgl64.Vec3{{-7.5, 3, 0.8}, {-7.5, 2, 2}, {6.5, 2.2, 1.2}, {-1, -3, 2}, {-7.5, 0, 0}, {-1, -3, 4},
		{6.5, 2, -1}, {-7.5, 3, 4}, {-7.5, -3, 3}, {-3, 0, 3}, {-3, 5, 0}, {2, -4, -1}}
	if !*long {
		poses = poses[:1]
	}
	for _, pose := range poses {
		w := simtest.World(t, "office", func(w *worlds.World) {
			c := sensors.Config{Name: "kinect", Mount: sensors.Mount{X: 0.2, Z: 1, Pitch: 0.2}}
			c.Prepare(func(key string) string {
				return map[string]string{"kind": "kinect", "profile": "kinect-v1"}[key]
			})
			r := &w.Robots[0]
			r.Sensors, r.Player = []sensors.Config{c}, nil
			r.Pose.X, r.Pose.Y, r.Pose.Heading = pose[0], pose[1], pose[2]
		})
		sim := simtest.New(t, w, omnipitch.Options{NewRenderer: backend.Tile, Cache: &cache})
		d := sim.Capture("robot1", "kinect", abstraction.Raw).Depth
		for _, z := range d.Z {
			if pixels++; !(z > 0) || math.IsInf(float64(z), 0) {
				without++
			}
		}
		depths := slices.Clone(d.Z)
		slices.Sort(depths)
		depths = slices.Compact(depths)
		for i := 1; i < len(depths); i++ {
			if z := float64(depths[i]); z > 1.5 && z < 3.5 {
				steps = append(steps, (z-float64(depths[i-1]))/z/z)
			}
		}
		focal := float64(d.Width) / 2 / math.Tan(57*spatial.Degree/2)
		for v := 0; v+patch <= d.Height; v += patch {
			for u := 0; u+patch <= d.Width; u += patch {
				sigma, mean, ok := planeSigma(d, focal, u, v)
				for i, b := range bands {
					if ok && mean >= b.from && mean < b.to {
						ratios[i] = append(ratios[i], sigma/nguyen(mean))
					}
				}
			}
		}
		sim.Close()
	}
	median := func(x []float64) float64 {
		slices.Sort(x)
		return stat.Quantile(0.5, stat.Empirical, x, nil)
	}
	step := median(steps)
	t.Logf("step %.5f·z², measured 0.00292·z²; without depth %.3f, measured 0.192", step, without/pixels)
	must.Near(t, "step", step, 0.00292, 0.15*0.00292)
	if *long {
		must.Near(t, "share without depth", without/pixels, 0.192, 0.15*0.192)
	}
	judged := 0
	for i, b := range bands {
		if !*long && len(ratios[i]) < 20 {
			continue
		}
		judged++
		if len(ratios[i]) < 20 {
			t.Fatalf("%v m to %v m: only %d planes", b.from, b.to, len(ratios[i]))
		}
		got := median(ratios[i])
		t.Logf("%v m to %v m: %.2f of the published σ, measured %.2f (%d planes)", b.from, b.to, got, b.measured,
			len(ratios[i]))
		must.Near(t, fmt.Sprintf("σ from %v m to %v m", b.from, b.to), got, b.measured, 0.15*b.measured)
	}
	if judged == 0 {
		t.Error("no distance has 20 planes")
	}
}
