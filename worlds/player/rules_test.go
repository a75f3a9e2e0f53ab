package player_test

import (
	"testing"
)

// all is twelve robots that together have every behaviour.
var all = cyan("x_m = -3", "chase_ball = { shoot_goal = true }") +
	robot("cyan1", "nubot-goalkeeper", "cyan", "x_m = -8.5", "keeper = {}") +
	robot("cyan3", "nubot", "cyan", "x_m = -3, y_m = 3", `pass_between = { with = ["cyan4"] }`) +
	robot("cyan4", "nubot", "cyan", "x_m = -3, y_m = -3", `pass_between = { with = ["cyan3"] }`) +
	robot("cyan5", "differential", "cyan", "x_m = -5",
		"patrol = { way_points = [{ x_m = 5, y_m = 4 }, { x_m = -5 }] }") +
	robot("magenta1", "nubot-goalkeeper", "magenta", "x_m = 8.5, heading_deg = 180", `keeper = { path = "line" }`) +
	robot("magenta2", "nubot", "magenta", "x_m = 3", `mark = { robot = "cyan2" }`) +
	robot("magenta3", "nubot", "magenta", "x_m = 3, y_m = 3", `mark = { robot = "cyan3", against = "goal" }`) +
	robot("magenta4", "mecanum", "magenta", "x_m = 3, y_m = -3", "chase_ball = { bring_to = { x_m = -5 } }") +
	robot("magenta5", "nubot", "magenta", "x_m = 5, y_m = 1", "hold = {}") +
	robot("magenta6", "nubot", "magenta", "x_m = 1, y_m = -5", "flee = {}") +
	robot("cyan6", "nubot", "cyan", "x_m = -1, y_m = -5", "herd = { to = { x_m = 7, y_m = -4 } }") + obstacle

func TestPlayersRepeat(t *testing.T) {
	var hashes []uint64
	for range 2 {
		m := kickOff(t, all)
		m.run(t, 20, nil)
		hashes = append(hashes, m.now.Hash())
	}
	if hashes[0] != hashes[1] {
		t.Errorf("two runs end with states %x and %x", hashes[0], hashes[1])
	}
}

func TestPlayersAllocateNothing(t *testing.T) {
	m := kickOff(t, all)
	m.run(t, 5, nil)
	if n := testing.AllocsPerRun(2000, func() { m.step(t) }); n > 0 {
		t.Errorf("a step of all players allocates %v times", n)
	}
}
