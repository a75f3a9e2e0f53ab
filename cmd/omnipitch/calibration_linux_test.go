package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestOpenCVCalibratesOurCameras calibrates cameras with OpenCV from raw images of chessboards. The result must equal
// the world file within 0.3 % for the focal length and one pixel for the principal point.
func TestOpenCVCalibratesOurCameras(t *testing.T) {
	if testing.Short() {
		t.Skip("short: renders 180 pictures")
	}
	if err := exec.Command(debianPython, "-c", "import cv2").Run(); err != nil {
		t.Skip("no OpenCV: apt-get install python3-opencv")
	}
	distorted := filepath.Join(t.TempDir(), "distorted.toml")
	must.Write(t, distorted, `
name = "distorted"
include = ["calibration-board"]
[[robot]]
name = "cyan1"
[[robot.sensor]]
name = "front"
lens = { model = "brown-conrady", k = [-0.28, 0.09], p = [0.001, -0.0005] }
`)
	frames := map[string]string{} // folders by world
	for _, c := range []struct {
		world, robot, sensor, pictures string
		distortion                     [4]float64
	}{
		{"calibration-board", "cyan1", "front", "cyan1.front.raw.*.png", [4]float64{}},
		{"calibration-board", "cyan2", "kinect_left", "cyan2.kinect_left.raw.*.color.png", [4]float64{}},
		{"calibration-board", "cyan2", "kinect_right", "cyan2.kinect_right.raw.*.color.png", [4]float64{}},
		{distorted, "cyan1", "front", "cyan1.front.raw.*.png", [4]float64{-0.28, 0.09, 0.001, -0.0005}},
	} {
		if !*long && c.world != distorted {
			continue
		}
		if frames[c.world] == "" { // rendered once per world
			frames[c.world] = drawnBoards(t, c.world)
		}
		t.Run(c.sensor+" of "+filepath.Base(c.world), func(t *testing.T) {
			world := must.Get(worlds.Load(c.world))(t)
			cfg, _ := world.Sensor(c.robot, c.sensor)
			want := optics.PinholeFromFOV(cfg.Image.Width, cfg.Image.Height, cfg.Image.FOV)
			got := calibrated(t, world.Boards[0], boardPictures(t, frames[c.world], c.pictures))
			t.Logf("%d boards, rms %.3f px, focal lengths off by %+.3f %% and %+.3f %%, centre off by (%+.2f, %+.2f) "+
				"px, distortion %.4f",
				got.used, got.rms, 100*(got.fx/want.FX-1), 100*(got.fy/want.FY-1), got.cx-want.CX, got.cy-want.CY,
				got.distortion)
			if got.used < 27 {
				t.Errorf("boards found in %d of 30 pictures", got.used)
			}
			if !scalar.EqualWithinAbs(got.fx/want.FX, 1, 0.003) || !scalar.EqualWithinAbs(got.fy/want.FY, 1, 0.003) {
				t.Errorf("focal lengths %.2f, %.2f px: want %.2f within 0.3 %%", got.fx, got.fy, want.FX)
			}
			if !scalar.EqualWithinAbs(got.cx, want.CX, 1) || !scalar.EqualWithinAbs(got.cy, want.CY, 1) {
				t.Errorf("principal point (%.2f, %.2f): want (%.2f, %.2f) within 1 px", got.cx, got.cy, want.CX,
					want.CY)
			}
			// k2 trades off against k3, which the fit includes.
			for i, within := range [4]float64{0.01, 0.06, 0.002, 0.002} {
				if !scalar.EqualWithinAbs(got.distortion[i], c.distortion[i], within) {
					t.Errorf("distortion %d = %.4f: want %.4f within %v", i, got.distortion[i], c.distortion[i], within)
				}
			}
		})
	}
}

// drawnBoards renders 30 frames of a world's cameras and returns their folder. For a world that is not shipped it
// renders only the first robot's cameras.
func drawnBoards(t *testing.T, world string) string {
	t.Helper()
	out := t.TempDir()
	args := []string{"run", world, "--for", "2.95s", "--speed", "max", "--ros1", "off", "--out", out}
	if filepath.IsAbs(world) {
		args = append(args, "--level", "cyan2.*=truth")
	}
	prints(t, console.ExitDone, "", args...)
	return out
}

// boardPictures returns the paths of the 30 images of one camera in a folder.
func boardPictures(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, _ := filepath.Glob(filepath.Join(dir, pattern))
	if len(all) != 30 {
		t.Fatalf("%d pictures, want 30", len(all))
	}
	return all
}

type calibrationResult struct {
	used                int
	rms, fx, fy, cx, cy float64
	distortion          [4]float64 // k1, k2, p1, p2
}

