package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
)

// TestRunsTellTheirRenderer checks that runs with images report their renderer and the reason for the choice. Other
// runs must report none.
func TestRunsTellTheirRenderer(t *testing.T) {
	for _, c := range []struct {
		args string
		want *backend.Choice
	}{
		{"planar", nil},
		{"broken-camera --renderer raycast", &backend.Choice{Name: "raycast", Why: "it was asked for"}},
	} {
		args := append([]string{"run", "--ros1", "off", "--for", "5ms", "--json"}, strings.Fields(c.args)...)
		code, stdout, stderr := command(t, args...)
		var got runSummary
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != console.ExitDone {
			t.Fatalf("%s: exit code %d, %v, %s", c.args, code, err, stderr)
		}
		if (got.Renderer == nil) != (c.want == nil) || c.want != nil && got.Renderer.String() != c.want.String() {
			t.Errorf("%s: renderer %v, want %v", c.args, got.Renderer, c.want)
		}
	}
	const want = "renderer: raycast, since it was asked for\n"
	prints(t, console.ExitDone, want, "test", "broken-camera", "--renderer", "raycast")
	prints(t, console.ExitDone, want, "snapshot", "broken-camera", "--renderer", "raycast", "--out", t.TempDir())
}

// TestSamples checks that a path-traced snapshot takes the requested number of samples. The flag must be an error
// elsewhere.
func TestSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.toml")
	text := `name = "tiny"
[[robot]]
name = "cyan1"
model = "nubot"
  [[robot.sensor]]
  name = "omni"
  image = { width_px = 16, height_px = 16 }
  [[robot.sensor]]
  name = "front"
  image = { width_px = 16, height_px = 16 }
`
	put(t, path, text)
	out := filepath.Join(t.TempDir(), "out")
	code, _, stderr := command(t, "snapshot", path, "--renderer", "reference", "--samples", "2", "--out", out)
	if code != console.ExitDone || !strings.Contains(stderr, "renderer: reference, since it was asked for\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if files, err := filepath.Glob(filepath.Join(out, "cyan1.front.*.png")); err != nil || len(files) != 5 {
		t.Errorf("%v, %v", files, err)
	}
	for _, flags := range []string{"--samples 3", "--renderer reference --samples 0",
		"--renderer reference --samples 2000000"} {
		args := append([]string{"run", path, "--for", "5ms", "--ros1", "off"}, strings.Fields(flags)...)
		prints(t, console.ExitBadInput, "--samples", args...)
	}
}
