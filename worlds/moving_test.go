package worlds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Boxes and cylinders with a mass are obstacles, after those of [[obstacle]]; others are props.
func TestPiecesThatMove(t *testing.T) {
	w := must.Get(parsePlace(t, `
[[box]]
name = "shelf"
pose = { x_m = 3 }
size_m = [1, 0.4, 2]
[[box]]
name = "crate"
mass_kg = 12
size_m = [0.6, 0.4, 0.5]
[[cylinder]]
name = "bin"
pose = { x_m = 1 }
mass_kg = 3
radius_m = 0.2
height_m = 0.7
[[obstacle]]
name = "ann"
looks = "person"
pose = { y_m = 3 }
`))(t)
	var got []string
	m := w.Model()
	for i, o := range w.AllObstacles() {
		p := &m.Obstacles[i]
		got = append(got, fmt.Sprintf("%s %s %s %v %v %v %v kg round %v", o.Path(), p.Name, o.Looks, p.SizeX, p.SizeY,
			p.Height, p.Mass, p.Round))
	}
	for _, p := range m.Props {
		got = append(got, p.Form+" "+p.Name)
	}
	want := []string{"obstacle[0] ann person 0.45 0.5 1.75 75 kg round false",
		"box[1] crate box 0.6 0.4 0.5 12 kg round false", "cylinder[0] bin cylinder 0.4 0.4 0.7 3 kg round true",
		"box shelf"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestErrorsOfMotion(t *testing.T) {
	const box, bin = "[[box]]\nname = \"b\"\nsize_m = [1, 1, 1]\n", "[[cylinder]]\nname = \"c\"\nheight_m = 1\n"
	const walk = "walk = { way_points = [{ x_m = 1 }] }\n"
	for _, c := range [][2]string{
		{box + walk, "needs mass_kg: without it the box never moves"},
		{box + "absent = true", "box[0]: absent = true: needs mass_kg"},
		{box + "z_m = 1\nmass_kg = 2", "box[0]: z_m = 1: must be 0 with mass_kg"},
		{box + "mass_kg = 501", "must lie in [0, 500]"},
		{box + "mass_kg = 0.05", "box[0]: mass_kg = 0.05: must lie in [0.1, 500]"},
		{box + "mass_kg = 2\npose.x_m=-7", "box[0].pose: must not overlap with robot[0]"},
		{box + "mass_kg = 2\ndrive = { vx_m_s = 1 }\n" + walk,
			"a body moves in one way, and this one has walk too"},
		{box + "mass_kg = 2\nfollow = { name = \"b\" }", "box[0].follow: name = \"b\": must be another body"},
		{box + "mass_kg = 2\nfollow = { name = \"d\" }", "is neither ball, robot nor obstacle"},
		{box + "[[obstacle]]\nname = \"o\"\nfollow = { name = \"b\" }",
			"is a box that never moves: give it mass_kg"},
		{"[[box]]\nname = \"b\"\nsize_m = [1, 6, 1]\nmass_kg = 2",
			"box[0]: size_m[1] = 6: must lie in [0.05, 5]"},
		{bin + "radius_m = 3\nmass_kg = 2",
			"cylinder[0]: radius_m = 3: the diameter, 6, must lie in [0.05, 5]"},
		{bin + "radius_m = 0.5\nmass_kg = 2\n" + box + "mass_kg = 2\n", "must not overlap with box[0]"},
		{bin + "radius_m = 0.5\n[[box]]\nname = \"c\"\nsize_m = [1, 1, 1]\npose.x_m = 3",
			"is already the name of box[0]"},
	} {
		_, err := parsePlace(t, c[0])
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s\ngot error %v\nwant one with %q", c[0], err, c[1])
		}
	}
}

// Draws are refused until random boxes have room, whether they move or not.
func TestRandomBoxesHaveRoom(t *testing.T) {
	const box = "[[box]]\nname = \"%s\"\nsize_m = [1, 1, 1]\npose = { x_m = { uniform = [-2, 2] } }\n"
	for seed := range uint64(20) {
		text := fmt.Sprintf("seed = %d\n", seed) +
			"name = \"w\"\n[[robot]]\nname = \"r\"\nmodel = \"differential\"\n[ball]\ny_m = 3\n" +
			fmt.Sprintf(box+box, "a", "b") + "mass_kg = 3\n"
		w := must.Get(Parse("w.toml", []byte(text)))(t)
		a, b := w.Boxes[0].Pose.X, w.Boxes[1].Pose.X
		if !(math.Abs(a-b) >= 1) || !(min(math.Abs(a), math.Abs(b)) > 0.5) {
			t.Errorf("seed %d: boxes 1 m wide at %v and %v, want them apart, and from the robot", seed, a, b)
		}
	}
}