// calibrated returns OpenCV's calibration from images of a board.
func calibrated(t *testing.T, board worlds.Board, pictures []string) (r calibrationResult) {
	t.Helper()
	args := []string{"../../testdata/opencv/calibrate.py", fmt.Sprint(board.Columns - 1), fmt.Sprint(board.Rows - 1),
		fmt.Sprint(board.Square)}
	text, err := exec.Command(debianPython, append(args, pictures...)...).CombinedOutput()
	if err == nil {
		d := &r.distortion
		_, err = fmt.Sscan(string(text), &r.used, &r.rms, &r.fx, &r.fy, &r.cx, &r.cy, &d[0], &d[1], &d[2], &d[3])
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// TestCalibrationFilesAreRead checks that the programs for which the files are meant read them, and get the values that
// the command prints.
func TestCalibrationFilesAreRead(t *testing.T) {
	if err := exec.Command(debianPython, "-c", "import cv2, yaml").Run(); err != nil {
		t.Skip("no OpenCV or yaml: apt-get install python3-opencv python3-yaml")
	}
	dir := t.TempDir()
	for _, c := range [][]string{
		{"cyan1.front", "--format", "opencv", "--out", dir + "/opencv.yaml"},
		{"cyan1.front", "--format", "ros", "--out", dir + "/ros.yaml"},
	} {
		if code, stdout, stderr := command(t, append([]string{"calibration", "nubot-attack"},
			c...)...); code != console.ExitDone || stdout != "" || !strings.Contains(stderr, c[0]+" as "+c[2]+": ") {
			t.Fatalf("%v: exit code %d\n%s%s", c, code, stdout, stderr)
		}
	}
	wantLines(t, writeNuBotsFiles(t, "nubot-attack", "cyan1", "omni", dir+"/nubot"), "rosrun omni_vision")
	out, err := exec.Command(debianPython, "-c", `
import sys, cv2, yaml, struct
d = sys.argv[1]
k = cv2.FileStorage(d + '/opencv.yaml', cv2.FILE_STORAGE_READ)
m = k.getNode('camera_matrix').mat()
print('opencv', int(k.getNode('image_width').real()), m[0, 0], m[1, 2], k.getNode('distortion_coefficients').mat().shape)
r = yaml.safe_load(open(d + '/ros.yaml'))
print('ros', r['image_height'], r['camera_matrix']['data'][0], r['distortion_model'], len(r['projection_matrix']['data']))
x = cv2.FileStorage(d + '/nubot/cyan/1/mirror_calib.xml', cv2.FILE_STORAGE_READ)
print('nubot', x.getNode('center_row').real(), round(x.getNode('para_a').real(), 3))
t = open(d + '/nubot/cyan/errortable.bin', 'rb').read()
print('table', len(t) == 8 * 2001 * 1401, struct.unpack_from('<d', t, 8 * (700 * 2001 + 1000))[0], struct.unpack_from('<d', t, 8 * (700 * 2001 + 1200))[0])
`, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The centre spot is at the centre of the field, and the centre circle is two metres in front of it.
	wantLines(t, string(out), "opencv 640 532.5694343521", "239.5 (1, 5)", "ros 480 532.5694343521", "plumb_bob 12",
		"nubot 319.5 1.15", "table True 0.0 ")
}

func wantLines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("output lacks %q:\n%s", w, text)
		}
	}
}

