//go:build cgo

package worlds_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// All examples in docs/scenes.md run together in one world: its blocks in order, and each condition of its table in an
// event.
func TestScenesPage(t *testing.T) {
	page := string(must.Get(os.ReadFile("../docs/scenes.md"))(t))
	var text strings.Builder
	others := slices.DeleteFunc(referee.RulesOf(referee.MSL), func(rule string) bool { return rule == "goal" })
	fmt.Fprintf(&text, "referee = \"auto\"\nrules = { kickoff = \"none\", off = [\"%s\"] }\n",
		strings.Join(others, "\", \""))
	var shown []string
	for line := range strings.Lines(page) {
		switch code, ok := strings.CutPrefix(line, "    "); {
		case ok && strings.Contains(code, ": passed at "):
			shown = append(shown, strings.TrimSpace(code))
		case ok:
			text.WriteString(code)
		}
	}
	conditions := regexp.MustCompile("(?m)^\\| `([a-z_]+ = [{\\[].*?[}\\]])` \\|").FindAllStringSubmatch(page, -1)
	if len(conditions) != 19 {
		t.Fatalf("the table in docs/scenes.md has %d conditions whose first cell is `key = ...`, want 19: after adding a "+
			"condition, change the number in this test", len(conditions))
	}
	for _, c := range conditions {
		text.WriteString("[[event]]\nwhen = { " + c[1] + ", for_s = 100 }\nplace = { name = \"ball\" }\n")
	}
	// the condition on brightness needs it
	text.WriteString("[[event]]\nat_s = 1000\nset_level = { robot = \"cyan1\", sensor = \"front\", level = \"raw\" }\n")
	verdicts := simtest.New(t, simtest.Parse(t, text.String()), omnipitch.Options{}).RunFor(5 * time.Second).Verdicts
	if len(verdicts) != 5 || len(shown) != 2 {
		t.Fatalf("%d verdicts of which %d are shown, want 5 and 2", len(verdicts), len(shown))
	}
	for _, v := range verdicts {
		if v.Outcome != "passed" {
			t.Error(v)
		}
	}
	for i, want := range shown {
		if got := verdicts[i+1].String(); got != want { // after stays_on_the_right
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The worlds broken-camera and lost-level detect each sensor that does not break or heal, and each level that is not
// switched. TestShippedWorldsPass checks that the unchanged worlds pass.
func TestWorldsExpectTheirEvents(t *testing.T) {
	opts := omnipitch.Options{NewRenderer: backend.Tile, Cache: &omnipitch.Cache{}}
	for _, c := range []struct {
		world, event string // the event happens, but its action is replaced by one without effect
		want         []string
	}{
		{"broken-camera", "freezes", []string{"frozen_image_stays_bright"}},
		{"broken-camera", "thaws", []string{"whole_image_is_dark"}},
		{"broken-camera", "goes_black", []string{"black_image"}},
		{"broken-camera", "shows_again", []string{"image_is_back"}},
		{"broken-camera", "noise", []string{"loses_the_ball_in_noise"}},
		{"broken-camera", "off", []string{"is_switched", "stays_off"}},
		{"broken-camera", "other_level", []string{"is_switched"}},
		{"broken-camera", "on", []string{"delivers_again"}},
		{"lost-level", "far", []string{"truth_while_far"}},
		{"lost-level", "near", []string{"objects_between"}},
		{"lost-level", "close", []string{"images_while_close", "comes_twice", "images_come"}},
	} {
		w := simtest.World(t, c.world)
		for i := range w.Events {
			if w.Events[i].Name == c.event {
				// each level that a condition names still occurs in the world
				tooLate := worlds.Event{At: w.Test.For + 1, Choice: w.Events[i].Choice}
				// no effect: the ball is far
				w.Events[i].Choice = action.Choice{Dribble: &action.Dribble{Robot: "cyan1"}}
				w.Events = append(w.Events, tooLate)
			}
		}
		must.Equal(t, simtest.Unmet(t, w, opts), c.want, "%s without %s: failed expectations", c.world, c.event)
	}
}

// cyan1 finds the ball in every random scene (make verify-worlds tests more of them). Each expectation fails in a world
// that is broken in the corresponding way.
func TestRandomScenes(t *testing.T) {
	opts := omnipitch.Options{NewRenderer: backend.RayCaster}
	random := func(seed uint64) *worlds.World { return must.Get(worlds.LoadWithSeed("random-scenes", seed))(t) }
	for seed := range uint64(6) {
		if failed := simtest.Unmet(t, random(seed), opts); failed != nil {
			t.Errorf("seed %d: %v fail, want none", seed, failed)
		}
	}
	also := func(at time.Duration, c action.Choice) func(*worlds.World) {
		return func(w *worlds.World) { w.Events = append(w.Events, worlds.Event{At: at, Choice: c}) }
	}
	for name, c := range map[string]struct {
		change func(*worlds.World)
		want   string
	}{
		"a broken camera": {also(0, action.Choice{BreakSensor: &action.BreakSensor{Robot: "cyan1", Sensor: "omni",
			Fault: "off"}}), "ball_found"},
		"a hidden ball": {func(w *worlds.World) {
			for i := range w.Robots {
				w.Robots[i].Pose = worlds.Pose{X: float64(i), Y: 5}
			}
			w.Robots[0].Pose = worlds.Pose{}
			w.Ball.X, w.Ball.Y, w.Ball.VX, w.Ball.VY = 2, 0, 0, 0
			w.Obstacles = w.Obstacles[:1]
			w.Obstacles[0].Pose, w.Obstacles[0].Hull.SizeY = worlds.Pose{X: 1}, 1.2
		}, "ball_found"},
		"another that moves": {also(500*time.Millisecond, action.Choice{Drive: &action.Drive{Robot: "cyan2", VX: 1}}),
			"others_stay"},
	} {
		w := random(7)
		c.change(w)
		if got := simtest.Unmet(t, w, opts); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %v fail, want %s", name, got, c.want)
		}
	}
}

var bundlesFor = flag.Duration("bundles.for", 0, "sim time that every included world and its bundle run; if 0, some "+
	"worlds run for 10 ms")

// A shipped world and the effective file in its bundle give the same run, bit for bit. TestBundlesOfShippedWorlds
// compares the values of every world with those of its bundle.
func TestBundledWorldsGoAlike(t *testing.T) {
	opts := omnipitch.Options{NewRenderer: simtest.Grey, Cache: &omnipitch.Cache{}} // a Cache does not influence runs
	hash := func(w *worlds.World) uint64 {
		sim := simtest.New(t, w, opts)
		defer sim.Close()
		sim.Until(max(*bundlesFor, 10*time.Millisecond))
		return sim.Truth().Hash()
	}
	some := []string{"corridor", "faults", "mirrors", "random-scenes", "sensors", "simatch", "spectators", "warehouse"}
	for _, s := range worlds.Shipped() {
		if s.Kind != "world" || *bundlesFor == 0 && !slices.Contains(some, s.Name) {
			continue
		}
		w := simtest.World(t, s.Name)
		again := must.Get(worlds.LoadBundle(must.Get(w.Bundle(nil))(t)))(t)
		must.Equal(t, hash(again), hash(w), "%s: bundled state", s.Name)
	}
}

// A random world with its own files gives the same run from its bundle as from the files, bit for bit for 2 s, after an
// event has restarted it with other random values.
func TestABundleNeedsNoFiles(t *testing.T) {
	hashes := func(w *worlds.World) (all [2]uint64) {
		sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
		for i := range all {
			sim.Steps(1000)
			all[i] = sim.Truth().Hash()
		}
		return all
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		"model.toml": must.Get(worlds.Source("nubot"))(t),
		"field.toml": must.Get(worlds.Source("msl-22x14"))(t),
		"seat.gltf":  must.Get(os.ReadFile("props/bench.gltf"))(t),
		"w.toml": []byte(`name = "w"
field = "./field.toml"
[[robot]]
name = "r"
model = "./model.toml"
pose = { x_m = { uniform = [1, 2] } }
player = { chase_ball = {} }
[[prop]]
name = "seat"
file = "seat.gltf"
hang = { x_m = 4, y_m = 8 }
[[event]]
at_s = 0.9
reset = { seed = 7 }
`)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	w := simtest.World(t, filepath.Join(dir, "w.toml"))
	bundle := must.Get(w.Bundle(nil))(t)
	want := hashes(w)
	must.Do(t, os.RemoveAll(dir))
	must.Equal(t, hashes(must.Get(worlds.LoadBundle(bundle))(t)), want, "bundled states")
}
