package worlds

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// same reports whether two worlds have the same values, including models of props.
func same(a, b *World) bool {
	for i := range a.Props {
		if !reflect.DeepEqual(a.Props[i].model, b.Props[i].model) {
			return false
		}
	}
	return reflect.DeepEqual(bare(a), bare(b))
}

func TestBundlesOfShippedWorlds(t *testing.T) {
	for _, name := range worldFiles.names() {
		w := must.Get(Load(name))(t)
		b, err := w.Bundle(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := LoadBundle(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !same(w, again) {
			t.Errorf("%s: is another world", name)
		}
		want := []string{"world.toml"}
		if w.Random() {
			want = []string{fmt.Sprintf("drawn-%d.toml", w.Seed), "world.toml"}
		}
		must.Equal(t, slices.Sorted(maps.Keys(b)), want, "%s", name)
		if strings.Contains(string(b["world.toml"]), "#") && !strings.Contains(string(b["world.toml"]), `"#`) {
			t.Errorf("%s: has comments", name)
		}
	}
}

// farFrom writes a world with its own files in folders, and returns its path.
func farFrom(t *testing.T, dir string) string {
	model := must.Get(Source("mecanum"))(t)
	field := must.Get(Source("msl-22x14"))(t)
	buffer := make([]byte, 36)
	for i, x := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 0} {
		bits := math.Float32bits(x)
		copy(buffer[4*i:], []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
	}
	write(t, dir, "parts/mine.toml", string(model)+"\n[[sensor]]\nname = \"eye\"\nkind = \"camera\"\n")
	write(t, dir, "parts/field.toml", strings.Replace(string(field), "22", "21", 1))
	write(t, dir, "parts/tri.gltf",
		`{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],`+
			`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":"data/tri%20angle.bin","byteLength":36}]}`)
	write(t, dir, "parts/data/tri angle.bin", string(buffer))
	write(t, dir, "base/base.toml", "name = \"base\"\nfield = \"../parts/field.toml\"\n[team.cyan]\nmodel = "+
		"\"../parts/mine.toml\"\nros1 = { profiles = [\"standard\", \"own.toml\"] }\n"+
		"[[prop]]\nname = \"tri\"\nfile = \"../parts/tri.gltf\"\nhang = { x_m = 4, y_m = 7 }\n[[prop]]\nname = "+
		"\"small\"\nfile = \"../parts/tri.gltf\"\nscale = 0.5\n"+
		"[[prop]]\nname = \"seat\"\nfile = \"props/bench.gltf\"\n[[robot]]\nfor_each = { i = [2, 3] }\nname = "+
		"\"r{i}\"\npose = { x_m = { uniform = [1, 2] }, y_m = \"{i}\" }\n")
	return write(t, dir, "top.toml", "name = \"top\"\ninclude = [\"base/base.toml\"]\n[[event]]\nat_s = 1\nreset = { "+
		"seed = 5 }\n[[program]]\nname = \"p\"\ncommand = [\"true\"]\n")
}

// A world whose files have been deleted comes back from its bundle, which contains no path of the machine.
func TestBundleOfAWorldOfOwnFiles(t *testing.T) {
	dir := t.TempDir()
	w := must.Get(Load(farFrom(t, dir)))(t)
	other := must.Get(w.WithSeed(5))(t)
	b := must.Get(w.Bundle(nil))(t)
	if other, err := w.Bundle(nil); err != nil || !reflect.DeepEqual(b, other) {
		t.Errorf("is another bundle the second time: %v", err)
	}
	must.Do(t, os.RemoveAll(dir))
	again := must.Get(LoadBundle(b))(t)
	wantNames := []string{"drawn-1.toml", "drawn-5.toml", "models/1/data/tri angle.bin", "models/1/tri.gltf",
		"world.toml"}
	must.Equal(t, slices.Sorted(maps.Keys(b)), wantNames, "names")
	for name, data := range b {
		for _, part := range []string{dir, "/tmp", "base/", "parts/"} {
			if strings.Contains(string(data), part) {
				t.Errorf("%s contains %s", name, part)
			}
		}
	}
	// Only the origins of values may differ.
	from := func(w *World) *World {
		for i := range w.Robots {
			w.Robots[i].Model, w.Robots[i].ROS1.Profiles[1] = "", "profiles/own.toml"
		}
		w.Props[0].File, w.Props[1].File = "models/1/tri.gltf", "models/1/tri.gltf"
		w.Programs[0].Folder = ""
		return w
	}
	if !same(from(w), again) {
		t.Errorf("is another world: %s", b["world.toml"])
	}
	drawn := must.Get(again.WithSeed(5))(t)
	if !same(from(other), drawn) || same(w, drawn) {
		t.Error("seed 5 draws another world")
	}
	if back, err := drawn.WithSeed(1); err != nil || !same(w, back) {
		t.Errorf("seed 1 draws another world: %v", err)
	}
	if _, err := again.WithSeed(6); err == nil || !strings.HasPrefix(err.Error(), "seed = 6: the world is random") {
		t.Error(err)
	}
	if again.Files() != nil {
		t.Errorf("%q can be watched", again.Files())
	}
	if second, err := again.Bundle(nil); err != nil || !reflect.DeepEqual(second, b) {
		t.Errorf("is another bundle: %v", err)
	}
}

// A world that Go code has changed to values that no decimal number gives is restored to the last bit. That holds for
// defaults too.
func TestBundleOfWorldsOfGo(t *testing.T) {
	for _, name := range []string{"nubot-attack", "sensors"} {
		w := must.Get(Load(name))(t)
		built := bare(w)
		for _, w := range []*World{w, &built} {
			found := 0
			for i := range 8 {
				w.Robots[0].Pose.Heading = math.Nextafter(0.3+float64(i)/17, 1)
				for j := range w.Robots[0].Sensors {
					w.Robots[0].Sensors[j].Mount.Yaw = math.Nextafter(0.1+float64(i)/17, 1)
				}
				b := must.Get(w.Bundle(nil))(t)
				again := must.Get(LoadBundle(b))(t)
				want, got := bare(w), bare(again)
				for i := range want.Robots {
					want.Robots[i].Model, got.Robots[i].Model = "", ""
				}
				if !reflect.DeepEqual(want, got) {
					t.Fatalf("%s: is another world at %v: %s", name, w.Robots[0].Pose.Heading, b["world.exact.json"])
				}
				if b["world.exact.json"] != nil {
					found++
				}
				if other, err := again.WithSeed(9); err != nil || other.Robots[0].Pose != w.Robots[0].Pose {
					t.Errorf("%s: %v", name, err)
				}
			}
			if found == 0 {
				t.Errorf("%s: a decimal number gives each: nothing tested", name)
			}
		}
	}
}

// A forged bundle reads no other file, and ends with one sentence.
func TestHostileBundles(t *testing.T) {
	dir := t.TempDir()
	outside := write(t, dir, "outside.toml", minimal+robot)
	write(t, dir, "seat.gltf", "{}")
	must.Do(t, os.Symlink(outside, filepath.Join(dir, "world.toml")))
	t.Chdir(dir)
	ok := minimal + robot
	prop := func(file string) string { return ok + fmt.Sprintf("[[prop]]\nname = \"p\"\nfile = %q\n", file) }
	gltf := func(uri string) []byte {
		return fmt.Appendf(nil,
			`{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],`+
				`"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":%q,"byteLength":36}]}`, uri)
	}
	const gone = "is not among the files that came with the world"
	many := Bundle{}
	for i := range maxMembers + 1 {
		many[fmt.Sprint(i)] = nil
	}
	for name, c := range map[string]struct {
		bundle Bundle
		want   string
	}{
		"empty":          {Bundle{}, "world.toml: " + gone},
		"name above":     {Bundle{"../world.toml": []byte(ok)}, `"../world.toml": must be a path`},
		"name from root": {Bundle{outside: []byte(ok)}, "must be a path"},
		"name in a file": {Bundle{"world.toml": []byte(ok), "world.toml/a": nil}, "world.toml"},
		"many":           {many, "20001 files"},
		"large":          {Bundle{"world.toml": []byte(ok), "a": make([]byte, maxBundleBytes)}, "64 MiB"},
		"long": {Bundle{"world.toml": make([]byte, schema.MaxBytes+1)},
			"world.toml: is too long: must be at most 1 MiB"},
		"include outside": {Bundle{"world.toml": fmt.Appendf(nil, "include = [%q]\n", outside)}, "no such file"},
		"include beside":  {Bundle{"world.toml": []byte("include = [\"outside.toml\"]\n")}, "no such file"},
		"include itself":  {Bundle{"world.toml": []byte("include = [\"world.toml\"]\n")}, "includes itself"},
		"field outside":   {Bundle{"world.toml": fmt.Appendf(nil, "field = %q\n%s", outside, ok)}, "no such file"},
		"model outside": {Bundle{"world.toml": fmt.Appendf(nil, minimal+"[[robot]]\nname = \"r\"\nmodel = %q\n",
			"../outside.toml")}, "no such file"},
		"device":       {Bundle{"world.toml": fmt.Appendf(nil, "include = [%q]\n", "/dev/zero")}, "no such file"},
		"prop outside": {Bundle{"world.toml": []byte(prop(filepath.Join(dir, "seat.gltf")))}, gone},
		"prop beside": {Bundle{"world.toml": []byte(prop("seat.gltf"))},
			`world.toml:7:1: prop[0]: file = "seat.gltf": ` + gone},
		"prop above":       {Bundle{"world.toml": []byte(prop("a/../../seat.gltf"))}, gone},
		"prop is a folder": {Bundle{"world.toml": []byte(prop("a")), "a/b": nil}, "is a folder"},
		"buffer gone":      {Bundle{"world.toml": []byte(prop("a/b.gltf")), "a/b.gltf": gltf("c.bin")}, gone},
		"buffer above": {Bundle{"world.toml": []byte(prop("a/b.gltf")), "a/b.gltf": gltf("../c.bin"),
			"c.bin": make([]byte, 36)}, "must lie in the model's folder"},
		"buffer outside": {Bundle{"world.toml": []byte(prop("a/b.gltf")), "a/b.gltf": gltf(outside)},
			"must lie in the model's folder"},
		"exact junk": {Bundle{"world.toml": []byte(ok), "world.exact.json": []byte("[")}, "world.exact.json: "},
		"exact nowhere": {Bundle{"world.toml": []byte(ok), "world.exact.json": []byte(`{"x": [1]}`)},
			"1 exact numbers are given for \"x\", which has 0"},
		"exact of a name": {Bundle{"world.toml": []byte(ok), "world.exact.json": []byte(`{"name": [1]}`)},
			"exact numbers are given for"},
		"exact and wrong": {Bundle{"world.toml": []byte(ok), "world.exact.json": []byte(`{"ball.mass_kg": [-1]}`)},
			"ball: mass_kg = -1: must"},
	} {
		allocs.AtMost(t, allocs.ParseLimit, func() {
			_, err := LoadBundle(c.bundle)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		})
	}
	if _, err := LoadBundle(Bundle{"world.toml": []byte(ok)}); err != nil {
		t.Error(err)
	}
}

// FuzzLoadBundle looks for bundles that make loading panic, and for worlds of bundles whose own bundles give another
// world.
func FuzzLoadBundle(f *testing.F) {
	seat := must.Get(shipped.ReadFile("props/bench.gltf"))(f)
	f.Add("models/1/seat.gltf", []byte(minimal+robot+"[[prop]]\nname = \"p\"\nfile = \"models/1/seat.gltf\"\n"), seat,
		[]byte(`{"ball.radius_m": [0.11]}`))
	f.Add("drawn-1.toml", []byte("include = [\"drawn-1.toml\"]\n"), []byte(minimal+robot),
		[]byte(`{"robot[0].pose.heading_deg": [0.30000000000000004]}`))
	f.Add("../a", []byte("include = [\"../a\", \"/etc/passwd\"]\n"), []byte(minimal+robot), []byte(`{}`))
	f.Fuzz(func(t *testing.T, name string, world, other, fine []byte) {
		w, err := LoadBundle(Bundle{"world.toml": world, name: other, "world.exact.json": fine})
		if err != nil {
			return
		}
		b, err := w.Bundle(nil)
		if err != nil {
			if len(world)+len(other) > schema.MaxBytes/8 {
				return
			}
			t.Fatal(err)
		}
		again := must.Get(LoadBundle(b))(t)
		if second, err := again.Bundle(nil); err != nil || !reflect.DeepEqual(b, second) {
			t.Errorf("is another bundle: %v", err)
		}
	})
}
