package dataset

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// small is a world with every kind of object in front of small cameras.
const small = `name = "small"
look = "plain"
seed = 3

[hall]
bystanders = 3
clutter = 0.1

  [[hall.ball]]
  name = "orange"
  x_m = 3.2
  y_m = 6.6

[ball]
x_m = { uniform = [1, 4] }
y_m = { uniform = [-1.5, 1.5] }
vx_m_s = { uniform = [-2, 2] }
vy_m_s = { uniform = [-2, 2] }

[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = { uniform = [-1, 0.3] }, heading_deg = { uniform = [-20, 20] } }

  [[robot.sensor]]
  name = "front"
  image = { width_px = 160, height_px = 120, fov_deg = 80 }

  [[robot.sensor]]
  name = "omni"
  image = { width_px = 128, height_px = 128, fov_deg = 60 }

[[robot]]
for_each = { n = [2, 3] }
name = "magenta{n}"
model = "nubot"
team = "magenta"
pose = { x_m = { uniform = [1, 7] }, y_m = { uniform = [-3, 3] }, heading_deg = { uniform = [-180, 180] } }

[[robot]]
name = "keeper"
model = "nubot-goalkeeper"
team = "magenta"
pose = { x_m = 8.4, y_m = { uniform = [-0.6, 0.6] }, heading_deg = 180 }

[[obstacle]]
name = "box"
pose = { x_m = { uniform = [1, 7] }, y_m = { uniform = [-3, 3] } }

[[obstacle]]
name = "referee"
looks = "referee"
walk = { way_points = [{ x_m = 5, y_m = 2 }, { x_m = 2, y_m = -2 }] }
pose = { x_m = { uniform = [1, 7] }, y_m = { uniform = [-3, 3] } }

[[event]]
at_s = 0
drive = { robot = "magenta2", vx_m_s = { uniform = [-1, 1] }, omega_deg_s = { uniform = [-90, 90] } }
`

// made makes a data set of the small world and returns its result.
func made(t *testing.T, out string, change func(*Config)) (*Result, error) {
	t.Helper()
	return madeUntil(t, context.Background(), out, change)
}

// madeUntil does the same until a context ends.
func madeUntil(t *testing.T, ctx context.Context, out string, change func(*Config)) (*Result, error) {
	t.Helper()
	w, err := worlds.Parse("small.toml", []byte(small))
	must.Do(t, err)
	c := Config{
		World: w, Name: "small", Frames: 14, PerScene: 3, Split: [3]float64{0.5, 0.25, 0.25}, Formats: Formats,
		Cameras: []string{"cyan1.front", "cyan1.omni"},
		Level:   abstraction.Raw, Renderer: "tile", Jobs: 2, Version: "test", Status: func(string) {},
	}
	if change != nil {
		change(&c)
	}
	return c.Make(ctx, out)
}

// filesIn returns the contents of the files in a folder, by name.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, path))
		all[path] = string(text)
		return err
	})
	must.Do(t, err)
	return all
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if x, ok := got[name]; !ok {
			t.Errorf("%s: lacks %s", what, name)
		} else if x != want[name] {
			t.Errorf("%s: %s is another, of %d bytes and not %d", what, name, len(x), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: has %s", what, name)
		}
	}
}

