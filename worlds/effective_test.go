package worlds

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// bare returns a world without the traces of where it was read.
func bare(w *World) World {
	b := *w
	b.Include, b.file, b.filename, b.seeded, b.others, b.given, b.failed, b.draws = nil, nil, "", false, nil, nil, nil,
		0
	b.Programs = append([]Program(nil), w.Programs...)
	for i := range b.Programs {
		b.Programs[i].Folder = ""
	}
	b.Props = append([]Prop(nil), w.Props...)
	for i := range b.Props {
		b.Props[i].model = nil
	}
	b.Robots = append([]Robot(nil), w.Robots...)
	for i := range b.Robots {
		b.Robots[i].described = nil // names the file from which it came
	}
	return b
}

// Every shipped world is written as a file that gives the same world.
func TestEffectiveWorldsAreTheSame(t *testing.T) {
	for _, name := range worldFiles.names() {
		w := must.Get(Load(name))(t)
		text, err := w.Effective()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := Parse("again.toml", text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(bare(w), bare(again)) {
			t.Errorf("%s: is another world", name)
		}
		if strings.Contains(string(text), "include = ") {
			t.Errorf("%s: not alone", name)
		}
	}
}

// The file stands alone: paths in it work from anywhere, and each value has its origin.
func TestEffectiveOfFilesInFolders(t *testing.T) {
	dir := t.TempDir()
	model := must.Get(Source("mecanum"))(t)
	gltf := must.Get(shipped.ReadFile("props/bench.gltf"))(t)
	write(t, dir, "parts/mine.toml", string(model)+"\n[[sensor]]\nname = \"eye\"\nkind = \"camera\"\n")
	write(t, dir, "parts/seat.gltf", string(gltf))
	write(t, dir, "base/base.toml", "name = \"base\"\nvars.far = 3\n[team.cyan]\nmodel = "+
		"\"../parts/mine.toml\"\nros1 = { profiles = [\"standard\", \"own.toml\"] }\n"+
		"[[prop]]\nname = \"seat\"\nfile = \"../parts/seat.gltf\"\nhang = { x_m = 4, y_m = 7 }\n[[robot]]\nfor_each "+
		"= { i = [2, 3], k = [0] }\nname = \"r{i}\"\npose = { x_m = \"{far}\", y_m = \"{i}\" }\n")
	top := write(t, dir, "top.toml", "name = \"top\"\nabout = \"a {{brace}}\"\ninclude = [\"base/base.toml\"]\nfield "+
		"= \"msl-22x14\"\n[[robot]]\nname = \"r3\"\nnumber = 7\n")
	w := must.Get(LoadWithSeed(top, 9))(t)
	text := must.Get(w.Effective())(t)
	alone := write(t, t.TempDir(), "alone.toml", string(text))
	again := must.Get(Load(alone))(t)
	want, got := bare(w), bare(again)
	for i := range want.Robots {
		want.Robots[i].Model = ""
		if at := want.Robots[i].ROS1.Profiles[1]; !filepath.IsAbs(at) || at != filepath.Join(dir, "base/own.toml") {
			t.Errorf("profile %s", at)
		}
	}
	want.Props[0].File = filepath.Join(dir, "parts/seat.gltf")
	if !reflect.DeepEqual(want, got) {
		t.Errorf("is another world: %s", text)
	}
	for _, line := range []string{
		`about = "a {{brace}}"                    # ` + top + `:2`,
		`seed = 9                                 # given beside the file`,
		`length_m = 22                            # omnipitch:fields/msl-22x14.toml:3`,
		`name = "r2"                              # ` + dir + `/base/base.toml:12, "r{i}", i = 2`,
		`y_m = 3                                  # ` + dir + `/base/base.toml:13, "{i}", i = 3`,
		`x_m = 3                                  # ` + dir + `/base/base.toml:13, "{far}"`,
		`heading_deg = 0                          # default`,
		`number = 2                               # from its name, or the next free number`,
		`number = 7                               # ` + top + `:7`,
		`kind = "camera"                          # ` + dir + `/parts/mine.toml:`,
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("lacks %s", line)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

// Worlds that were built in Go are written without comments. Worlds too large for a file are written too, with an
// error.
func TestEffectiveOfOtherWorlds(t *testing.T) {
	w := must.Get(Load("ten-robots"))(t)
	built := bare(w)
	text, err := built.Effective()
	if err != nil || strings.Contains(string(text), "#") {
		t.Fatalf("%v\n%s", err, text)
	}
	again := must.Get(Parse("again.toml", text))(t)
	if diff := bare(again); !reflect.DeepEqual(built, diff) {
		t.Error("is another world")
	}
	large, err := Parse("w.toml", []byte("name = \"w\"\n[[robot]]\nfor_each = { x = { from = -8, to = 8, count = 17 "+
		"}, y = { from = -5, to = 5, count = 11 } }\nname = \"r_{x}_{y}\"\nmodel = \"nubot\"\npose = { x_m = "+
		"\"{x}\", y_m = \"{y}\" }\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err = large.Effective()
	if err == nil || !strings.Contains(err.Error(), "cannot be written as a single file: effective.toml") ||
		strings.Count(string(text), "[[robot]]") != 17*11 {
		t.Errorf("%v, %d bytes", err, len(text))
	}
}

// Drawn values are written, so that the file gives them with any seed.
func TestEffectiveOfDrawnWorlds(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(`name = "w"
[vars]
light = { uniform = [0.5, 1.5] }
[light]
lamp = "{light}"
[[robot]]
for_each = { n = [2, 3] }
name = "r{n}"
model = { choice = ["nubot", "nubot-goalkeeper"] }
pose = { x_m = { uniform = [-5, 5] }, y_m = "{n}", heading_deg = { normal = [0, 100] } }
`)))(t)
	other := must.Get(w.WithSeed(5))(t)
	text := must.Get(other.Effective())(t)
	again := must.Get(Parse("again.toml", text))(t)
	if again.Random() || !reflect.DeepEqual(bare(other), bare(again)) || reflect.DeepEqual(bare(w), bare(again)) {
		t.Errorf("is another world: %s", text)
	}
	for _, want := range []string{
		`(?m)^x_m = -?[\d.]+ +# w.toml:10, drawn from \{ uniform = \[-5, 5\] \} at seed 5$`,
		`(?m)^heading_deg = -?[\d.]+ +# w.toml:10, drawn from \{ normal = \[0, 100\] \} at seed 5$`,
		`(?m)^model = "nubot.*" +# w.toml:9, drawn from \{ choice = \["nubot", "nubot-goalkeeper"\] \} at seed 5$`,
		`(?m)^lamp = [\d.]+ +# w.toml:5, "\{light\}", drawn from .*\{ uniform = \[0.5, 1.5\] \} at seed 5$`,
		`(?m)^seed = 5 +# given beside the file$`,
	} {
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("lacks %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", text[:6000])
	}
}

// FuzzEffective looks for worlds whose effective file is refused or gives another world.
func FuzzEffective(f *testing.F) {
	for _, name := range []string{"nubot-attack", "in-turn", "faults", "spectators"} {
		data := must.Get(Source(name))(f)
		f.Add(data)
	}
	f.Add([]byte("name = 'x'\ninclude = ['nubot-attack']\n[[area]]\nname = 'a'\ncircle = { x_m = 1, y_m = 2, " +
		"radius_m = 1 }\n[[event]]\nname = 'e'\nwhen = { all = [{ in_area = { name = 'ball', area = 'a' } }, { not = " +
		"{ ball_held = {} } }], for_s = 1 }\nkick = { robot = 'cyan1', way = 'lob' }\n" +
		"[[expect]]\nname = 'f'\nnever = { happened = { event = 'e' } }\nwithin_s = 3\n[light]\nlamp = { uniform = " +
		"[0, 1] }\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Parse("fuzz.toml", data)
		if err != nil {
			return
		}
		text, err := w.Effective()
		if err != nil {
			if len(text) > schema.MaxBytes/4 {
				return
			}
			t.Fatal(err)
		}
		again := must.Get(Parse("again.toml", text))(t)
		if want, got := bare(w.standalone(besideNothing)), bare(again.standalone(besideNothing)); !reflect.DeepEqual(
			want, got) {
			t.Errorf("is another world: %s", cmp.Diff(want, got, exported))
		}
	})
}
