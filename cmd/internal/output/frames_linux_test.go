package output

import (
	"bufio"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// framesWorld has a robot that turns and drives, with cameras of several models whose frames are delayed, and a ball
// that rolls in front of it. Eight more cameras stand still.
const framesWorld = `
name = "w"
[ball]
x_m = 2.2
y_m = -0.5
vy_m_s = 1.5
[[robot]]
name = "a"
model = "nubot"
sensor = [
  { name = "front", level = "raw", latency_ms = 70, image = { width_px = 320, height_px = 240 }, ground_truth = true, shutter = { exposure_ms = 4, readout_ms = 2, samples = 2 } },
  { name = "omni", level = "raw", latency_ms = 40, image = { width_px = 480, height_px = 480 }, ground_truth = true },
  { name = "fish", kind = "camera", level = "ideal", image = { width_px = 320, height_px = 240 }, lens = { model = "fisheye", fx_px = 120, fy_px = 120, cx_px = 159.5, cy_px = 119.5, k = [0.05, 0, 0, 0] }, mount = { x_m = 0.25, z_m = 0.5, pitch_deg = 20 }, ground_truth = true },
  { name = "spare", kind = "camera", level = "objects", image = { width_px = 64, height_px = 48, fov_deg = 62 }, mount = { z_m = 0.6, pitch_deg = 20 } },
]
`

// recordFrames runs the world into a folder, with a restart in the middle.
func recordFrames(t *testing.T, dir string) {
	t.Helper()
	w, err := worlds.Parse("w.toml", []byte(framesWorld))
	must.Do(t, err)
	sim, err := omnipitch.New(w, omnipitch.Options{})
	must.Do(t, err)
	defer sim.Close()
	out, err := Open("--out", dir, false)
	must.Do(t, err)
	r, err := NewRecorder(sim, out, nil, func() {})
	must.Do(t, err)
	sim.Clock().Every(50*time.Millisecond,
		func(time.Duration) { _ = sim.Do(&action.Drive{Robot: "a", VX: 0.5, Omega: 2}) })
	for i := range 2 {
		if i > 0 {
			err = sim.Restart(w)
		}
		if err == nil {
			_, err = sim.Run(t.Context(), omnipitch.Pace{For: 400 * time.Millisecond, Speed: timesync.Max})
		}
		must.Do(t, err)
	}
	must.Do(t, r.Close())
}

func lines[T any](t *testing.T, path string) (all []T) {
	t.Helper()
	f, err := os.Open(path)
	must.Do(t, err)
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var x T
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatalf("%s: %v", s.Bytes(), err)
		}
		all = append(all, x)
	}
	return all
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// middleOf returns the mean position of the pixels with a label, and their number.
func middleOf(t *testing.T, path string, label uint16) (u, v float64, n int) {
	t.Helper()
	f, err := os.Open(path)
	must.Do(t, err)
	defer f.Close()
	m, err := png.Decode(f)
	must.Do(t, err)
	g := m.(*image.Gray16)
	for y := range g.Rect.Dy() {
		for x := range g.Rect.Dx() {
			if g.Gray16At(x, y).Y == label {
				u, v, n = u+float64(x), v+float64(y), n+1
			}
		}
	}
	return u / float64(n), v / float64(n), n
}

// seenAt returns where a camera shows a point of its optical frame. It implements the formulas of docs/cameras.md and
// of OpenCV independently.
func seenAt(c *CameraModel, p mgl64.Vec3) (u, v float64) {
	side := math.Hypot(p[0], p[1])
	switch c.Model {
	case "plumb_bob":
		return c.FX*p[0]/p[2] + c.CX, c.FY*p[1]/p[2] + c.CY
	case "equidistant":
		theta := math.Atan2(side, p[2])
		t2, k := theta*theta, c.Distortion
		r := theta * (1 + t2*(k[0]+t2*(k[1]+t2*(k[2]+t2*k[3]))))
		return c.FX*r*p[0]/side + c.CX, c.FY*r*p[1]/side + c.CY
	case "ocamcalib":
		theta, rho := math.Atan(c.OCam.Axis*p[2]/side), 0.0
		for i, a := range c.OCam.Inverse {
			rho += a * math.Pow(theta, float64(i))
		}
		row, column := rho*p[1]/side, rho*p[0]/side
		return c.CX + c.OCam.E*row + column, c.CY + c.OCam.C*row + c.OCam.D*column
	}
	return math.NaN(), math.NaN()
}

