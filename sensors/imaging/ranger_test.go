package imaging

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

var depthCamera = optics.PinholeFromFOV(512, 424, 70.6*spatial.Degree)

func devices() map[string]Ranging {
	var v2 Ranging
	v2.SetDefaults()
	return map[string]Ranging{"v1": KinectV1(), "v2": v2}
}

// plane returns the depths of a plane at a distance along the axis, with the normal turned from it by angle about the
// image's vertical.
func plane(distance, angle float64) (d *render.Depth, normal mgl64.Vec3) {
	d = render.NewDepth(depthCamera.Width, depthCamera.Height)
	normal = mgl64.Vec3{math.Sin(angle), 0, -math.Cos(angle)}
	for i := range d.Z {
		x, y := direction(i)
		z := distance * normal[2] / normal.Dot(mgl64.Vec3{x, y, 1})
		if z <= 0 {
			z = math.Inf(1)
		}
		d.Z[i] = float32(z)
	}
	return d, normal
}

// direction returns a pixel's direction with length 1 along the axis.
func direction(i int) (x, y float64) {
	u, v := float64(i%depthCamera.Width), float64(i/depthCamera.Width)
	return (u - depthCamera.CX) / depthCamera.FX, (v - depthCamera.CY) / depthCamera.FY
}

// The oracle is the published law with the true angle of incidence at each pixel: errors divided by it must have the
// mean 0 and the variance 1, to 5 standard deviations of as many samples.
func TestDepthNoiseFollowsItsLaw(t *testing.T) {
	for name, cfg := range devices() {
		cfg.Disparity, cfg.Baseline = false, 0
		for _, c := range []struct{ distance, angle float64 }{{1, 0}, {2.5, 0}, {4.5, 0}, {2, 40 * spatial.Degree}, {1.5, 60 * spatial.Degree}, {3, -60 * spatial.Degree}} {
			d, normal := plane(c.distance, c.angle)
			truth := append([]float32(nil), d.Z...)
			NewRanger(&cfg, depthCamera).Measure(d, random.New(7, "r", name, 3))
			sum, sum2, n := 0.0, 0.0, 0.0
			for i, z := range truth {
				x, y := direction(i)
				dir := mgl64.Vec3{x, y, 1}.Normalize()
				theta := math.Acos(math.Abs(dir.Dot(normal)))
				// Not measured where the image begins, and not near the ends of the range or of the sources' angles.
				if i%depthCamera.Width == 0 || i < depthCamera.Width || float64(z) < cfg.Min+0.1 || float64(z) > cfg.Max-0.5 || theta > 80*spatial.Degree {
					continue
				}
				sigma := math.Hypot(cfg.Sigma(float64(z))+cfg.slant(float64(z))*theta*theta/math.Pow(math.Pi/2-theta, 2), 1e-3/math.Sqrt(12))
				e := (float64(d.Z[i]) - float64(z)) / sigma
				sum, sum2, n = sum+e, sum2+e*e, n+1
			}
			mean, variance := sum/n, sum2/n
			// The tables' steps make sigma wrong by up to a third of a percent.
			if !(math.Abs(mean) <= 5/math.Sqrt(n)) || !scalar.EqualWithinAbs(variance, 1, 5*math.Sqrt(2/n)+0.006) {
				t.Errorf("%s, %v m at %.0f°: mean %.4f, variance %.4f of %v samples, want 0 and 1", name, c.distance, c.angle/spatial.Degree, mean, variance, n)
			}
			if !(n >= 1000) {
				t.Errorf("%s, %v m at %.0f°: only %v samples", name, c.distance, c.angle/spatial.Degree, n)
			}
		}
	}
}

// step is a near surface on the left half and a far one on the right.
func step(near, far float32) *render.Depth {
	d := render.NewDepth(depthCamera.Width, depthCamera.Height)
	for i := range d.Z {
		d.Z[i] = far
		if i%d.Width < d.Width/2 {
			d.Z[i] = near
		}
	}
	return d
}

