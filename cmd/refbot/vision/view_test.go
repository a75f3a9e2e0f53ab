package vision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// An omni camera's view looks at the floor points that its table of the floor has.
func TestViewIsTheFloors(t *testing.T) {
	m := readModel(t)
	mount := OmniMount{X: 0.05, Y: -0.02, Height: 0.7, Yaw: 0.4, Mirrored: true}
	view, floor := NewOmniView(m, mount), NewFloor(m, mount, 6)
	seen := 0
	for i := range view.Width * view.Height {
		x, y, ok := floor.Index(i)
		if !ok {
			continue
		}
		seen++
		if vx, vy, ok := view.Meets(view.Index(i), 0); !ok || !(math.Hypot(vx-x, vy-y) < 1e-3) {
			t.Fatalf("pixel %d meets the floor at (%.3f, %.3f), want (%.3f, %.3f)", i, vx, vy, x, y)
		}
	}
	if seen < 50000 {
		t.Errorf("only %d pixels show the floor", seen)
	}
	if _, _, ok := view.Meets(view.Index(0), 0); ok {
		t.Error("the image's corner meets the floor")
	}
}

// Pixels of a lens look where the simulator's model of it says, mounted as its sensors are, also between pixels.
func TestPinholeRaysAreTheOracles(t *testing.T) {
	k := optics.Pinhole{Width: 640, Height: 480, FX: 540, FY: 538, CX: 322, CY: 236}
	for _, d := range [][]float64{nil, {-0.12, 0.04, 0.001, -0.0006, 0}, {0.1, 0.02, 0, 0, 0.01, 0.15, 0.03, 0.001},
		{0, 0, 0, 0}, {-0.02, 0.006, -0.004, 0.0006}} {
		var model optics.Model = k
		name := "plumb_bob"
		switch {
		case len(d) == 4:
			b := must.Get(optics.NewKannalaBrandt(k, d[0], d[1], d[2], d[3]))(t)
			name, model = "equidistant", b
		case d != nil:
			var all [8]float64
			copy(all[:], d)
			b := must.Get(optics.NewBrownConrady(k, optics.Distortion{K1: all[0], K2: all[1], P1: all[2], P2: all[3],
				K3: all[4], K4: all[5], K5: all[6], K6: all[7]}))(t)
			if len(d) == 8 {
				name = "rational_polynomial"
			}
			model = b
		}
		p := must.Get(NewPinhole(640, 480, [9]float64{540, 0, 322, 0, 538, 236, 0, 0, 1}, name, d))(t)
		mount := PinholeMount{X: 0.2, Y: 0.03, Height: 0.5, Yaw: 0.2, Pitch: 0.3}
		view := NewPinholeView(p, mount)
		poseBC := sensors.Mount{X: 0.2, Y: 0.03, Z: 0.5, Yaw: 0.2, Pitch: 0.3}.Pose().Mul(spatial.BodyToOptical())
		random := rand.New(rand.NewPCG(4, 4))
		for range 500 {
			u, v := 638*random.Float64(), 478*random.Float64()
			c, ok := model.Unproject(u, v)
			got, ok2 := view.At(u, v)
			if want := poseBC.Rotate(c); !ok || !ok2 || !(got.Sub(want).Len() < 1e-5) {
				t.Fatalf("%s: (%.1f, %.1f): %v, want %v", name, u, v, got, want)
			}
		}
	}
}

func TestPinholeRefuses(t *testing.T) {
	k := [9]float64{540, 0, 320, 0, 540, 240, 0, 0, 1}
	nan := k
	nan[2] = math.NaN()
	for _, c := range []struct {
		width int
		k     [9]float64
		model string
		d     []float64
		want  string
	}{
		{0, k, "plumb_bob", nil, "camera_info: 0 × 480 pixels: must be from 1 to 8192"},
		{640, [9]float64{}, "plumb_bob", nil, "camera_info: K: fx = 0, fy = 0: must be positive"},
		{640, k, "mei", make([]float64, 5),
			`camera_info: distortion_model = "mei": must be plumb_bob, rational_polynomial or equidistant`},
		{640, k, "equidistant", make([]float64, 5), "camera_info: D: has 5 coefficients: must have 4 for equidistant"},
		{640, k, "plumb_bob", make([]float64, 3), "camera_info: D: has 3 coefficients: must have 5 or 8"},
		{640, nan, "plumb_bob", nil, "camera_info: NaN: must be finite"},
	} {
		if p, err := NewPinhole(c.width, 480, c.k, c.model, c.d); p != nil || err == nil || err.Error() != c.want {
			t.Errorf("%v, %v; want %s", p, err, c.want)
		}
	}
}
