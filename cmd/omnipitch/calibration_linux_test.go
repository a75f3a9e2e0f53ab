package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
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
