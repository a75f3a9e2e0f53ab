package calibration

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The marks of four real wide-angle cameras are described within 1.4 px rms, and half of them within 1 px. Each camera
// is 0.75 m above the floor, which the file does not say.
func TestFitRealCameras(t *testing.T) {
	for camera := range 4 {
		file := must.Get(os.ReadFile(fmt.Sprintf("testdata/falcons-%d.csv", camera)))(t)
		marks, views, err := ReadMarks(bytes.NewReader(file))
		must.Do(t, err)
		best := must.Get(FitMarks(marks, views, 820, 616))(t)[0]
		height := best.PoseCP[0].Inverse().Pos[2]
		t.Logf("camera %d: %d of %d marks, %s, %.2f px rms, median %.2f px, %.3f m high", camera, best.N, len(marks), best.Name, best.RMS,
			best.Median, height)
		if !(best.RMS <= 1.4 && best.Median <= 1) {
			t.Errorf("camera %d: %.2f px rms, median %.2f: want at most 1.4 and 1", camera, best.RMS, best.Median)
		}
		if !(math.Abs(height-0.75) <= 0.03) {
			t.Errorf("camera %d is %.3f m high, want 0.75", camera, height)
		}
	}
}

// board returns marks of chessboards in random poses before a camera, with errors of sigma in each coordinate.
func board(t *testing.T, m optics.Model, views int, sigma float64) (marks []Mark) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	w, h := m.Size()
	for view := 0; view < views; {
		var seen []Mark
		pose := spatial.RPY(mgl64.Vec3{r.Float64() - 0.5, r.Float64() - 0.5, 0.2 + 0.4*r.Float64()},
			math.Pi+r.Float64()-0.5, r.Float64()-0.5, 6*r.Float64())
		for i := range 42 {
			at := mgl64.Vec3{float64(i%7) * 0.08, float64(i/7) * 0.08, 0}
			u, v, ok := m.Project(pose.Apply(at))
			u, v = u+sigma*r.NormFloat64(), v+sigma*r.NormFloat64()
			if ok && u >= 0 && v >= 0 && u < float64(w)-1 && v < float64(h)-1 {
				seen = append(seen, Mark{View: view, U: u, V: v, X: at[0], Y: at[1]})
			}
		}
		if len(seen) == 42 {
			marks, view = append(marks, seen...), view+1
		}
	}
	return marks
}

// Chessboards before cameras with the published parameters of a real mirror, and of common lenses, give them back. The
// error of corners is that which the source of the mirror reports: 0.36 px rms.
func TestFitChessboards(t *testing.T) {
	p := optics.Pinhole{Width: 1024, Height: 768, FX: 259.5, FY: 259.5, CX: 515.8, CY: 384}
	q := optics.Pinhole{Width: 640, Height: 480, FX: 420, FY: 415, CX: 330, CY: 233}
	for _, c := range []struct {
		name string
		m    optics.Model
	}{
		{"unified", must.Get(optics.NewUnified(p, 0.975, 0, optics.Distortion{}))(t)},
		{"fisheye", must.Get(optics.NewKannalaBrandt(p, -0.07, 0.11, -0.1, 0.03))(t)},
		{"brown-conrady", must.Get(optics.NewBrownConrady(q, optics.Distortion{K1: -0.28, K2: 0.09, P1: 0.002}))(t)},
		{"pinhole", q},
	} {
		const sigma = 0.36 / math.Sqrt2
		marks := board(t, c.m, 10, sigma)
		w, h := c.m.Size()
		kind := slices.IndexFunc(lensKinds, func(k lensKind) bool { return k.name == c.name })
		fit, ok := fitKind(&lensKinds[kind], marks, 10, w, h)
		if !ok || !(fit.RMS <= 0.38) {
			t.Errorf("%s: %+v, want 0.36 px rms", c.name, fit)
			continue
		}
		// The fit sees the same directions at the same pixels, where the boards were.
		worst := 0.0
		for _, m := range marks {
			d, _ := c.m.Unproject(m.U, m.V)
			u, v, _ := fit.Camera.Project(d)
			worst = math.Max(worst, math.Hypot(u-m.U, v-m.V))
		}
		t.Logf("%s: %.3f px rms, off by %.2f px", c.name, fit.RMS, worst)
		if !(worst <= 1.5) {
			t.Errorf("%s: off by %.2f px, want at most 1.5", c.name, worst)
		}
	}
}

func manyViews() string {
	var b strings.Builder
	for view := range maxViews + 1 {
		fmt.Fprintf(&b, "v%d,1,2,3,4\n", view)
	}
	return b.String()
}

func TestReadMarks(t *testing.T) {
	const head = "u_px,v_px,x_m,y_m\n"
	for _, c := range []struct{ text, want string }{
		{"", "line 1: must name the columns"},
		{"u_px,v_px,x_m\n", "line 1: there is no column y_m"},
		{head + "1,2,3,x\n", `line 2: y_m = "x": must be a number`},
		{head + "1,2,NaN,3\n", `line 2: x_m = "NaN": must be a number`},
		{head + "1,2,3\n", "line 2"},
		{head + strings.Repeat("1,2,3,4\n", maxMarks+1), "must have at most 5000 marks"},
		{"view,u_px,v_px,x_m,y_m\n" + manyViews(), "line 42: view \"v40\": must have at most 40 views"},
	} {
		_, _, err := ReadMarks(strings.NewReader(c.text))
		must.Fail(t, err, c.want, fmt.Sprintf("%q", c.text))
	}
	line := head + strings.Repeat("100,100,1,1\n", 20)
	marks, views, err := ReadMarks(strings.NewReader(line))
	must.Do(t, err)
	_, err = FitMarks(marks, views, 640, 480)
	must.Fail(t, err, "no camera model can see the marks where they are")
	_, err = FitMarks(marks[:3], views, 640, 480)
	must.Fail(t, err, "view 1 has 3 marks inside the border of the image: must have at least 12")
	_, err = FitMarks(marks, views, 64, 48)
	must.Fail(t, err, "mark 1: its pixel (100, 100): must be inside the image of 64 × 48")
}

func FuzzReadMarks(f *testing.F) {
	f.Add([]byte("u_px,v_px,x_m,y_m,view\n" + strings.Repeat("1,2,3,4,a\n", leastMarks)))
	f.Fuzz(func(t *testing.T, text []byte) {
		marks, views, err := ReadMarks(bytes.NewReader(text))
		for _, m := range marks {
			if err == nil && (m.View >= views || math.IsNaN(m.U+m.V+m.X+m.Y)) {
				t.Errorf("mark %+v of %d views", m, views)
			}
		}
	})
}
