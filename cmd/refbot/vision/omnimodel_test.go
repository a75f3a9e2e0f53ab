package vision

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// calibrationFile is one as the toolbox writes them, of a mirror whose centre is not the image's, with an affine part.
const calibrationFile = `#polynomial coefficients for the DIRECT mapping function (ocam_model.ss in MATLAB). These are used by cam2world

5 -113.05 0. 0.0020934 3.8828e-08 -2.5604e-09

#polynomial coefficients for the inverse mapping function (ocam_model.invpol in MATLAB). These are used by world2cam

3 238.67 265.197 175.33

#center: "row" and "column", starting from 0 (C convention)

317.25 322.5

#affine parameters "c", "d", "e"

1.01 0.003 -0.002

#image size: "height" and "width"

640 650
`

func readModel(t testing.TB) *OmniModel {
	t.Helper()
	m := must.Get(ReadOmniModel(strings.NewReader(calibrationFile)))(t)
	return m
}

// omniOracle is the same camera by the simulator's own model, which shares no code with this one.
func omniOracle(t testing.TB, m *OmniModel, mirrored bool) optics.OCam {
	t.Helper()
	o := must.Get(optics.NewOCam(optics.OCam{Width: m.Width, Height: m.Height, CX: m.Column, CY: m.Row, C: m.C, D: m.D,
		E: m.E, Poly: m.Direct, Behind: mirrored}))(t)
	return o
}

func TestReadOmniModel(t *testing.T) {
	m := readModel(t)
	if m.Width != 650 || m.Height != 640 || m.Row != 317.25 || m.Column != 322.5 || m.C != 1.01 || m.D != 0.003 ||
		m.E != -0.002 ||
		len(m.Direct) != 5 || m.Direct[4] != -2.5604e-9 || len(m.Inverse) != 3 || m.Inverse[2] != 175.33 {
		t.Errorf("read %+v", *m)
	}
}

// The calibration that the simulator writes is read correctly.
func TestReadWhatCalibrationWrites(t *testing.T) {
	want := calibration.OCam{Width: 650, Height: 640, CenterRow: 317.25, CenterColumn: 322.5, C: 1.01, D: 0.003,
		E:      -0.002,
		Direct: []float64{-113.05, 0, 0.0020934}, Inverse: []float64{238.67, 265.2}}
	var text bytes.Buffer
	must.Do(t, calibration.WriteOCamCalib(&text, want))
	m := must.Get(ReadOmniModel(&text))(t)
	if m.Width != want.Width || m.Height != want.Height || m.Row != want.CenterRow || m.Column != want.CenterColumn ||
		m.C != want.C || m.D != want.D ||
		m.E != want.E || len(m.Direct) != 3 || m.Direct[2] != want.Direct[2] || len(m.Inverse) != 2 ||
		m.Inverse[1] != want.Inverse[1] {
		t.Errorf("read %+v, want %+v", *m, want)
	}
}

// Errors in a file name the line and the rule in one sentence.
func TestReadOmniModelRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no number", "317.25", "middle", `line 11: center: "middle": must be a finite number`},
		{"not finite", "317.25", "inf", `line 11: center: "inf": must be a finite number`},
		{"hexadecimal", "317.25", "0x1p3", `line 11: center: "0x1p3": must be a finite number`},
		{"underscore", "650", "6_50", `line 19: image size: "6_50": must be a finite number`},
		{"count", "5 -113.05", "6 -113.05", "line 3: direct polynomial: has 5 coefficients: its count says 6"},
		{"broken count", "3 238.67", "2.5 238.67", "line 7: inverse polynomial: count 2.5: must be a whole number " +
			"from 1 to 100"},
		{"sign", "-113.05", "113.05", "line 3: direct polynomial: a0 = 113.05: must be negative"},
		{"three centers", "317.25", "1 317.25", "line 11: center: has 3 numbers: must have 2"},
		{"singular", "1.01 0.003", "0 0", "line 15: affine parameters c = 0, d = 0, e = -0.002: c − d·e must not be 0"},
		{"size", "640 650", "640 650.5", "line 19: image size: width = 650.5: must be a whole number from 1 to 8192"},
		{"no pixels", "640 650", "0 650", "line 19: image size: height = 0: must be a whole number from 1 to 8192"},
		{"too short", "640 650", "", "line 19: the file ends before image size"},
		{"more", "640 650", "640 650\n7", `line 20: "7": nothing must follow the image size`},
	} {
		m, err := ReadOmniModel(strings.NewReader(strings.Replace(calibrationFile, c.old, c.new, 1)))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v; want %s", c.name, m, err, c.want)
		}
	}
	if _, err := ReadOmniModel(strings.NewReader(strings.Repeat("1 ", maxLine))); err == nil ||
		!strings.Contains(err.Error(),
			"line 1: ") {
		t.Errorf("a long line: %v", err)
	}
}

