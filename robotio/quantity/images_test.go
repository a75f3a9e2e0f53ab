package quantity

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// 16UC1 in ROS is little-endian millimetres, 0 where nothing is known.
func TestMillimetres(t *testing.T) {
	z := []float32{0, 0.5, 1.2346, 7.9999, 65.535, 70, float32(math.Inf(1)), float32(math.NaN())}
	want := []uint16{0, 500, 1235, 8000, 65535, 0, 0, 0}
	got := millimetres(&render.Depth{Width: len(z), Height: 1, Z: z}, nil)
	if len(got) != 2*len(z) {
		t.Fatalf("%d bytes for %d pixels", len(got), len(z))
	}
	for i := range z {
		must.Equal(t, binary.LittleEndian.Uint16(got[2*i:]), want[i], "%v m", z[i])
	}
}

func TestIntrinsics(t *testing.T) {
	const degree = math.Pi / 180
	m := lensOf(optics.PinholeFromFOV(640, 480, 62*degree))
	f := 320 / math.Tan(31*degree)
	if m.width != 640 || m.height != 480 || m.model != "plumb_bob" || len(m.d) != 5 {
		t.Errorf("%+v", m)
	}
	// Pixel (0, 0) is the centre of the top-left pixel, so the axis meets the image at 319.5, 239.5.
	for i, want := range [9]float64{f, 0, 319.5, 0, f, 239.5, 0, 0, 1} {
		must.Near(t, "K", m.k[i], want, 1e-9)
		must.Near(t, "P", m.p[i/3*4+i%3], want, 1e-9)
	}
	if m.p[3] != 0 || m.p[7] != 0 || m.p[11] != 0 {
		t.Errorf("P %v", m.p)
	}
}

func TestIntrinsicsNameTheDistortion(t *testing.T) {
	p := optics.PinholeFromFOV(640, 480, 1)
	brown, _ := optics.NewBrownConrady(p, optics.Distortion{K1: 1e-2, K2: 2e-2, P1: 3e-4, P2: 4e-4, K3: 5e-3})
	rational, _ := optics.NewBrownConrady(p, optics.Distortion{K1: 1e-2, K6: 6e-3})
	fisheye, _ := optics.NewKannalaBrandt(p, 1e-2, 2e-3, 3e-4, 4e-5)
	for _, c := range []struct {
		model optics.Model
		name  string
		d     []float64
	}{
		{brown, "plumb_bob", []float64{1e-2, 2e-2, 3e-4, 4e-4, 5e-3}},
		{rational, "rational_polynomial", []float64{1e-2, 0, 0, 0, 0, 0, 0, 6e-3}},
		{fisheye, "equidistant", []float64{1e-2, 2e-3, 3e-4, 4e-5}},
	} {
		if m := lensOf(c.model); m.model != c.name || !slices.Equal(m.d, c.d) || m.k[0] != p.FX {
			t.Errorf("%T: %s %v, want %s %v", c.model, m.model, m.d, c.name, c.d)
		}
	}
}

func TestNearestBall(t *testing.T) {
	ball := func(x, y float64) abstraction.Detection {
		return abstraction.Detection{Kind: abstraction.BallKind, PosB: mgl64.Vec3{x, y, 0.11}}
	}
	robot := abstraction.Detection{Kind: abstraction.RobotKind, PosB: mgl64.Vec3{0.1, 0, 0}}
	for _, c := range []struct {
		name string
		list []abstraction.Detection
		want int // index, -1 for none
	}{
		{"nothing", nil, -1},
		{"no ball", []abstraction.Detection{robot}, -1},
		{"one ball", []abstraction.Detection{robot, ball(3, 0)}, 1},
		{"the nearest in any direction", []abstraction.Detection{ball(3, 0), robot, ball(-1, -1), ball(2, 0)}, 2},
	} {
		got := nearestBall(&abstraction.ObjectList{Detections: c.list})
		if c.want < 0 && got != nil || c.want >= 0 && got != &c.list[c.want] {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