// TestSameFiles checks that the same arguments give the same files. That must hold with any number of concurrent
// scenes, after an interruption at any frame, and when a shorter data set is extended.
func TestSameFiles(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "new", "whole")
	r, err := made(t, whole, nil)
	must.Do(t, err)
	want := filesIn(t, whole)
	if r.Frames != 14 || r.Found != 0 || r.Scenes != 3 || r.Parts["train"]+r.Parts["val"]+r.Parts["test"] != 14 ||
		r.Parts["val"] == 0 {
		t.Errorf("%+v", r)
	}
	for name := range want {
		if strings.HasSuffix(name, ".part") {
			t.Errorf("%s is left", name)
		}
	}
	t.Run("one at once", func(t *testing.T) {
		out := t.TempDir()
		must.Get(made(t, out, func(c *Config) { c.Jobs = 1 }))(t)
		sameFiles(t, "by one worker", filesIn(t, out), want)
	})
	t.Run("interrupted", func(t *testing.T) {
		out := t.TempDir()
		for _, stop := range []int{3, 6} {
			ctx, cancel := context.WithCancel(context.Background())
			images := 0
			_, err := madeUntil(t, ctx, out, func(c *Config) {
				c.Jobs, c.Status = 1, func(string) {
					if images++; images == stop {
						cancel()
					}
				}
			})
			if cancel(); err == nil || !strings.Contains(err.Error(), "interrupted after ") {
				t.Fatalf("error %v", err)
			}
		}
		// A killed process leaves a partial line, and a file that no line names.
		lines, err := os.OpenFile(filepath.Join(out, framesFile), os.O_APPEND|os.O_WRONLY, 0)
		must.Do(t, err)
		must.Get(lines.WriteString(`{"frame":1`))(t)
		lines.Close()
		r, err := made(t, out, nil)
		must.Do(t, err)
		if r.Found == 0 || r.Found >= 14 {
			t.Errorf("%d frames were there", r.Found)
		}
		sameFiles(t, "in three goes", filesIn(t, out), want)
	})
	t.Run("extended", func(t *testing.T) {
		out := t.TempDir()
		for _, n := range []int{3, 14, 14} {
			must.Get(made(t, out, func(c *Config) { c.Frames = n }))(t)
		}
		sameFiles(t, "in more than one size", filesIn(t, out), want)
	})
	t.Run("refused", func(t *testing.T) {
		for what, change := range map[string]func(*Config){
			"--seed 3, and not 4":                  func(c *Config) { c.World.Seed = 4 },
			"--per-scene 3, and not 2":             func(c *Config) { c.PerScene = 2 },
			"--split 0.5,0.25,0.25, and not 1,0,0": func(c *Config) { c.Split = [3]float64{1, 0, 0} },
			"--level raw, and not ideal":           func(c *Config) { c.Level = abstraction.Ideal },
			"another state of the world small":     func(c *Config) { c.World.Ball.Radius = 0.1 },
			"--frames = 13: must be at least 14":   func(c *Config) { c.Frames = 13 },
			"--jpeg 0, and not 90":                 func(c *Config) { c.JPEG = 90 },
			"and not cyan1.front":                  func(c *Config) { c.Cameras = c.Cameras[:1] },
			"the renderer tile, and not raycast":   func(c *Config) { c.Renderer = "raycast" },
			"omnipitch test, and not another":      func(c *Config) { c.Version = "another" },
			"--sensor cyan1.rear: is no camera":    func(c *Config) { c.Cameras = []string{"cyan1.rear"} },
			"--sensor cyan1.omni: is named twice": func(c *Config) {
				c.Cameras = []string{"cyan1.omni", "cyan1.omni"}
			},
			"coco,yolo,masks,depth,flow, and not coco": func(c *Config) { c.Formats = []Format{COCO} },
		} {
			what = strings.ReplaceAll(what, "coco,yolo,masks,depth,flow", "coco, yolo, masks, depth, flow")
			if _, err := made(t, whole, change); err == nil || !strings.Contains(err.Error(), what) ||
				console.ExitCode(err) != console.ExitBadInput {
				t.Errorf("error %v, want one with %q", err, what)
			}
		}
		sameFiles(t, "after refusals", filesIn(t, whole), want)
	})
}

// TestFoldersAreRefused checks that a path which cannot be a data set folder stays unchanged.
func TestFoldersAreRefused(t *testing.T) {
	other := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(other, "thesis.tex"), []byte("important"), 0o600))
	odd := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(odd, manifestFile), []byte("important"), 0o600))
	linked := t.TempDir()
	must.Do(t, os.Symlink(filepath.Join(other, "thesis.tex"), filepath.Join(linked, manifestFile)))
	for folder, what := range map[string]string{
		other: "contains thesis.tex, which is not part of a data set", odd: "dataset.json is not a data set's",
		linked:                             "dataset.json is not a data set's",
		filepath.Join(other, "thesis.tex"): "not a directory",
	} {
		if _, err := made(t, folder, nil); err == nil || !strings.Contains(err.Error(), what) ||
			console.ExitCode(err) != console.ExitBadInput {
			t.Errorf("%s: error %v, want one with %q", folder, err, what)
		}
	}
	must.Equal(t, len(filesIn(t, other))+len(filesIn(t, odd)), 2, "files")
}

// TestFixedWorldsAreRefused checks that a world without random values is refused, because it has only one image.
func TestFixedWorldsAreRefused(t *testing.T) {
	w, err := worlds.Load("nubot-attack")
	must.Do(t, err)
	out := filepath.Join(t.TempDir(), "none")
	must.Refuse(made(t, out, func(c *Config) { c.World, c.Cameras = w, nil }))(t, "nothing in it is random")
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// TestParts checks that every scene belongs to one part. The parts must have their shares as soon as there are enough
// scenes.
func TestParts(t *testing.T) {
	for _, split := range [][3]float64{{0.8, 0.1, 0.1}, {1, 0, 0}, {0.5, 0.5, 0}, {0.7, 0.2, 0.1}} {
		all, count := parts(1000, split), [3]int{}
		for k, part := range all {
			count[part]++
			for p, share := range split {
				if lacks := share*float64(k+1) - float64(count[p]); lacks > 1 || lacks < -1 {
					t.Fatalf("%v: of %d scenes part %d has %d", split, k+1, p, count[p])
				}
			}
		}
		if !slices.Equal(all[:100], parts(100, split)) {
			t.Errorf("%v: parts depend on how many scenes there are", split)
		}
	}
}