// Without other faults a pixel k columns beyond the edge shows the near surface when its displacement, rounded, is at
// most −k: a normal distribution's tail.
func TestOutlinesFrayByTheLateralNoise(t *testing.T) {
	for name, cfg := range devices() {
		cfg = Ranging{Principle: cfg.Principle, Min: 0.1, Max: 8, Lateral: 2.5}
		const near, far = 1.0, 2.0
		d := step(near, far)
		NewRanger(&cfg, depthCamera).Measure(d, random.New(8, "r", name, 4))
		sigma := cfg.lateral(far, depthCamera.FX)
		for k := 1; k <= 3; k++ {
			got := 0.0
			for v := range d.Height {
				if d.Z[v*d.Width+d.Width/2-1+k] < 1.5 {
					got++
				}
			}
			n := float64(d.Height)
			p := 0.5 * math.Erfc((float64(k)-0.5)/sigma/math.Sqrt2)
			if !scalar.EqualWithinAbs(got/n, p, 5*math.Sqrt(p*(1-p)/n)+0.001) {
				t.Errorf("%s: %v of %v pixels %d beyond the edge show the near side, want %.3f", name, got, n, k, p)
			}
		}
	}
}

func TestOutlinesDropOutAndMix(t *testing.T) {
	cfg := Ranging{Principle: "time-of-flight", Min: 0.1, Max: 8, Flying: 0.4, Dropout: 0.25}
	d := step(1, 3)
	NewRanger(&cfg, depthCamera).Measure(d, random.New(9, "r", "s", 5))
	none, mixed, sum, n := 0.0, 0.0, 0.0, 0.0
	for v := range d.Height {
		for _, u := range []int{d.Width/2 - 1, d.Width / 2} {
			z := float64(d.Z[v*d.Width+u])
			n++
			switch {
			case z == 0:
				none++
			case z > 1 && z < 3:
				mixed++
				sum += z
			}
		}
	}
	within := func(what string, got, want, sigma float64) {
		if !scalar.EqualWithinAbs(got, want, 5*sigma) {
			t.Errorf("%s: %v, want %v ± %v", what, got, want, sigma)
		}
	}
	within("drop-outs", none/n, 0.25, math.Sqrt(0.25*0.75/n))
	within("flying pixels", mixed/n, 0.4, math.Sqrt(0.4*0.6/n))
	within("their mean", sum/mixed, 2, 2/math.Sqrt(12*mixed))
	for i, z := range d.Z {
		if u := i % d.Width; (u < d.Width/2-1 || u > d.Width/2) && !(abs32(z-1) <= 1e-5) && !(abs32(z-3) <= 1e-5) {
			t.Fatalf("pixel %d beside the edge measures %v", i, z)
		}
	}
}

// Behind the left edge of a near box the projector's light is missing on f·b·(1/near − 1/far) columns.
func TestProjectorShadow(t *testing.T) {
	cfg := Ranging{Principle: "structured-light", Min: 0.1, Max: 8, Baseline: 0.075}
	const near, far = 1.0, 4.0
	d := render.NewDepth(depthCamera.Width, depthCamera.Height)
	for i := range d.Z {
		d.Z[i] = far
		if u := i % d.Width; u >= 200 && u < 300 {
			d.Z[i] = near
		}
	}
	NewRanger(&cfg, depthCamera).Measure(d, random.New(1, "r", "s", 1))
	dark, want := 0, depthCamera.FX*0.075*(1/near-1/far)
	for u := range d.Width {
		if d.Z[100*d.Width+u] == 0 {
			dark++
			if u >= 200 {
				t.Errorf("column %d is dark, right of the box's left edge", u)
			}
		}
	}
	if !scalar.EqualWithinAbs(float64(dark), want, 1) {
		t.Errorf("%d columns are dark, want %.1f", dark, want)
	}
}

func TestDisparitySteps(t *testing.T) {
	for _, z := range []float64{1, 2, 4} {
		// The smallest change of distance that is measured.
		first, last := disparity(float32(z)), float32(0)
		changes := 0
		const span = 0.2
		for at := z; at < z+span; at += 1e-5 {
			if got := disparity(float32(at)); got != first && got != last {
				changes++
				last = got
			}
		}
		want := (1/z - 1/(z+span)) / disparityStep
		if !scalar.EqualWithinAbs(float64(changes), want, 1.5) {
			t.Errorf("%d steps from %v m to %v m, want %.1f", changes, z, z+span, want)
		}
	}
}

func BenchmarkRanger(b *testing.B) {
	for name, cfg := range devices() {
		b.Run(name, func(b *testing.B) {
			r := NewRanger(&cfg, depthCamera)
			d := render.NewDepth(depthCamera.Width, depthCamera.Height)
			scene := step(2, 4)
			b.ReportAllocs()
			for b.Loop() {
				copy(d.Z, scene.Z)
				r.Measure(d, random.New(1, "r", "s", 1))
			}
		})
	}
}
