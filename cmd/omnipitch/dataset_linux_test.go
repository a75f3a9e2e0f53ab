package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// drawnWorld has a random ball in front of a small camera.
const drawnWorld = `name = "drawn"
look = "plain"
[ball]
x_m = { uniform = [1, 3] }
[[robot]]
name = "cyan1"
model = "nubot"
[[robot.sensor]]
name = "front"
image = { width_px = 64, height_px = 48 }
`

// TestDataset makes a data set, interrupts it with Ctrl-C and resumes it. The report must be one JSON object.
func TestDataset(t *testing.T) {
	world, out := must.File(t, "drawn.toml", drawnWorld), filepath.Join(t.TempDir(), "set")
	args := []string{"dataset", world, "--out", out, "--sensor", "cyan1.front", "--format", "coco,masks", "--format",
		"yolo", "--per-scene", "2", "--seed", "5"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := run(ctx, append(args, "--frames", "4"), console.Streams{Out: io.Discard,
		Err: io.Discard}); code != console.ExitFailed {
		t.Fatalf("interrupted: exit code %d", code)
	}
	code, stdout, stderr := command(t, append(args, "--frames", "4", "--json")...)
	var got struct {
		Folder        string
		Frames, Found int
		Parts         map[string]int
		Objects       map[string]int
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != console.ExitDone {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if want := ": warning: all 4 images are in train: each scene is in one part only, and 2 are too few scenes for " +
		"--split 0.8,0.1,0.1;"; !strings.Contains(stderr, want) {
		t.Errorf("got %q, want %q", stderr, want)
	}
	if got.Folder != out || got.Frames != 4 || got.Found != 0 || got.Parts["train"] != 4 || got.Objects["ball"] == 0 {
		t.Errorf("%+v", got)
	}
	wantLines(t, prints(t, console.ExitDone, "renderer: ", append(args, "--frames", "6")...),
		"6 frames of 3 scenes, of which 4 were there\n")
	for _, name := range []string{"images/train/0000005.png", "labels/train/0000005.txt", "classes/train/0000000.png",
		"instances/train/0000000.png", "annotations/instances_test.json", "data.yaml", "sheet.jpg"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	refuses(t, console.ExitBadInput,
		`--out .*: is a data set made with --level raw, and not ideal: must be of the same arguments, or another folder`, append(args, "--frames", "6", "--level", "ideal")...)
}

// TestDatasetRefuses checks that an error is a sentence and that nothing is written.
func TestDatasetRefuses(t *testing.T) {
	world, out := must.File(t, "drawn.toml", drawnWorld), filepath.Join(t.TempDir(), "set")
	for _, c := range []struct {
		args    string
		pattern string
	}{
		{"--frames 0", `--frames = 0: must lie in \[1, 10000000\]`},
		{"--frames=-1", `--frames = -1: must lie in`},
		{"--frames 9 --per-scene 0", `--per-scene = 0: must lie in`},
		{"--frames 9 --jobs 0", `--jobs = 0: must lie in`},
		{"--frames 9 --jpeg 101", `--jpeg = 101: must lie in`},
		{"--frames 9 --format voc", `--format = "voc": must be one of coco, yolo, masks, depth, flow`},
		{"--frames 9 --format coco,coco", `--format = coco: is named twice`},
		{"--frames 9 --split 0.5,0.5", `--split = "0.5,0.5": must be three shares`},
		{"--frames 9 --split 1,1,1", `--split = 1,1,1: must sum to 1`},
		{"--frames 9 --split nan,1,0", `--split = NaN,1,0: must be shares of 0 or more`},
		{"--frames 9 --split 2,-1,0", `--split = 2,-1,0: must be shares of 0 or more`},
		{"--frames 9 --sensor cyan1.odometry",
			`--sensor cyan1.odometry: is no camera of .*drawn.toml, whose cameras are cyan1.omni, cyan1.front`},
		{"--frames 9 --level objects", `--level must be one of "raw","ideal" but got "objects"`},
		{"--frames 1000000 --per-scene 1 --seed 9223372036854775000", `--seed = 9223372036854775000: the last of`},
	} {
		code, _, stderr := command(t, append([]string{"dataset", world, "--out", out}, strings.Fields(c.args)...)...)
		wantSentence(t, code, console.ExitBadInput, "", lastLine(stderr), c.pattern)
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v: something was written: %v", c.args, err)
		}
	}
	refuses(t, console.ExitBadInput, `nubot-attack: nothing in it is random, so all frames would be the same`,
		"dataset", "nubot-attack", "--frames", "9", "--out", out)
	refuses(t, console.ExitBadInput, `no-such-world`, "dataset", "no-such-world", "--frames", "9", "--out", out)
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// lastLine returns the last line of a text. Usage may precede it.
func lastLine(text string) string {
	all := strings.SplitAfter(text, "\n")
	if len(all) < 2 {
		return text
	}
	return all[len(all)-2]
}

// assessedWorld has a robot at level objects whose detections the simulator publishes itself.
const assessedWorld = `
name = "w"
look = "plain"
ball = { x_m = -2, y_m = 1 }
[[robot]]
name = "cyan1"
model = "nubot"
ros1 = { profiles = ["standard"] }
sensor = [{ name = "omni", level = "objects", vision = { miss_rate = 0, false_rate = 0, pixel_noise_px = 0 } }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
pose = { x_m = 2, y_m = 1 }
`

// TestAssess checks that the command rates the reports of a topic by the limits of the world. Its output is text, JSON
// and files, and an error is a sentence.
func TestAssess(t *testing.T) {
	t.Setenv("ROS_MASTER_URI", "")
	world := aWorld(t, assessedWorld)
	limited := aWorld(t, assessedWorld+`
[[expect]]
name = "close"
always = { topic_error = { topic = "/cyan1/ground_truth/ball", of = "ball", under_m = 0.01 } }
from_s = 0.5
`)
	for _, c := range []struct {
		world string
		args  string
		code  int
		want  []string
	}{
		{world, "--topic omni/detections_3d", console.ExitDone,
			[]string{"/cyan1/omni/detections_3d: vision_msgs/Detection3DArray, ", "  ball: ",
				" reports off by 0.0 cm", " 0.0 % of ", "; 0 of "}},
		{aWorld(t, strings.Replace(assessedWorld, `"standard"] }`,
			`"standard"], master_port = `+rostest.FreePort(t)+` }`, 1)), "--topic omni/detections_3d",
			console.ExitDone, []string{"  ball: ", " reports off by 0.0 cm"}},
		{world, "--topic omni/detections_3d=ball --tour drive", console.ExitDone,
			[]string{"  ball: ", ", 1 scenes"}},
		{world, "--topic /vision/pose", console.ExitFailed,
			[]string{"nothing arrived on /vision/pose in 1 s of sim time: does the vision run, and does it publish " +
				"there?"}},
		{world, "--topic /clock", console.ExitFailed,
			[]string{"/clock: messages of type rosgraph_msgs/Clock are not supported: needs one of " +
				"geometry_msgs/PoseStamped"}},
		{world, "--topic odom", console.ExitFailed,
			[]string{`/cyan1/odom: header.frame_id = "cyan1/odom": the robot's own pose must be in frame map`}},
		{world, "--topic omni/detections_3d=self", console.ExitFailed,
			[]string{"messages of type vision_msgs/Detection3DArray have no self"}},
		{limited, "--topic omni/detections_3d", console.ExitFailed,
			[]string{"close: failed at 0.500 s: ", "omnipitch: 1 of 1 limits of w are not kept"}},
		{world, "--topic omni/detections_3d --for 0.5s --fit " + filepath.Join(t.TempDir(),
			"fit.toml"), console.ExitFailed,
			[]string{"omnipitch: --fit: a fit needs 30 reports of the ball or of obstacles in a metre of distance"}},
		{world, "--topic t --fit fit", console.ExitBadInput,
			[]string{`--fit = "fit": must end with .toml`}},
		{world, "--robot cyan7 --topic t", console.ExitBadInput,
			[]string{`robot = "cyan7": the world has no such robot, but cyan1, magenta1`}},
		{world, "--sensor rear --topic t", console.ExitBadInput,
			[]string{`sensor = "rear": robot cyan1 has no such camera, but omni, front`}},
		{world, "--topic t=goal", console.ExitBadInput,
			[]string{`--topic "t=goal": what it reports must be self, ball or obstacles`}},
		{world, "--topic a//b", console.ExitBadInput,
			[]string{`topic = "/cyan1/a//b": must be a full name on ROS 1`}},
		{world, "--topic t --topic /cyan1/t", console.ExitBadInput,
			[]string{`topic = "/cyan1/t": is listed twice`}},
		{world, "--topic t --ros1 off", console.ExitBadInput,
			[]string{"--ros1 off: what a vision reports comes over ROS"}},
		{world, "", console.ExitBadInput, []string{"missing --topic=TOPIC[=WHAT]"}},
		{world, "--topic t --range -1", console.ExitBadInput,
			[]string{"--range = -1: must lie in (0, 100]"}},
	} {
		args := append([]string{"assess", c.world, "--speed", "8", "--start-within", "1s"}, strings.Fields(c.args)...)
		for flag, value := range map[string]string{"--robot": "cyan1", "--ros1": "embedded:0", "--for": "1s"} {
			if !strings.Contains(strings.Join(args, " "), flag) {
				args = append(args, flag, value)
			}
		}
		code, stdout, stderr := command(t, args...)
		wantOutput(t, c.args, code, c.code, stdout+stderr, c.want...)
	}
	dir, fit := filepath.Join(t.TempDir(), "page"), filepath.Join(t.TempDir(), "fit.toml")
	code, out, errs := command(t, "assess", world, "--robot", "cyan1", "--topic", "omni/detections_3d", "--for", "4s",
		"--speed", "4", "--ros1", "embedded:0", "--json", "--out", dir, "--fit", fit)
	if code != console.ExitDone {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	var printed struct {
		Channels []struct {
			Kind     string
			Position struct {
				N      int
				Median float64
			} `json:"position_m"`
		}
	}
	if err := json.Unmarshal([]byte(out), &printed); err != nil || len(printed.Channels) != 2 ||
		printed.Channels[0].Kind != "ball" || printed.Channels[0].Position.N < 20 ||
		!(printed.Channels[0].Position.Median < 1e-6) {
		t.Errorf("%v, %+v", err, printed)
	}
	prints(t, console.ExitDone, "", "check", aWorld(t, `include = ["`+fit+`"]`+assessedWorld))
	for file, want := range map[string]string{"page.html": "Vision of cyan1 in w",
		"samples.csv": "\n/cyan1/omni/detections_3d,ball,hit,", "summary.json": `"channels"`} {
		wantLines(t, read(t, filepath.Join(dir, file)), want)
	}
}
