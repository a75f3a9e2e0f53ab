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
	world, out := writeFile(t, "drawn.toml", drawnWorld), filepath.Join(t.TempDir(), "set")
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
	if got.Folder != out || got.Frames != 4 || got.Found != 0 || got.Parts["train"] != 4 || got.Objects["ball"] == 0 {
		t.Errorf("%+v", got)
	}
	code, stdout, stderr = command(t, append(args, "--frames", "6")...)
	if code != console.ExitDone || !strings.Contains(stdout, "6 frames of 3 scenes, of which 4 were there\n") ||
		!strings.Contains(stderr, "renderer: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
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
	world, out := writeFile(t, "drawn.toml", drawnWorld), filepath.Join(t.TempDir(), "set")
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
