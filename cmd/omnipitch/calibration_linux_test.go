package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds"
)

// OpenCV trusts our raw pictures: what it finds out about a camera from chessboards is what the world file says. The
// targets are a focal length within 0.3 % and a principal point within a pixel.
func TestOpenCVCalibratesOurCameras(t *testing.T) {
	if testing.Short() {
		t.Skip("short: renders 90 pictures")
	}
	if err := exec.Command(debianPython, "-c", "import cv2").Run(); err != nil {
		t.Skip("no OpenCV: apt-get install python3-opencv")
	}
	const frames = 30
	world, err := worlds.Load("calibration-board")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if code, _, stderr := command(t, "run", "calibration-board", "--for", "2.95s", "--speed", "max", "--ros1", "off", "--out", out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, c := range []struct{ robot, sensor, pictures string }{
		{"cyan1", "front", "cyan1.front.raw.*.png"},
		{"cyan2", "kinect_left", "cyan2.kinect_left.raw.*.color.png"},
		{"cyan2", "kinect_right", "cyan2.kinect_right.raw.*.color.png"},
	} {
		pictures, _ := filepath.Glob(filepath.Join(out, c.pictures))
		if len(pictures) != frames {
			t.Fatalf("%s: %d pictures, want %d", c.sensor, len(pictures), frames)
		}
		board := world.Boards[0]
		args := []string{"../../testdata/opencv/calibrate.py", fmt.Sprint(board.Columns - 1), fmt.Sprint(board.Rows - 1), fmt.Sprint(board.Square)}
		text, err := exec.Command(debianPython, append(args, pictures...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.sensor, err, text)
		}
		var used int
		var rms, fx, fy, cx, cy float64
		if _, err := fmt.Sscan(string(text), &used, &rms, &fx, &fy, &cx, &cy); err != nil {
			t.Fatalf("%s: %v\n%s", c.sensor, err, text)
		}
		cfg, _ := world.Sensor(c.robot, c.sensor)
		want := optics.PinholeFromFOV(cfg.Image.Width, cfg.Image.Height, cfg.Image.FOV)
		t.Logf("%s: %d boards, rms %.3f px, focal lengths off by %+.3f %% and %+.3f %%, centre off by (%+.2f, %+.2f) px",
			c.sensor, used, rms, 100*(fx/want.FX-1), 100*(fy/want.FY-1), cx-want.CX, cy-want.CY)
		if used < frames*9/10 {
			t.Errorf("%s: boards found in %d of %d pictures", c.sensor, used, frames)
		}
		if math.Abs(fx/want.FX-1) > 0.003 || math.Abs(fy/want.FY-1) > 0.003 {
			t.Errorf("%s: focal lengths %.2f, %.2f px: want %.2f within 0.3 %%", c.sensor, fx, fy, want.FX)
		}
		if math.Abs(cx-want.CX) > 1 || math.Abs(cy-want.CY) > 1 {
			t.Errorf("%s: principal point (%.2f, %.2f): want (%.2f, %.2f) within 1 px", c.sensor, cx, cy, want.CX, want.CY)
		}
	}
}

// The programs that the files are for read them, and find what the command says.
func TestCalibrationFilesAreRead(t *testing.T) {
	if err := exec.Command(debianPython, "-c", "import cv2, yaml").Run(); err != nil {
		t.Skip("no OpenCV or yaml: apt-get install python3-opencv python3-yaml")
	}
	dir := t.TempDir()
	for _, c := range [][]string{
		{"cyan1.front", "--format", "opencv", "--out", dir + "/opencv.yaml"},
		{"cyan1.front", "--format", "ros", "--out", dir + "/ros.yaml"},
		{"cyan1.omni", "--format", "nubot", "--out", dir + "/nubot"},
	} {
		if code, stdout, stderr := command(t, append([]string{"calibration", "nubot-attack"}, c...)...); code != exitDone || stdout != "" || !strings.Contains(stderr, "left over") {
			t.Fatalf("%v: exit code %d\n%s%s", c, code, stdout, stderr)
		}
	}
	out, err := exec.Command(debianPython, "-c", `
import sys, cv2, yaml, struct
d = sys.argv[1]
k = cv2.FileStorage(d + '/opencv.yaml', cv2.FILE_STORAGE_READ)
m = k.getNode('camera_matrix').mat()
print('opencv', int(k.getNode('image_width').real()), m[0, 0], m[1, 2], k.getNode('distortion_coefficients').mat().shape)
r = yaml.safe_load(open(d + '/ros.yaml'))
print('ros', r['image_height'], r['camera_matrix']['data'][0], r['distortion_model'], len(r['projection_matrix']['data']))
x = cv2.FileStorage(d + '/nubot/cyan1/mirror_calib.xml', cv2.FILE_STORAGE_READ)
print('nubot', x.getNode('center_row').real(), round(x.getNode('para_a').real(), 3))
t = open(d + '/nubot/errortable.bin', 'rb').read()
print('table', len(t) == 8 * 2001 * 1401, struct.unpack_from('<d', t, 8 * (700 * 2001 + 1000))[0], struct.unpack_from('<d', t, 8 * (700 * 2001 + 1200))[0])
`, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// At the centre of the field is the centre spot; two metres in front of it the centre circle.
	wantLines(t, string(out), "opencv 640 532.5694343521", "239.5 (1, 5)", "ros 480 532.5694343521", "plumb_bob 12", "nubot 319.5 1.118", "table True 0.0 ")
}

func wantLines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("output lacks %q:\n%s", w, text)
		}
	}
}

func TestCalibrationRefusals(t *testing.T) {
	for _, c := range []struct{ camera, format, pattern string }{
		{"cyan1.omni", "opencv", `cyan1.omni: --format opencv: of \d+ rays \d+ lie within 80° of the optical axis`},
		{"cyan1.front", "nubot", `needs --out DIR`},
		{"cyan1.imu", "opencv", `kind = "imu": only cameras`},
		{"cyan1.onmi", "opencv", `there is no such sensor`},
	} {
		code, stdout, stderr := command(t, "calibration", "nubot-attack", c.camera, "--format", c.format)
		wantSentence(t, code, exitBadInput, stdout, stderr, c.pattern)
	}
}
