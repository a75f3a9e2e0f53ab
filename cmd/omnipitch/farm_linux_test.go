package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const filmedWorld = `name = "drawn"
[physics]
engine = "planar"
[[robot]]
name = "a"
model = "nubot"
sensor = [
  { name = "omni", level = "raw", rate_hz = 20, image = { width_px = 64, height_px = 64 } },
  { name = "front", level = "raw", rate_hz = 20, image = { width_px = 64, height_px = 48 } },
]
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], back_and_forth = true } }
`

// TestRenderWorkers checks that a run whose workers render the images writes the same files as a run that renders them
// itself. A worker that starts before the run must wait for it.
func TestRenderWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Write(t, "drawn.toml", filmedWorld)
	call := func(ctx context.Context, args ...string) (int, string, string) {
		var out, errs lockedBuffer
		code := run(ctx, args, console.Streams{Out: &out, Err: &errs})
		return code, out.String(), errs.String()
	}
	common := []string{"run", "drawn.toml", "--ros1", "off", "--web", "off", "--for", "3s", "--renderer", "tile"}
	if code, _, errs := call(t.Context(), append(slices.Clone(common), "--speed", "max", "--out",
		"alone")...); code != console.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	ended := make(chan string, 1)
	go func() {
		for _, err := os.Stat("join"); err != nil; _, err = os.Stat("join") {
			time.Sleep(time.Millisecond)
		}
		code, out, errs := call(context.Background(), "worker", "--join", "join", "--name", "helper")
		if code != console.ExitDone {
			out += errs
		}
		ended <- out
	}()
	// on a busy machine, a worker may need several seconds to join
	code, _, errs := call(t.Context(), append(slices.Clone(common), "--speed", "0.4", "--out", "shared",
		"--workers", "0", "--join", "join", "--no-draw-here", "--lease", "2s")...)
	if code != console.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	wantLines(t, errs, "workers: omnipitch worker --join join", "worker helper renders images")
	if !regexp.MustCompile(`images: [1-9][0-9]* by helper, [0-9]+ by this process`).MatchString(errs) {
		t.Errorf("who has drawn: %s", errs)
	}
	if out := <-ended; !regexp.MustCompile(`^0 runs done, [1-9][0-9]* images drawn\n$`).MatchString(out) {
		t.Errorf("the worker says %q", out)
	}
	alone, shared := contents(t, "alone"), contents(t, "shared")
	pictures := 0
	for name, content := range alone {
		if filepath.Ext(name) == ".png" {
			pictures++
		}
		if shared[name] != content && name != filesList { // filesList has the files in the order of writing
			t.Errorf("%s differs", name)
		}
	}
	if pictures < 100 || !slices.Equal(slices.Sorted(maps.Keys(alone)), slices.Sorted(maps.Keys(shared))) {
		t.Errorf("%d pictures, %d files of one, %d of the other", pictures, len(alone), len(shared))
	}
	for _, c := range []struct{ args, want string }{
		{"--no-draw-here", "need --workers"},
		{"--workers x", `listen = "x": must be PORT, or HOST:PORT`},
		{"--workers 0 --token drawn.toml", "need --workers URL"},
		{"--workers nats://127.0.0.1:1 --join j", "needs --workers PORT"},
		{"--workers 0 --lease 1ms", "must lie in [10ms, 1h]"},
		{"--workers nats://127.0.0.1:1", "NATS at nats://127.0.0.1:1"},
		{"--workers 0 --join drawn.toml", "the join file would replace another file"},
		{"--workers 0 --tls-cert drawn.toml", "--tls-cert and --tls-key: give both or neither"},
	} {
		code, _, errs := call(t.Context(), append(slices.Clone(common), strings.Fields(c.args)...)...)
		if code == console.ExitDone || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d: %s: want %s", c.args, code, errs, c.want)
		}
	}
}
