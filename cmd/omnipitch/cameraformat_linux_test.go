package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestCalibrationWritesACamerasOwnLens checks the files for OpenCV and ROS. OpenCV must project the rays of a lens to
// their own pixels.
func TestCalibrationWritesACamerasOwnLens(t *testing.T) {
	if err := exec.Command(debianPython, "-c", "import cv2, yaml").Run(); err != nil {
		t.Skip("no OpenCV or yaml: apt-get install python3-opencv python3-yaml")
	}
	w := must.Get(worlds.Load("lenses"))(t)
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	dir := t.TempDir()
	for sensor, model := range map[string]string{"front": "plumb_bob", "barrel": "plumb_bob",
		"rational": "rational_polynomial", "fisheye": "equidistant"} {
		camera, _ := sim.Sensors().Camera("cyan1", sensor)
		var pixels []mgl64.Vec2
		var rays []mgl64.Vec3
		for v := 4.0; v < 480; v += 31 {
			for u := 4.0; u < 640; u += 31 {
				if d, ok := camera.Model().Unproject(u, v); ok && d[2] > 0.05 { // OpenCV divides by it
					pixels, rays = append(pixels, mgl64.Vec2{u, v}), append(rays, d)
				}
			}
		}
		if len(rays) < 150 {
			t.Fatalf("%s: only %d rays", sensor, len(rays))
		}
		text, err := json.Marshal(rays)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "rays.json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"opencv", "ros"} {
			prints(t, console.ExitDone, "exact: the lens's own parameters, "+model+"\n", "calibration", "lenses",
				"cyan1."+sensor, "--format", format, "--out", filepath.Join(dir, format))
		}
		out, err := exec.Command(debianPython, "-c", `
import sys, json, cv2, yaml, numpy as np
d = sys.argv[1]
rays = np.array(json.load(open(d + '/rays.json'))).reshape(-1, 1, 3)
f = cv2.FileStorage(d + '/opencv', cv2.FILE_STORAGE_READ)
r = yaml.safe_load(open(d + '/ros'))
z, seen = np.zeros(3), []
for k, c, fisheye in [
    (f.getNode('camera_matrix').mat(), f.getNode('distortion_coefficients').mat(), f.getNode('fisheye_model').real() == 1),
    (np.array(r['camera_matrix']['data']).reshape(3, 3), np.array(r['distortion_coefficients']['data']), r['distortion_model'] == 'equidistant'),
]:
    project = cv2.fisheye.projectPoints if fisheye else cv2.projectPoints
    seen.append(project(rays, z, z, k, c)[0].reshape(-1, 2).tolist())
print(json.dumps(seen))
`, dir).CombinedOutput()
		var seen [2][]mgl64.Vec2
		if err == nil {
			err = json.Unmarshal(out, &seen)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", sensor, err, out)
		}
		for i := range seen {
			worst := 0.0
			for k, p := range seen[i] {
				if off := p.Sub(pixels[k]).Len(); !(off <= worst) {
					worst = off
				}
			}
			if len(seen[i]) != len(pixels) || !(worst <= 1e-6) || math.IsNaN(worst) {
				t.Errorf("%s: %d of %d rays are seen, up to %v px off", sensor, len(seen[i]), len(pixels), worst)
			}
		}
	}
}

// TestCalibrationWarns checks that the command says which properties of a camera a format cannot hold, and names the
// formats that can.
func TestCalibrationWarns(t *testing.T) {
	said := func(sensor, format string) string {
		code, _, stderr := command(t, "calibration", "lenses", "cyan1."+sensor, "--format", format, "--out",
			filepath.Join(t.TempDir(), "out"))
		if code != console.ExitDone {
			t.Errorf("exit code %d: %s", code, stderr)
		}
		return stderr
	}
	wantLines(t, said("sphere", "ros"), "cyan1.sphere: warning: a pinhole with distortion is off by up to 38 px, and "+
		"884 of 6400 rays, more than 80° off the optical axis, are left out; formats that describe it: --format "+
		"ocamcalib\n")
	wantLines(t, said("fisheye", "opencv"), "cyan1.fisheye: warning: 1304 of 6400 rays are 90° or more off the "+
		"optical axis: OpenCV's fisheye functions, which ROS calls too, cannot undistort them\n")
	wantLines(t, said("fisheye", "ocamcalib"), "formats that describe it: --format opencv, --format ros\n")
	if s := said("barrel", "ros"); strings.Contains(s, "warning") {
		t.Error(s)
	}
	wantLines(t, writeNuBotsFiles(t, "lenses", "cyan1", "barrel", t.TempDir()),
		"warning: front_vision's pinhole without distortion is off by up to 32 px; formats that describe it: --format "+
			"opencv, --format ros\n")
	tilted := must.File(t, "tilted.toml", "name = \"tilted\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = "+
		"\"cyan1\"\n[[robot.sensor]]\nname = \"omni\"\nmount = { pitch_deg = 3 }\n")
	wantLines(t, writeNuBotsFiles(t, tilted, "cyan1", "omni", t.TempDir()),
		"warning: places on the floor will be off by up to 3.7 m: the camera's axis tilts by 3°")
}

// TestCalibrationSaysWhatItReplaces checks that parameters of another camera, or of another world's field, do not
// replace existing ones silently.
func TestCalibrationSaysWhatItReplaces(t *testing.T) {
	dir := t.TempDir()
	write := func(world, robot, sensor string) string { return writeNuBotsFiles(t, world, robot, sensor, dir) }
	if s := write("nubot-attack", "magenta1", "kinect_left"); strings.Contains(s, "replaced") {
		t.Error(s)
	}
	if s := write("nubot-attack", "magenta1", "kinect_left"); strings.Contains(s, "replaced") {
		t.Errorf("of the same file: %s", s)
	}
	wantLines(t, write("nubot-attack", "magenta1", "kinect_right"), "replaced "+filepath.Join(dir, "magenta", "1",
		"Param.txt")+", which held other data")
	larger := must.File(t, "larger.toml", "name = \"larger\"\ninclude = [\"nubot-attack\"]\nfield = "+
		"\"msl-22x14\"\n[[robot]]\nname = \"cyan9\"\nmodel = \"nubot\"\npose = { y_m = 5 }\n")
	write("nubot-attack", "cyan1", "omni")
	said := write(larger, "cyan9", "omni")
	wantLines(t, said, "replaced "+filepath.Join(dir, "cyan", "errortable.bin"),
		"larger gives cyan9 no number, so it has number 9: number = N under [[robot]] gives it another\n")
	if strings.Contains(said, "ROI.xml") {
		t.Errorf("of another robot's file: %s", said)
	}
}

// TestCalibrationNeedsAField checks that a camera which sees none of the field is an error for formats with a colour
// table, and that nothing is written.
func TestCalibrationNeedsAField(t *testing.T) {
	backwards := must.File(t, "backwards.toml", "name = \"backwards\"\ninclude = [\"plain-light\"]\n[[robot]]\nname "+
		"= \"cyan1\"\n[[robot.sensor]]\nname = \"front\"\nmount = { yaw_deg = 180 }\n"+
		"image = { width_px = 80, height_px = 60 }\n")
	for _, format := range []string{"nubot", "bit-bots"} {
		dir := filepath.Join(t.TempDir(), "out")
		refuses(t, console.ExitBadInput,
			"cyan1.front: --format "+format+": 16 raw images show 0 pixels of the carpet, and a colour table needs "+
				"20 at least: does the camera look away", "calibration", backwards, "cyan1.front", "--format", format,
			"--out", dir)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("--format %s: something was written", format)
		}
	}
}
