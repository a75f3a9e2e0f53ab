package player_test

import (
	"math"
	"testing"
)

func target(name, pose string) string {
	return robot(name, "nubot", "magenta", pose, "flee = { speed_m_s = 1.2 }")
}

// A fleeing robot keeps its place while no opponent is near, evades opponents, and stays within the lines when driven
// against them.
func TestFleeKeepsAwayWithinTheLines(t *testing.T) {
	for name, c := range map[string]struct {
		world     string
		still     bool
		atLeast   float64 // m, smallest distance between the two
		perimeter float64 // m, smallest distance of the centre from the lines
	}{
		"nobody near": {cyan("x_m = -3", "hold = {}") + target("magenta2", "x_m = 0"), true, 3, 0.25},
		"its own team": {robot("a", "nubot", "magenta", "x_m = -1", "hold = {}") + target("magenta2", "x_m = 0"),
			true, 1, 0.25},
		"one comes": {cyan("x_m = -4", "patrol = { speed_m_s = 1, way_points = [{ x_m = 0 }] }") +
			target("magenta2", "x_m = 0"), false, 1.2, 0.25},
		"one follows": {cyan("x_m = -4", "herd = { to = { x_m = 9, y_m = 6 } }") + target("magenta2", "x_m = 0"),
			false, 0.6, 0.2},
		"against the lines": {cyan("x_m = 0", "herd = { to = { x_m = 50 }, home_m = 1 }") + target("magenta2",
			"x_m = 2, y_m = 4"), false, 0.6, 0.2},
	} {
		m := kickOff(t, aside+c.world)
		start, least, lines := m.at(1), math.Inf(1), math.Inf(1)
		m.run(t, 20, func() {
			at := m.at(1)
			least = min(least, at.Sub(m.at(0)).Len())
			lines = min(lines, m.Field.Length/2-math.Abs(at[0]), m.Field.Width/2-math.Abs(at[1]))
		})
		if moved := m.at(1).Sub(start).Len(); !(moved <= 0.01) == c.still {
			t.Errorf("%s: moved by %.2f m", name, moved)
		}
		if !(least >= c.atLeast-0.01) {
			t.Errorf("%s: the other came to within %.2f m, want %.2f at least", name, least, c.atLeast)
		}
		if !(lines >= c.perimeter) {
			t.Errorf("%s: came to within %.2f m of a line, want %.2f at least", name, lines, c.perimeter)
		}
	}
}

// A herding robot brings a robot home from anywhere, and then leaves it alone.
func TestHerdDrivesRobotsHome(t *testing.T) {
	for name, pose := range map[string]string{
		"between": "x_m = 2", "behind": "x_m = -6", "beside": "x_m = -3, y_m = 4",
		"in a corner": "x_m = 8.5, y_m = 5.5", "beyond": "x_m = 8, y_m = -3",
	} {
		m := kickOff(t, aside+cyan("x_m = -3", "herd = { to = { x_m = 4 } }")+target("magenta2", pose))
		reached := -1.0
		m.run(t, 60, func() {
			if reached < 0 && near(m.at(1), 4, 0, 2) {
				reached = m.now.Time.Seconds()
			}
		})
		if reached < 0 {
			t.Errorf("%s: is at %v after a minute", name, m.at(1))
		}
		if speed := m.now.Robots[0].TwistWBInW.Lin.Len(); near(m.at(1), 4, 0, 2) && !(speed <= 0.05) {
			t.Errorf("%s: the other still drives %.2f m/s", name, speed)
		}
	}
}

// Herding robots take one robot each; two take the same one if there is no other.
func TestHerdersShareRobots(t *testing.T) {
	herd := func(name, pose string) string {
		return robot(name, "nubot", "cyan", pose, "herd = { to = { x_m = 7 } }")
	}
	for name, c := range map[string]struct {
		targets string
		want    []int // how many are within 2 m of each
	}{
		"one each": {target("magenta2", "x_m = 0, y_m = 4") + target("magenta3", "x_m = 0, y_m = -4"), []int{1, 1}},
		"both":     {target("magenta2", "x_m = 0, y_m = 2") + target("magenta3", "x_m = 7"), []int{2, 0}},
	} {
		m := kickOff(t, aside+herd("a", "x_m = -4, y_m = 0.5")+herd("b", "x_m = -5, y_m = 0")+c.targets)
		m.run(t, 5, nil)
		for i, want := range c.want {
			got := 0
			for chaser := range 2 {
				if at := m.at(2 + i); near(m.at(chaser), at[0], at[1], 2) {
					got++
				}
			}
			if got != want {
				t.Errorf("%s: %d are near robot %d, want %d", name, got, i, want)
			}
		}
	}
}