// TestCalibrationRefusals checks that an impossible calibration is bad input, with a sentence that names alternatives.
func TestCalibrationRefusals(t *testing.T) {
	laser := must.File(t, "laser.toml", "name = \"laser\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = "+
		"\"cyan1\"\n[[robot.sensor]]\nname = \"scan\"\nkind = \"laser\"\n"+
		"[[robot.sensor]]\nname = \"near\"\nkind = \"omni\"\nmount = { z_m = 0.78 }\nimage = { fov_deg = 12 }\n")
	for _, c := range []struct{ camera, format, pattern string }{
		{"cyan1.omni", "opencv",
			`cyan1.omni: --format opencv: of \d+ rays \d+ lie within 80° of the optical axis.*; formats that describe it: --format ocamcalib, --format nubot\n$`},
		{"cyan1.omni", "ros",
			`cyan1.omni: --format ros: .*; formats that describe it: --format ocamcalib, --format nubot\n$`},
		{"cyan1.odometry", "opencv", `kind = "odometry": only cameras`},
		{"cyan1.scan", "opencv", `kind = "laser": only cameras`},
		{"cyan1.front", "nubot", `needs --out DIR`},
		{"cyan1.imu", "opencv", `kind = "imu": only cameras`},
		{"cyan1.onmi", "opencv",
			`there is no such sensor in .*laser.toml; did you mean cyan1.omni\? Cameras: cyan1.omni, cyan1.front, cyan1.near, magenta1.omni, magenta1.kinect_left, `},
		{"striker.eye", "opencv", `there is no such sensor in .*laser.toml; cameras: cyan1.omni, `},
	} {
		refuses(t, console.ExitBadInput, c.pattern, "calibration", laser, c.camera, "--format", c.format)
	}
	refuses(t, console.ExitBadInput, `--out .*laser.toml: is a file: --format nubot writes a folder`, "calibration",
		"nubot-attack", "cyan1.front", "--format", "nubot", "--out",
		laser)
	refuses(t, console.ExitBadInput, `--seeds: needs --format nubot, bit-bots or refbot: opencv has no colours`,
		"calibration", laser, "cyan1.front", "--seeds", "1..2")
	refuses(t, console.ExitBadInput, `--format opencv: needs ROBOT.SENSOR, the camera`, "calibration", laser)
	refuses(t, console.ExitBadInput, `--format refbot: needs --out DIR: it is several files`, "calibration", laser,
		"--format", "refbot")
	refuses(t, console.ExitBadInput, `--format refbot: is for all of a world's cameras, and takes no ROBOT.SENSOR`,
		"calibration", laser, "cyan1.front", "--format", "refbot", "--out", t.TempDir())
	refuses(t, console.ExitBadInput,
		`msl-match: no robot has an omni or front camera at level raw, which refbot needs`, "calibration",
		"msl-match", "--format", "refbot", "--out", t.TempDir())
	refuses(t, console.ExitBadInput, `--seeds: 1001 seeds: must be at most 1000`, "calibration", laser, "cyan1.front",
		"--format", "bit-bots", "--seeds", "1..1001")
	refuses(t, console.ExitBadInput,
		`cyan1.near: --format nubot: the robot itself reaches \d+ pixels from the middle, beyond all of the floor .*; formats that describe it: --format ocamcalib\n$`, "calibration", laser, "cyan1.near", "--format", "nubot", "--out", t.TempDir())
}

// TestCalibrationSaysWhereFrontIs checks that shipped models face the way that NuBot's node assumes. For a mount of the
// user the command says what the node makes of it and which key to set.
func TestCalibrationSaysWhereFrontIs(t *testing.T) {
	turned := must.File(t, "turned.toml", "name = \"turned\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = "+
		"\"cyan1\"\n[[robot.sensor]]\nname = \"omni\"\nmount = { yaw_deg = 30 }\n")
	code, _, stderr := command(t, "calibration", turned, "cyan1.omni", "--format", "ocamcalib", "--out",
		filepath.Join(t.TempDir(), "out"))
	if code != console.ExitDone {
		t.Errorf("exit code %d", code)
	}
	wantLines(t, stderr, "cyan1.omni: front is 120° anticlockwise of the right in the image")
	if said := writeNuBotsFiles(t, "nubot-attack", "cyan1", "omni", t.TempDir()); strings.Contains(said, "warning") {
		t.Errorf("of a model that ships: %s", said)
	}
	wantLines(t, writeNuBotsFiles(t, turned, "cyan1", "omni", t.TempDir()),
		"headings will be off by 120°, unless mount.yaw_deg = -90\n")
}

// TestCalibrationForRefbot checks that format refbot writes a folder for each robot with raw images, and nothing for
// the others.
func TestCalibrationForRefbot(t *testing.T) {
	world := must.File(t, "eyes.toml", `
name = "eyes"
field = "msl-18x12"
[ball]
[[robot]]
for_each = [{ n = 2, level = "raw" }, { n = 3, level = "objects" }]
name = "cyan{n}"
model = "nubot"
pose = { x_m = "{n}" }
sensor = [
	{ name = "omni", level = "{level}", image = { width_px = 160, height_px = 160 } },
	{ name = "front", level = "{level}", image = { width_px = 160, height_px = 120 } },
]
`)
	out := filepath.Join(t.TempDir(), "calibration")
	code, stdout, stderr := command(t, "calibration", world, "--format", "refbot", "--out", out)
	if code != console.ExitDone || stdout != "" {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantLines(t, stderr, "cyan2.omni as ocamcalib: ", "cyan2.front: how CTableBGR.dat classifies pixels",
		"eyes.toml as refbot: wrote the files of 1 robot: refbot --calibration "+out)
	const cells = 64 * 64 * 64
	for name, least := range map[string]int64{"calib_results.txt": 100, "CTable.dat": cells, "CTableBGR.dat": cells} {
		if info, err := os.Stat(filepath.Join(out, "cyan2", name)); err != nil || info.Size() < least {
			t.Errorf("%s: %v, want %d bytes", name, err, least)
		}
	}
	if all, err := os.ReadDir(out); err != nil || len(all) != 1 {
		t.Errorf("%d folders, %v, want 1", len(all), err)
	}
}
