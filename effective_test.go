package omnipitch

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

var bundlesFor = flag.Duration("bundles.for", 10*time.Millisecond, "sim time that worlds and their bundles run")

// A shipped world and the effective file in its bundle give the same run, bit for bit.
func TestBundledWorldsGoAlike(t *testing.T) {
	var shared Cache // has no influence on the runs
	hash := func(w *worlds.World) uint64 {
		sim, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return &blank{}, nil },
			Cache: &shared})
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		defer sim.Close()
		steps(t, sim, int(*bundlesFor/w.Time.Step))
		return sim.Truth().Hash()
	}
	for _, s := range worlds.Shipped() {
		if s.Kind != "world" {
			continue
		}
		w, err := worlds.Load(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := w.Bundle(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := worlds.LoadBundle(bundle)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hash(again), hash(w); got != want {
			t.Errorf("%s: state %x, bundled %x", s.Name, want, got)
		}
	}
}

// Every valid world that Go code builds can be written as a file.
func TestEffectiveOfChangedWorlds(t *testing.T) {
	written := 0
	rapid.Check(t, func(rt *rapid.T) {
		w, err := worlds.Load(rapid.SampledFrom([]string{"nubot-attack", "planar", "sensors", "mirrors", "lenses",
			"faults", "in-turn", "calibration-board"}).Draw(rt, "world"))
		if err != nil {
			rt.Fatal(err)
		}
		where := ""
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			where += change(rt, reflect.ValueOf(w).Elem()) + "; "
		}
		if w.Validate() != nil {
			return
		}
		if rapid.Bool().Draw(rt, "take a part away") {
			w.Robots[0].Kicker, w.Robots[0].Dribbler = nil, nil
			if w.Validate() != nil {
				return
			}
		}
		text, err := w.Effective()
		if err != nil {
			rt.Fatalf("%s: %v", where, err)
		}
		again, err := worlds.Parse("effective.toml", text)
		if err != nil {
			rt.Fatal(err)
		}
		w.Field.Name, again.Field.Name = "", "" // a file cannot leave it empty
		if got, want := again.Model(), w.Model(); !reflect.DeepEqual(got, want) {
			rt.Errorf("%s: is another world", where)
		}
		written++
	})
	if written < 10 {
		t.Errorf("only %d worlds were valid", written)
	}
}

// A random world with its own files gives the same run from its bundle as from the files, bit for bit for 2 s, after an
// event has restarted it with other random values.
func TestAWorldWhoseFilesAreGoneGoesAlike(t *testing.T) {
	hashes := func(w *worlds.World) (all [2]uint64) {
		sim, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return &blank{}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		for i := range all {
			steps(t, sim, 1000)
			all[i] = sim.Truth().Hash()
		}
		return all
	}
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, own := range map[string]string{"nubot": "model.toml", "msl-22x14": "field.toml"} {
		text, err := worlds.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		put(own, string(text))
	}
	seat, err := os.ReadFile("worlds/props/bench.gltf")
	if err != nil {
		t.Fatal(err)
	}
	put("seat.gltf", string(seat))
	put("w.toml", `name = "w"
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
`)
	w, err := worlds.Load(filepath.Join(dir, "w.toml"))
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := w.Bundle(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := hashes(w)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	again, err := worlds.LoadBundle(bundle)
	if err != nil {
		t.Fatal(err)
	}
	if got := hashes(again); got != want {
		t.Errorf("states %x, bundled %x", want, got)
	}
}
