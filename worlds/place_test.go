package worlds

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// parsePlace returns a world with one robot and a text about a place.
func parsePlace(t *testing.T, text string) (*World, error) {
	t.Helper()
	return Parse("w.toml", []byte("name = \"w\"\n[[robot]]\nname = \"cyan1\"\nmodel = \"differential\"\npose = { x_m = -7 }\n[ball]\nx_m = -7\ny_m = 1\n"+
		text))
}

func TestBoxesOfAWall(t *testing.T) {
	for name, c := range map[string]struct {
		wall string
		want []string // x, y, z of the centre, sizes, heading in degrees
	}{
		"one segment": {"points = [[0, 0], [4, 0]]", []string{"2.00 0.00 1.25, 4.00 0.10 2.50, 0"}},
		"corner": {"points = [[0, 0], [4, 0], [4, 3]]",
			[]string{"2.02 0.00 1.25, 4.05 0.10 2.50, 0", "4.00 1.48 1.25, 3.05 0.10 2.50, 90"}},
		"blunt corner": {"points = [[0, 0], [1, 0], [2, 1]]", []string{
			fmt.Sprintf("%.2f 0.00 1.25, %.2f 0.10 2.50, 0", (1+0.05*math.Tan(math.Pi/8))/2,
				1+0.05*math.Tan(math.Pi/8)),
			"1.49 0.49 1.25, 1.43 0.10 2.50, 45"}},
		"closed": {"points = [[0, 0], [4, 0], [4, 3], [0, 3]]\nclosed = true", []string{
			"2.00 0.00 1.25, 4.10 0.10 2.50, 0", "4.00 1.50 1.25, 3.10 0.10 2.50, 90",
			"2.00 3.00 1.25, 4.10 0.10 2.50, 180", "0.00 1.50 1.25, 3.10 0.10 2.50, -90"}},
		"door and window": {"points = [[0, 0], [0, 6]]\nheight_m = 3\nthickness_m = 0.2\nopening = [" +
			"{ at_m = 4, width_m = 1, bottom_m = 0.8, top_m = 2 }, { at_m = 1 }]",
			[]string{"0.00 0.50 1.50, 1.00 0.20 3.00, 90", "0.00 1.45 2.52, 0.90 0.20 0.95, 90",
				"0.00 2.95 1.50, 2.10 0.20 3.00, 90", "0.00 4.50 0.40, 1.00 0.20 0.80, 90",
				"0.00 4.50 2.50, 1.00 0.20 1.00, 90", "0.00 5.50 1.50, 1.00 0.20 3.00, 90"}},
	} {
		w := must.Get(parsePlace(t, "[[wall]]\n"+c.wall))(t)
		var got []string
		for _, b := range w.Pieces()[0].Boxes {
			got = append(got, fmt.Sprintf("%.2f %.2f %.2f, %.2f %.2f %.2f, %.0f", b.Centre[0], b.Centre[1], b.Centre[2],
				2*b.Half[0], 2*b.Half[1], 2*b.Half[2], b.Heading/spatial.Degree))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got boxes\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Walls without names are numbered, and pieces may not share a name.
func TestNamesOfPieces(t *testing.T) {
	const walls = "[[wall]]\npoints = [[0, 0], [1, 0]]\n[[wall]]\nname = \"north\"\npoints = [[0, 2], [1, 2]]\n" +
		"[[wall]]\npoints = [[0, 4], [1, 4]]\n"
	var got []string
	w := must.Get(parsePlace(t, walls+"[[cylinder]]\nname = \"bin\"\npose = { x_m = 3, y_m = 1 }\nradius_m = 0.2\nheight_m = 0.5\n"))(t)
	for _, p := range w.Pieces() {
		got = append(got, p.Name+" "+p.Path)
	}
	want := []string{"wall1 wall[0]", "north wall[1]", "wall3 wall[2]", "bin cylinder[0]"}
	must.Equal(t, got, want, "pieces")
}

func TestErrorsOfPlaces(t *testing.T) {
	const wall = "[[wall]]\npoints = [[0, 0], [4, 0]]\n"
	for text, want := range map[string]string{
		"[[wall]]\n":                                                   "must be given",
		"[[wall]]\npoints = [[0, 0]]":                                  "points = ",
		"[[wall]]\npoints = [[0, 0], [0, 0]]":                          "must differ from the point before it",
		"[[wall]]\npoints = [[0, 0], [101, 0]]":                        "must lie in [-100, 100]",
		"[[wall]]\npoints = [[0, 0], [1, 0, 2]]":                       "points[1]",
		wall + "opening = [{ at_m = 3.5 }]":                            "the opening ends beyond its segment, which is 4 m long",
		wall + "opening = [{ segment = 1, at_m = 1 }]":                 "segment = 1: the wall has 1 segments",
		wall + "opening = [{ at_m = 1, top_m = 3 }]":                   "must be at most height_m of the wall, 2.5",
		wall + "opening = [{ at_m = 1, bottom_m = 2.2, top_m = 2.1 }]": "must be less than top_m, 2.1",
		wall + "opening = [{ at_m = 1 }, { at_m = 1.5 }]":              "overlaps opening[0] of the same segment",
		wall + "material = { color = \"red\" }":                        "color",
		wall + "[[box]]\nname = \"wall1\"\nsize_m = [1, 1, 1]":         "is already the name of wall[0]",
		"[[box]]\nname = \"b\"\nsize_m = [1, 1, 0]":                    "must lie in [0.01, 100]",
		"[[wall]]\npoints = [[-7, -1], [-7, 1]]":                       "wall wall1",

		"[[cylinder]]\nname = \"c\"\npose = { x_m = -7 }\nradius_m = 1\nheight_m = 1": "cylinder c",
	} {
		_, err := parsePlace(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "w.toml:") {
			t.Errorf("%s\ngot error %v\nwant one with %q and its place", text, err, want)
		}
	}
}
