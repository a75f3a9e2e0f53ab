package chip

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const degree = math.Pi / 180

var depthCamera = optics.PinholeFromFOV(512, 424, 70.6*degree)

// device is a device with published noise.
type device struct {
	name string
	cfg  render.Ranging
	// standard deviations, metres: for surfaces that face it; and in addition for each unit of θ²/(π/2 − θ)²
	facing, slant func(z float64) float64
	lateral       func(z float64) float64 // pixels
}

// devices are the two Kinects. Sources: see sensors/imaging.
var devices = []device{
	{
		"v2", render.Ranging{Min: 0.5, Max: 8, Axial: [3]float64{1.5e-3, -0.5e-3, 0.3e-3}, Slant: [2]float64{0, 1e-4},
			Lateral: [2]float64{0, 1.6e-3}, Flying: 0.4, Dropout: 0.2},
		func(z float64) float64 { return 1e-3 * (1.5 - 0.5*z + 0.3*z*z) },
		func(z float64) float64 { return 1e-4 * math.Pow(z, 1.5) },
		func(z float64) float64 { return 0.0016 * depthCamera.FX / z },
	},
	{
		"v1", render.Ranging{Min: 0.5, Max: 5, Axial: [3]float64{1.504e-3, -1.52e-3, 1.9e-3},
			Slant: [2]float64{1e-4, 0}, Lateral: [2]float64{0.8, 0}, Dropout: 0.5, Baseline: 0.075, Step: 2.85e-3},
		func(z float64) float64 { return 0.0012 + 0.0019*(z-0.4)*(z-0.4) },
		func(z float64) float64 { return 1e-4 / math.Sqrt(z) },
		func(float64) float64 { return 0.8 },
	},
}

func measure(d *render.Depth, r render.Ranging, k uint64) {
	var p Processor
	p.Measure(d, &r, depthCamera, k)
}

// plane returns the depths of a plane at a distance along the axis. Its normal is rotated by angle about the image's
// vertical.
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

// The oracle is the published law with the true angle of incidence at each pixel. Errors divided by its standard
// deviation must have mean 0 and variance 1, within 5 standard errors.
func TestDepthNoiseFollowsItsLaw(t *testing.T) {
	for _, dev := range devices {
		name, cfg := dev.name, dev.cfg
		cfg.Step, cfg.Baseline = 0, 0
		for _, c := range []struct{ distance, angle float64 }{{1, 0}, {2.5, 0}, {4.5, 0}, {2, 40 * degree},
			{1.5, 60 * degree}, {3, -60 * degree}} {
			d, normal := plane(c.distance, c.angle)
			truth := append([]float32(nil), d.Z...)
			measure(d, cfg, 7)
			sum, sum2, n := 0.0, 0.0, 0.0
			for i, z := range truth {
				x, y := direction(i)
				dir := mgl64.Vec3{x, y, 1}.Normalize()
				theta := math.Acos(math.Abs(dir.Dot(normal)))
				// Skip the first row and column, where noise is not slanted, and the ends of the range and of the
				// sources' angles.
				if i%depthCamera.Width == 0 || i < depthCamera.Width || float64(z) < cfg.Min+0.1 ||
					float64(z) > cfg.Max-0.5 || theta > 80*degree {
					continue
				}
				sigma := math.Hypot(dev.facing(float64(z))+dev.slant(float64(z))*theta*theta/math.Pow(math.Pi/2-theta,
					2), 1e-3/math.Sqrt(12))
				e := (float64(d.Z[i]) - float64(z)) / sigma
				sum, sum2, n = sum+e, sum2+e*e, n+1
			}
			mean, variance := sum/n, sum2/n
			// The polynomial of the angle of incidence changes sigma by up to a tenth of a percent.
			if !(math.Abs(mean) <= 5/math.Sqrt(n)) || !scalar.EqualWithinAbs(variance, 1, 5*math.Sqrt(2/n)+0.002) {
				t.Errorf("%s, %v m at %.0f°: mean %.4f, variance %.4f of %v samples, want 0 and 1", name, c.distance,
					c.angle/degree, mean, variance, n)
			}
			if !(n >= 1000) {
				t.Errorf("%s, %v m at %.0f°: only %v samples", name, c.distance, c.angle/degree, n)
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

// Without other faults, a pixel k columns beyond the edge shows the near surface if its rounded displacement is at most
// −k: the tail of a normal distribution.
func TestOutlinesFrayByTheLateralNoise(t *testing.T) {
	for _, dev := range devices {
		cfg := render.Ranging{Min: 0.1, Max: 8, Lateral: [2]float64{2.5 * dev.cfg.Lateral[0], 2.5 * dev.cfg.Lateral[1]}}
		const near, far = 1.0, 2.0
		d := step(near, far)
		measure(d, cfg, 8)
		sigma := 2.5 * dev.lateral(far)
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
				t.Errorf("%s: %v of %v pixels %d beyond the edge show the near side, want %.3f", dev.name, got, n, k, p)
			}
		}
	}
}

func TestOutlinesDropOutAndMix(t *testing.T) {
	d := step(1, 3)
	measure(d, render.Ranging{Min: 0.1, Max: 8, Flying: 0.4, Dropout: 0.25}, 9)
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
			t.Fatalf("pixel %d next to the edge measures %v", i, z)
		}
	}
}

