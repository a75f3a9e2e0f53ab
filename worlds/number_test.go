package worlds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Robots without a number take the next free one of their team. A robot with a number keeps it, wherever it is in the
// file.
func TestNumbersOfRobots(t *testing.T) {
	text := minimal
	for i, of := range []string{`team = "cyan"`, `team = "cyan"`, `team = "magenta"`, `team = "cyan"
number = 3`, `team = "cyan"`, "", `team = "magenta"
number = 2`, `model = "nubot-goalkeeper"`, `model = "nubot-goalkeeper"`, `model = "nubot-goalkeeper"
team = "magenta"
number = 7`} {
		text += fmt.Sprintf("[[robot]]\nname = \"r%d\"\npose = { x_m = %d }\n%s\n", i, i-5, of)
		if !strings.Contains(of, "model") {
			text += "model = \"nubot\"\n"
		}
	}
	w := must.Get(Parse("w.toml", []byte(text)))(t)
	var got []int
	for i := range w.Robots {
		got = append(got, w.Robots[i].Number)
		if want := !slices.Contains([]int{3, 6, 9}, i); w.NumberAssigned(i) != want {
			t.Errorf("robot[%d]: its number is assigned: %v, want %v", i, !want, want)
		}
	}
	if want := []int{2, 4, 3, 3, 5, 6, 2, 1, 7, 7}; !slices.Equal(got, want) {
		t.Errorf("numbers %v, want %v", got, want)
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
