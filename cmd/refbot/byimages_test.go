package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// refereed is a world with a robot that plays by images and hears a referee, and a teammate at objects.
const refereed = `
name = "refereed"
look = "plain"
field = "msl-18x12"
[time]
speed = "lockstep"
wait_for = [{ robot = "magenta2", order = "all", timeout_ms = 60_000 }, { robot = "magenta3", order = "all", timeout_ms = 60_000 }]
[team.magenta.radio]
delay_ms = 20
[test]
for_s = 1.6
[ball]
x_m = 1.0
y_m = 1.0
[[robot]]
name = "magenta2"
model = "nubot"
team = "magenta"
number = 2
pose = { x_m = 3, y_m = 1, heading_deg = 180 }
ros1 = { profiles = ["standard", "refbot"] }
dribbler = { method = "wheels" }
sensor = [
	{ name = "omni", level = "raw", image = { width_px = 320, height_px = 320 } }, { name = "front", level = "objects" },
	{ name = "compass", kind = "compass" }, { name = "arms", kind = "arms" },
]
[[robot]]
name = "magenta3"
model = "nubot"
team = "magenta"
number = 3
pose = { x_m = 5, y_m = -3, heading_deg = 180 }
ros1 = { profiles = ["refbot"] }
sensor = [{ name = "omni", level = "objects" }, { name = "front", level = "objects" }]
[[event]]
at_s = 0
game_command = { command = "stop" }
[[event]]
name = "start"
at_s = 0.8
game_command = { command = "start" }
[[program]]
name = "by-images"
command = ["refbot", "--robots", "magenta2", "--strategy", "radio", "--by-images", "--calibration", "CALIBRATION", "--color-table", "COLORS"]
[[program]]
name = "by-objects"
command = ["refbot", "--robots", "magenta3", "--strategy", "radio"]
[[expect]]
name = "stands"
never = { speed = { name = "magenta2", over_m_s = 0.05 } }
within_s = 0.8
[[expect]]
name = "goes"
eventually = { speed = { name = "magenta2", over_m_s = 0.5 } }
after = "start"
`

// calibrated returns a calibration file of a robot's omni camera.
func calibrated(t *testing.T, w *worlds.World, robot string) string {
	t.Helper()
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	cam, ok := sim.Sensors().Camera(robot, "omni")
	if !ok {
		t.Fatal("no camera")
	}
	model := must.Get(calibration.Central(cam.Model(), cam.PoseBC()))(t)
	fit := must.Get(calibration.FitOCam(calibration.Sample(model, 92)))(t)
	var text bytes.Buffer
	must.Do(t, calibration.WriteOCamCalib(&text, fit))
	file := filepath.Join(t.TempDir(), "calib_results.txt")
	must.Do(t, os.WriteFile(file, text.Bytes(), 0o600))
	return file
}

// A robot that plays by images stands while the referee has stopped play, and plays the ball from the start on. It
// reports what it sees by radio, hears its teammate, and a run is bit-identical.
func TestByImagesTheRefereeIsHeard(t *testing.T) {
	parse := func() *worlds.World { return must.Get(worlds.Parse("refereed.toml", []byte(refereed)))(t) }
	file, table := calibrated(t, parse(), "magenta2"), byHand(t, calibration.YUV)
	var states []uint64
	for range 2 {
		w := parse()
		command := w.Programs[0].Command
		for i := range command {
			switch command[i] {
			case "CALIBRATION":
				command[i] = file
			case "COLORS":
				command[i] = table
			}
		}
		report := simulate(t, w, w.Test.For)
		judged(t, report)
		states = append(states, report.Hash)
		if r := report.Radios; len(r) != 2 || r[0].Sent < 15 || r[0].Received < 15 || r[1].Received < 15 {
			t.Errorf("radios: %+v", r)
		}
	}
	if states[0] != states[1] {
		t.Errorf("states %016x and %016x of the same run", states[0], states[1])
	}
}

// The worlds of matches by raw images start refbot with valid flags; make verify-raw-match plays them.
func TestMatchesByImagesAreWorlds(t *testing.T) {
	for name, byImages := range map[string]int{"match-raw": 1, "mixed-raw": 1, "shot-raw": 1} {
		w := load(t, "worlds/raw/"+name+".toml", 1)
		for i := range w.Programs {
			var c cli
			if _, err := must.Get(kong.New(&c))(t).Parse(w.Programs[i].Command[1:]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if c.ByImages {
				byImages--
			}
			if c.ByImages && c.Calibration != "calibration" {
				t.Errorf("%s: --calibration %s", name, c.Calibration)
			}
		}
		if byImages != 0 || len(w.Expect) < 2 {
			t.Errorf("%s: %d programs by images too few, %d expectations", name, byImages, len(w.Expect))
		}
	}
}