// At the left edge of a near box, the projector's light does not reach f·b·(1/near − 1/far) columns.
func TestProjectorShadow(t *testing.T) {
	const near, far = 1.0, 4.0
	d := render.NewDepth(depthCamera.Width, depthCamera.Height)
	for i := range d.Z {
		d.Z[i] = far
		if u := i % d.Width; u >= 200 && u < 300 {
			d.Z[i] = near
		}
	}
	measure(d, render.Ranging{Min: 0.1, Max: 8, Baseline: 0.075}, 1)
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

// The oracle computes the light of each pixel with the true angle of incidence. The fraction of pixels that measure
// something must be the normal distribution's, within 5 standard errors, for pixels that get similar light.
func TestTooLittleLightMeasuresNothing(t *testing.T) {
	cfg := render.Ranging{Min: 0.1, Max: 20, DarkRange: 2.5, SignalNoise: 0.1}
	for _, c := range []struct{ distance, angle, reflectance float64 }{
		{2.5, 0, 0.1}, {2.3, 30 * degree, 0.1}, {6, 0, 0.8}, {3, 60 * degree, 0.4}, {2.2, -70 * degree, 0.3},
	} {
		d, normal := plane(c.distance, c.angle)
		truth := append([]float32(nil), d.Z...)
		for range truth {
			d.Reflectance = append(d.Reflectance, float32(c.reflectance))
		}
		measure(d, cfg, 11)
		sum, variance, ends := 0.0, 0.0, [2]float64{}
		for i, z := range truth {
			x, y := direction(i)
			dir := mgl64.Vec3{x, y, 1}
			cos := math.Abs(dir.Normalize().Dot(normal))
			if i%depthCamera.Width == 0 || i < depthCamera.Width || math.IsInf(float64(z), 0) || cos < 0.15 {
				continue
			}
			square := dir.LenSqr() * float64(z) * float64(z)
			light := c.reflectance * cos / square * cfg.DarkRange * cfg.DarkRange / 0.1
			p := distuv.UnitNormal.CDF((light - 1) / cfg.SignalNoise)
			got := 0.0
			if d.Z[i] > 0 {
				got = 1
			}
			sum, variance = sum+got-p, variance+p*(1-p)
			ends[int(got)]++
		}
		// Noise is a sum of bytes, whose distribution deviates from the normal one by up to 0.005.
		if n := ends[0] + ends[1]; !(math.Abs(sum) <= 5*math.Sqrt(variance)+0.005*n) || !(n > 1000) {
			t.Errorf("%v m at %.0f°, %v: %.4f of %v pixels measure more than expected", c.distance, c.angle/degree,
				c.reflectance, sum/n, n)
		}
		if !(ends[0] > 100 && ends[1] > 100) {
			t.Errorf("%v m at %.0f°, %v: %v pixels with and %v without light: need both", c.distance, c.angle/degree,
				c.reflectance, ends[1], ends[0])
		}
	}
}

func TestMarginMeasuresNothing(t *testing.T) {
	d, _ := plane(2, 0)
	measure(d, render.Ranging{Min: 0.1, Max: 8, Margin: 8}, 1)
	for i, z := range d.Z {
		if inside := i%d.Width < d.Width-8; inside != (z > 0) {
			t.Fatalf("column %d of %d: %v m", i%d.Width, d.Width, z)
		}
	}
}

// The number of steps between two distances is the number of multiples of the disparity's step, up to rounding to
// millimetres.
func TestDisparitySteps(t *testing.T) {
	const disparity, span, width = 2.85e-3, 0.2, 20_000
	for _, z := range []float64{1, 2, 4} {
		d := render.NewDepth(width, 1)
		for i := range d.Z {
			d.Z[i] = float32(z + span*float64(i)/width)
		}
		measure(d, render.Ranging{Min: 0.1, Max: 8, Step: disparity}, 1)
		changes := 0
		for i := range d.Z[1:] {
			if d.Z[i+1] != d.Z[i] {
				changes++
			}
			if want := z + span*float64(i)/width; !scalar.EqualWithinAbs(float64(d.Z[i]), want,
				want*want*disparity/2*1.05+5e-4) {
				t.Fatalf("%v m is measured as %v m", want, d.Z[i])
			}
		}
		if want := (1/z - 1/(z+span)) / disparity; !scalar.EqualWithinAbs(float64(changes), want, 1.5) {
			t.Errorf("%d steps from %v m to %v m, want %.1f", changes, z, z+span, want)
		}
	}
}

// The polynomial of the angle of incidence has the stated accuracy, and is constant beyond 82°.
func TestIncidence(t *testing.T) {
	for tenth := range 890 {
		angle := float64(tenth) / 10
		theta := math.Min(angle, 82) * degree
		want := theta * theta / math.Pow(math.Pi/2-theta, 2)
		must.Near(t, fmt.Sprintf("at %v°", angle), float64(incidence(float32(1/math.Cos(angle*degree)))), want,
			1.1e-3*(5+want))
	}
	if a, b := incidence(float32(math.Inf(1))), incidence(float32(math.NaN())); a != b || !(a > 100) {
		t.Errorf("edge-on %v, of no surface %v", a, b)
	}
}

func TestDistancesOutOfRange(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		exact    bool
		in, want float32
	}{
		{false, 0.3, 0}, {false, 9, 0}, {false, inf, 0}, {false, 2.34567, 2.346}, {true, 0.3, 0}, {true, 9, inf},
		{true, 2.34567, 2.34567},
	} {
		d := &render.Depth{Width: 2, Height: 1, Z: []float32{c.in, c.in}}
		if measure(d, render.Ranging{Min: 0.5, Max: 8, Exact: c.exact}, 1); !(abs32(d.Z[1]-c.want) <= 1e-6) &&
			d.Z[1] != c.want {
			t.Errorf("exact %v: %v m became %v, want %v", c.exact, c.in, d.Z[1], c.want)
		}
	}
}

