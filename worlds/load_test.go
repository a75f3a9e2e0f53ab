package worlds

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// exported makes package cmp compare the keys of worlds.
var exported = cmpopts.IgnoreUnexported(World{}, Prop{}, Robot{}, Floor{}, Material{})

// sameWorld compares two worlds by the contents of their files.
func sameWorld(t *testing.T, got, want *World) {
	t.Helper()
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnotherSeed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.toml")
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("below.toml", minimal+"seed = 5\n"+robot)
	write("w.toml", minimal+"include = [\"./below.toml\"]\nfield = \"./mine.toml\"\n")
	field := must.Get(Source("msl-22x14"))(t)
	write("mine.toml", string(field))
	w := must.Get(Load(path))(t)
	seven := must.Get(LoadWithSeed(path, 7))(t)
	if w.Seed != 5 || seven.Seed != 7 {
		t.Errorf("seeds %d and %d, want 5 and 7", w.Seed, seven.Seed)
	}
	for _, name := range []string{"w.toml", "below.toml", "mine.toml"} { // no file is read again
		must.Do(t, os.Remove(filepath.Join(dir, name)))
	}
	again := must.Get(w.WithSeed(7))(t)
	sameWorld(t, again, seven)
	if again.file.Own("seed") || !again.file.Bound("seed") {
		t.Error("the places of its keys are not known")
	}
	again.Robots[0].Sensors[0].Name = "another"
	if w.Robots[0].Sensors[0].Name == "another" {
		t.Error("two worlds share their robots")
	}
	back := must.Get(again.WithSeed(5))(t)
	sameWorld(t, back, w)
}

func TestAnotherSeedOfAWorldBuiltInGo(t *testing.T) {
	w := &World{Name: "w", Seed: 1}
	other, err := w.WithSeed(2)
	if err != nil || other.Seed != 2 || other.Name != "w" || w.Seed != 1 {
		t.Errorf("%+v, %v", other, err)
	}
}

// Robots without a number get the number at the end of their name, or else the next free one of their team. A robot
// with a number keeps it, wherever it is in the file.
func TestNumbersOfRobots(t *testing.T) {
	for _, names := range []struct {
		format string // of a robot's name
		want   []int
	}{
		{"r%c", []int{2, 4, 3, 3, 5, 6, 2, 1, 7, 7}},  // ra, rb, …: no digit
		{"r%c_", []int{2, 4, 3, 3, 5, 6, 2, 1, 7, 7}}, // none at the end
		{"r%02d", []int{2, 1, 3, 3, 4, 5, 2, 7, 8, 7}},
		{"r%d", []int{2, 1, 3, 3, 4, 5, 2, 7, 8, 7}},   // r2 and r6 are both magenta; r6 has number 2
		{"r99%d", []int{2, 4, 3, 3, 5, 6, 2, 1, 7, 7}}, // too large
	} {
		text := minimal
		for i, of := range []string{`team = "cyan"`, `team = "cyan"`, `team = "magenta"`, `team = "cyan"
number = 3`, `team = "cyan"`, "", `team = "magenta"
number = 2`, `model = "nubot-goalkeeper"`, `model = "nubot-goalkeeper"`, `model = "nubot-goalkeeper"
team = "magenta"
number = 7`} {
			name := fmt.Sprintf(names.format, i)
			if strings.Contains(names.format, "%c") {
				name = fmt.Sprintf(names.format, 'a'+i)
			}
			text += fmt.Sprintf("[[robot]]\nname = %q\npose = { x_m = %d }\n%s\n", name, i-5, of)
			if !strings.Contains(of, "model") {
				text += "model = \"nubot\"\n"
			}
		}
		w := must.Get(Parse("w.toml", []byte(text)))(t)
		var got []int
		for i := range w.Robots {
			got = append(got, w.Robots[i].Number)
			if want := !slices.Contains([]int{3, 6, 9}, i); w.NumberAssigned(i) != want {
				t.Errorf("%s: its number is assigned: %v, want %v", w.Robots[i].Name, !want, want)
			}
		}
		must.Equal(t, got, names.want, "names %s: numbers", names.format)
	}
}

// The number in an included file counts as given.
func TestNumbersOfIncludedRobots(t *testing.T) {
	w, err := Parse("w.toml", []byte("name = \"w\"\ninclude = [\"ten-robots\"]\n[[robot]]\nname = \"sub\"\nmodel = "+
		"\"nubot\"\npose = { y_m = -5.5 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := w.Robot("sub"); !ok || r.Number != 6 {
		t.Errorf("the sixth robot is %+v", r)
	}
}

// The largest number of robots get numbers; the last of a team gets the goalkeeper's.
func TestNumbersOfManyRobots(t *testing.T) {
	w := World{Robots: make([]Robot, maxNumber)}
	w.assignNumbers()
	for i := range w.Robots {
		if got, want := w.Robots[i].Number, i+2; got != want && (i < maxNumber-1 || got != 1) {
			t.Errorf("robot %d has number %d", i, got)
		}
	}
}

// The shipped banner faces x, with its image upright: for a viewer in front of it, the first column of the image is on
// the left, where y is least, and the first row is on top.
func TestBannerIsUpright(t *testing.T) {
	const width, height, low, depth = 3.2, 0.8, 0.27, 0.03 // m
	g := must.Get(new(models.Library).Load("props/banner.glb", 1))(t)
	face := g.Materials[g.Parts[0].Material]
	if face.Pattern != render.Textured {
		t.Fatalf("its face is %+v, want a texture", face)
	}
	if im := face.Texture.Levels[0]; im.Width != 1024 || im.Height != 256 {
		t.Errorf("its image has %d × %d pixels, want 1024 × 256", im.Width, im.Height)
	}
	if n := len(g.Meshes[0].Vertices); n < 27 {
		t.Errorf("its face has %d vertices, want at least those of 8 × 2 squares, because light is computed at corners", n)
	}
	for i, v := range g.Meshes[0].Vertices {
		u := g.Meshes[0].UV[i]
		want := mgl32.Vec3{depth / 2, width * (u[0] - 0.5), low + height*(1-u[1])}
		if !(v.Pos.Sub(want).Len() < 1e-5) || v.Normal != (mgl32.Vec3{1, 0, 0}) {
			t.Fatalf("vertex %d at %v, its normal %v; want %v", i, v.Pos, v.Normal, want)
		}
	}
}
