package simtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/worlds"
)

// Office returns a building of about so many walls, with square rooms. Those near the middle have doors. The robots
// drive around in different rooms near the middle. Each has a laser scanner, a camera, and the sensors of a world
// file's text.
func Office(t testing.TB, walls, robots int, sensors string) *worlds.World {
	t.Helper()
	const room = 2.0
	n := int(math.Sqrt(float64(walls)/2))/2*2 + 1 // an odd number of rooms along each side, one in the middle
	half := room * float64(n) / 2
	var text strings.Builder
	fmt.Fprintf(&text, "name = 'office'\nfield = false\nball = false\nfloor.size_m = [%g, %g]\n", 2*half+2, 2*half+2)
	for i := range n + 1 {
		for j := range n {
			at, from := room*float64(i)-half, room*float64(j)-half
			for _, ends := range []string{fmt.Sprintf("[[%g, %g], [%g, %g]]", at, from, at, from+room),
				fmt.Sprintf("[[%g, %g], [%g, %g]]", from, at, from+room, at)} {
				fmt.Fprintf(&text, "[[wall]]\npoints = %s\n", ends)
				if math.Abs(at) < 15 && math.Abs(from) < 15 && (i+j)%3 != 0 {
					fmt.Fprint(&text, "[[wall.opening]]\nat_m = 0.5\n")
				}
			}
		}
	}
	for i := range robots {
		x, y := room*float64(i%5-2), room*float64(i/5)
		fmt.Fprintf(&text, `[[robot]]
name = "robot%d"
model = "differential"
number = %d
pose = { x_m = %g, y_m = %g }
player.patrol = { back_and_forth = true, way_points = [{ x_m = %g, y_m = %g }, { x_m = %g, y_m = %g }] }
%s
`, i+1, i+1, x, y, x+0.4, y, x-0.3, y+0.3, sensors)
	}
	return Parse(t, text.String())
}