func abs32(x float32) float32 { return float32(math.Abs(float64(x))) }

// Noise of distances is independent of that of colours and of other images.
func TestDistancesHaveNoiseOfTheirOwn(t *testing.T) {
	const w, h = 300, 200
	deviations := func(k uint64) []float64 {
		d := render.NewDepth(w, h)
		for i := range d.Z {
			d.Z[i] = 2
		}
		measure(d, render.Ranging{Max: 8, Axial: [3]float64{0.1, 0, 0}}, k)
		x := make([]float64, len(d.Z))
		for i, z := range d.Z {
			x[i] = (float64(z) - 2) / 0.1
		}
		return x
	}
	a := deviations(1)
	for name, b := range map[string][]float64{"colours": numbers(1), "every third colour": everyThird(numbers(1)),
		"another image": deviations(2), "neighbours": a[1:], "rows": a[w:]} {
		var product []float64
		for i := range min(len(a), len(b)) {
			product = append(product, a[i]*b[i])
		}
		must.Near(t, fmt.Sprintf("%s: correlation", name), stat.Mean(product, nil), 0,
			5/math.Sqrt(float64(len(product))))
	}
}

func everyThird(x []float64) (y []float64) {
	for i := 0; i < len(x); i += 3 {
		y = append(y, x[i])
	}
	return y
}
