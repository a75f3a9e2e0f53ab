package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The covariance equals that of a sample of located points: for a plain camera, one that measures distances, and with a
// table of errors.
func TestLocationCovariance(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		name    string
		pixels  float64
		ranging RangeSigma
		errors  []VisionError
	}{
		{"pixels", 0.5, nil, nil},
		{"a measured range", 0.5, func(z float64) float64 { return 0.01 * z }, nil},
		{"a table", 0, nil, []VisionError{{Distance: 1, Range: 0.05, Angle: 0.02, Bias: 0.1}}},
		{"a table of quantiles", 0, nil, []VisionError{{Distance: 1, RangeQuantiles: Quantiles{-0.5, -0.1, -0.04, 0,
			0.03, 0.08, 0.2}, AngleQuantiles: Quantiles{-0.04, 0.01, 0.06}}}},
		{"a table and pixels", 0.5, nil, []VisionError{{Distance: 1, Range: 0.05, Angle: 0.02}}},
	} {
		view := lookingAlongX(0.6)
		cfg := perfect()
		cfg.PixelNoise, cfg.Errors = c.pixels, c.errors
		env := Environment{PoseWB: spatial.Identity(), Targets: []Target{ball(2, 0.7, 0.11)}}
		var list ObjectList
		var places []mgl64.Vec3
		var mean mgl64.Vec3
		for frame := range uint64(n) {
			see(&cfg, &view, c.ranging, &env, random.New(5, "r", "s", frame), &list)
			places = append(places, list.Detections[0].PosB)
			mean = mean.Add(list.Detections[0].PosB.Mul(1.0 / n))
		}
		var sample mgl64.Mat3
		for _, p := range places {
			d := p.Sub(mean)
			sample = sample.Add(d.OuterProd3(d).Mul(1.0 / n))
		}
		got := cfg.LocationCovariance(BallKind, view.Model, view.PoseWC, c.ranging, mean)
		for i := range 3 {
			for j := range 3 {
				// Standard deviation of the estimate, and second-order terms, below 1 % here.
				tol := 5*math.Sqrt((got.At(i, i)*got.At(j, j)+got.At(i, j)*got.At(i, j))/n) +
					0.01*math.Sqrt(got.At(i, i)*got.At(j, j)) + 1e-12
				if !(math.Abs(got.At(i, j)-sample.At(i, j)) <= tol) {
					t.Errorf("%s: covariance [%d][%d] = %v, sampled %v ± %v", c.name, i, j, got.At(i, j),
						sample.At(i, j), tol)
				}
			}
		}
		if !(got.At(0, 0) > 1e-6) || !(got.At(1, 1) > 1e-7) {
			t.Errorf("%s: variances %v and %v", c.name, got.At(0, 0), got.At(1, 1))
		}
	}
}