// TestPicturesAndTruthAreJoined joins pictures and truth from the files alone. The true position of the ball is
// projected with the camera's pose and model from the index. The pixels of the ball must be there.
func TestPicturesAndTruthAreJoined(t *testing.T) {
	dir := t.TempDir()
	recordFrames(t, dir)
	frames, truth := lines[indexJSON](t, filepath.Join(dir, framesFile)),
		lines[truthJSON](t, filepath.Join(dir, truthFile))
	var cameras map[string]*CameraModel
	readJSON(t, filepath.Join(dir, camerasFile), &cameras)
	var labels map[string]string
	readJSON(t, filepath.Join(dir, "labels.json"), &labels)
	ball := uint16(0)
	for n, name := range labels {
		if name == "ball" {
			for _, digit := range n {
				ball = 10*ball + uint16(digit-'0')
			}
		}
	}
	type key struct {
		episode int
		sensor  string
	}
	found, seen := map[key]int{}, map[string]bool{}
	for i := range frames {
		f := &frames[i]
		for _, file := range append([]string{f.File}, f.Beside...) {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil || seen[file] {
				t.Errorf("%s: %v, or is there twice", file, err)
			}
			seen[file] = true
		}
		was := &truth[f.Truth.Line-1]
		if was.Step != f.Truth.Step || was.Time != f.Stamp || f.Truth.File != truthFile {
			t.Fatalf("%s, of %v s: its truth is of step %d, %v s", f.File, f.Stamp, was.Step, was.Time)
		}
		if p := was.Robots[0]; p.Position != f.RobotPose.Position || p.Orientation != f.RobotPose.Orientation {
			t.Errorf("%s: the robot is at %v, in truth at %v", f.File, f.RobotPose, p)
		}
		found[key{f.Episode, f.Sensor}]++
		if f.Level == string(abstraction.Objects) {
			if f.Exposure != nil || len(f.Beside) > 0 {
				t.Errorf("%s: %+v", f.File, f)
			}
			continue
		}
		want := exposureJSON{Begin: f.Stamp}
		if f.Sensor == "front" {
			want = exposureJSON{Begin: f.Stamp - 0.003, Length: 0.004, Readout: 0.002}
		}
		if e := f.Exposure; e == nil || !(math.Abs(e.Begin-want.Begin) < 1e-9) || e.Length != want.Length ||
			e.Readout != want.Readout {
			t.Errorf("%s: exposure %+v, want %+v", f.File, e, want)
		}
		at := slices.IndexFunc(f.Beside, func(name string) bool { return strings.HasSuffix(name, ".labels.png") })
		if at < 0 {
			t.Fatalf("%s: no labels beside it: %q", f.File, f.Beside)
		}
		u, v, n := middleOf(t, filepath.Join(dir, f.Beside[at]), ball)
		q := f.CameraPose.Orientation
		toCamera := mgl64.Quat{W: q[0], V: mgl64.Vec3{q[1], q[2], q[3]}}.Inverse()
		gotU, gotV := seenAt(cameras[f.Robot+"."+f.Sensor],
			toCamera.Rotate(was.Ball.Position.Sub(f.CameraPose.Position)))
		// The mean of the ball's pixels is at the projection of its centre, except that a sphere is stretched towards
		// the edge of the image.
		if !(math.Hypot(gotU-u, gotV-v) <= 1) || n < 20 {
			t.Errorf("%s: the ball is seen at %.2f, %.2f, of %d pixels, and computed to be at %.2f, %.2f", f.File, u, v,
				n, gotU, gotV)
		}
	}
	for _, episode := range []int{1, 2} {
		for _, sensor := range []string{"front", "omni", "fish", "spare"} {
			if n := found[key{episode, sensor}]; n < 8 {
				t.Errorf("episode %d: %d frames of %s", episode, n, sensor)
			}
		}
	}
	if models := []string{cameras["a.front"].Model, cameras["a.omni"].Model, cameras["a.fish"].Model}; !slices.Equal(
		models, []string{"plumb_bob", "ocamcalib", "equidistant"}) {
		t.Errorf("%q", models)
	}
}
