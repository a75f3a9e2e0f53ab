package worlds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Bodies of every sort carry a kind, and an opening with a kind becomes a body: the frame around it.
func TestKindsOfBodies(t *testing.T) {
	w := must.Get(parsePlace(t, `
[[obstacle]]
name = "visitor"
looks = "person"
kind = "person"
pose = { x_m = 3 }
[[obstacle]]
name = "crate"
pose = { x_m = 4 }
[[prop]]
name = "seat"
kind = "bench"
file = "props/bench.gltf"
hang = { x_m = 5, y_m = 4 }
[[wall]]
name = "north"
points = [[0, 0], [0, 6]]
opening = [{ at_m = 1 }, { at_m = 3, width_m = 1, top_m = 2, kind = "door" },
  { at_m = 5, width_m = 0.5, bottom_m = 1, top_m = 2, kind = "window", name = "pane" }]
[[box]]
name = "rack"
kind = "shelf"
size_m = [1, 0.4, 2]
pose = { x_m = -2, y_m = 3 }
[[cylinder]]
name = "pillar"
kind = "shelf"
radius_m = 0.2
height_m = 2
pose = { x_m = -4, y_m = 3 }
`))(t)
	must.Equal(t, w.Kinds(), []string{"bench", "door", "person", "shelf", "window"}, "kinds")
	var got []string
	m := w.Model()
	for i := range m.Obstacles {
		got = append(got, m.Obstacles[i].Name+" "+m.Obstacles[i].Kind)
	}
	for i := range m.Props {
		got = append(got, m.Props[i].Name+" "+m.Props[i].Kind)
	}
	want := []string{"visitor person", "crate ", "seat bench", "north ", "north_door2 door", "pane window",
		"rack shelf", "pillar shelf"}
	must.Equal(t, got, want, "bodies")
	frames := map[int][]string{
		2: {"0.00 2.97 1.03, 0.06 0.13 2.06, 90", "0.00 4.03 1.03, 0.06 0.13 2.06, 90",
			"0.00 3.50 2.03, 1.00 0.13 0.06, 90"},
		3: {"0.00 4.97 1.50, 0.06 0.13 1.12, 90", "0.00 5.53 1.50, 0.06 0.13 1.12, 90",
			"0.00 5.25 2.03, 0.50 0.13 0.06, 90", "0.00 5.25 0.97, 0.50 0.13 0.06, 90"},
	}
	for i, want := range frames {
		var got []string
		for _, b := range m.Props[i].Boxes {
			got = append(got, fmt.Sprintf("%.2f %.2f %.2f, %.2f %.2f %.2f, %.0f", b.Centre[0], b.Centre[1], b.Centre[2],
				2*b.Half[0], 2*b.Half[1], 2*b.Half[2], b.Heading/spatial.Degree))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got boxes\n%s\nwant\n%s", m.Props[i].Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestErrorsOfKinds(t *testing.T) {
	const box = "[[box]]\nname = \"b\"\nsize_m = [1, 1, 1]\npose = { x_m = 2 }\n"
	const wall = "[[wall]]\npoints = [[0, 3], [4, 3]]\n"
	for text, want := range map[string]string{
		box + "kind = \"ball\"":                            `w.toml:13:1: box[0]: kind = "ball": is what the simulator calls a part of the game`,
		box + "kind = \"cyan1\"":                           `box[0]: kind = "cyan1": is a robot's name`,
		box + "kind = \"b\"":                               `box[0]: kind = "b": is the name of box[0]`,
		box + "kind = \"hall\"":                            `box[0]: kind = "hall": is all that stands still, in conditions`,
		box + "kind = \"a door\"":                          `box[0]: kind = "a door": must be a name`,
		wall + "opening = [{ at_m = 1, kind = \"goal\" }]": `wall[0].opening[0]: kind = "goal"`,
		wall + "opening = [{ at_m = 1, name = \"d\" }]":    `wall[0]: opening[0].name = "d": needs kind: an opening without a kind is no body`,
		wall + "opening = [{ at_m = 1, kind = \"door\", frame = { color = \"red\" } }]": `wall[0].opening[0].frame: color = "red"`,
	} {
		_, err := parsePlace(t, text)
		must.Fail(t, err, want, text)
	}
}