// Rays of pixels equal those of the simulator's model, and its projection leads back to the pixels.
func TestRaysAreTheOracles(t *testing.T) {
	m := readModel(t)
	o := omniOracle(t, m, true)
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		u, v := 80+480*random.Float64(), 80+480*random.Float64()
		want, ok := o.Unproject(u, v)
		if !ok {
			t.Fatalf("(%.1f, %.1f): the oracle sees nothing", u, v)
		}
		if got := m.Ray(u, v).Normalize(); !(got.Sub(want).Len() < 1e-12) {
			t.Fatalf("(%.1f, %.1f): %v, want %v", u, v, got, want)
		}
		if gu, gv, ok := o.Project(m.Ray(u, v)); !ok || !(math.Hypot(gu-u, gv-v) < 1e-6) {
			t.Fatalf("(%.1f, %.1f): back at (%.3f, %.3f)", u, v, gu, gv)
		}
	}
}

// The table has the right floor point of each pixel, for cameras under a mirror and cameras that look down.
func TestFloorIsTheOracles(t *testing.T) {
	m := readModel(t)
	for _, mount := range []OmniMount{{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true},
		{X: 0.05, Y: -0.02, Height: 0.7,
			Yaw: 0.4, Mirrored: true}, {Height: 0.7, Yaw: 0.4}} {
		o, f := omniOracle(t, m, mount.Mirrored), NewFloor(m, mount, 6)
		seen := 0
		for v := range m.Height {
			for u := range m.Width {
				x, y, ok := f.At(u, v)
				if !ok {
					continue
				}
				seen++
				x, y = x-mount.X, y-mount.Y
				if !(math.Hypot(x, y) <= 6.001) {
					t.Fatalf("(%d, %d) is (%.3f, %.3f), beyond the reach", u, v, x, y)
				}
				// In the optical frame: x right and y down in the image, z along what the camera looks at.
				sin, cos := math.Sincos(-mount.Yaw)
				ahead, left := x*cos-y*sin, x*sin+y*cos
				point := mgl64.Vec3{left, -ahead, -mount.Height}
				if !mount.Mirrored {
					point = mgl64.Vec3{-left, -ahead, mount.Height}
				}
				if gu, gv, ok := o.Project(point); !ok || !(math.Hypot(gu-float64(u), gv-float64(v)) < 1e-3) {
					t.Fatalf("%+v: (%d, %d) is (%.3f, %.3f), which is shown at (%.2f, %.2f)", mount, u, v, x, y, gu, gv)
				}
			}
		}
		if seen < 50000 {
			t.Errorf("%+v: only %d pixels show the floor", mount, seen)
		}
	}
	f := NewFloor(m, OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}, 6)
	if x, y, ok := f.At(522, 317); !ok || !(x > 0.5 && math.Abs(y) < 0.05) {
		t.Errorf("right of the middle is (%.2f, %.2f), must be ahead", x, y)
	}
	if x, y, ok := f.At(322, 517); !ok || !(y > 0.5 && math.Abs(x) < 0.05) {
		t.Errorf("below the middle is (%.2f, %.2f), must be at the left", x, y)
	}
	if _, _, ok := f.At(-1, 5); ok {
		t.Error("a pixel outside of the image shows the floor")
	}
}

func FuzzReadOmniModel(f *testing.F) {
	f.Add([]byte(calibrationFile))
	f.Add([]byte("1 -1\n1 0\n0 0\n1 0 0\n1 1\n"))
	f.Add([]byte("1e300 -1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadOmniModel(bytes.NewReader(data))
		if err != nil {
			if m != nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%v, %q", m, err)
			}
			return
		}
		if !(m.Direct[0] < 0) || m.Width < 1 || m.Height < 1 || math.IsNaN(m.Ray(m.Column, m.Row)[2]) {
			t.Fatalf("read %+v", *m)
		}
	})
}
