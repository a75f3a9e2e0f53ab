package player_test

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/worlds"
)

func TestPlayersAreCheckedAtTheirPlaces(t *testing.T) {
	keeper := robot("k", "nubot-goalkeeper", "cyan", "x_m = -8", "")
	for _, c := range []struct{ text, want string }{
		{cyan("", "chase = {}"),
			`w.toml:7:12: robot[0].player: chase = {}: unknown key, must be one of rest, hold, patrol`},
		{cyan("", "hold = {}, rest = {}"),
			`w.toml:7:1: robot[0].player: has rest and hold: a player needs one behaviour`},
		{cyan("", ""), ""},
		{cyan("", "rest = {}"), ""},
		{cyan("", "hold = { speed_m_s = 0 }"), `w.toml:7:21: robot[0].player.hold: speed_m_s = 0: must lie in (0, 20]`},
		{cyan("", "patrol = {}"), `w.toml:7:12: robot[0].player.patrol: way_points: must be given`},
		{cyan("", "patrol = { way_points = [] }"),
			`w.toml:7:23: robot[0].player.patrol: way_points = []: must have at least 1`},
		{cyan("", "patrol = { way_points = [{ x_m = 99 }] }"),
			`w.toml:7:39: robot[0].player.patrol.way_points[0]: x_m = 99: must lie in [-50, 50]`},
		{cyan("", "chase_ball = { shoot_goal = true, bring_to = {} }"),
			`w.toml:7:12: robot[0].player.chase_ball: must have at most one of bring_to, shoot_goal and shoot_at`},
		{strings.Replace(keeper, "pose", "player = { chase_ball = { shoot_goal = true } }\npose", 1),
			`robot[0].player.chase_ball: shoot_goal = true: the robot has no kicker`},
		{strings.Replace(keeper, "pose", "player = { pass_between = { with = [\"a\"] } }\npose", 1),
			`robot[0].player.pass_between: the robot needs a kicker and a dribbler`},
		{cyan("", "keeper = { path = \"circle\" }"),
			`w.toml:7:23: robot[0].player.keeper: path = "circle": must be one of arc, line`},
		{cyan("", `pass_between = { with = ["cyan3"] }`),
			`w.toml:7:37: robot[0].player.pass_between: with[0] = "cyan3": there is no such robot`},
		{cyan("", `pass_between = { with = ["cyan2"] }`), `with[0] = "cyan2": must be another robot`},
		{cyan("", `pass_between = { with = ["k", "k"] }`) + keeper,
			`w.toml:7:42: robot[0].player.pass_between: with[1] = "k": is named twice`},
		{cyan("", "mark = {}"), `w.toml:7:12: robot[0].player.mark: robot: must be given`},
		{cyan("", `mark = { robot = "cyan9" }`),
			`w.toml:7:21: robot[0].player.mark: robot = "cyan9": there is no such robot`},
		{cyan("", `mark = { robot = "cyan2" }`), `robot = "cyan2": must be another robot`},
		{cyan("", "") + "[[event]]\nplay = { robot = \"cyan3\", rest = {} }\n",
			`event[0].play: robot = "cyan3": there is no such robot`},
		{cyan("", "") + "[[event]]\nplay = { robot = \"cyan2\" }\n",
			`event[0].play: a player needs one behaviour of rest, hold`},
		{cyan("", "") + "[[event]]\nplay = { robot = \"cyan2\", mark = { robot = \"cyan9\" } }\n",
			`w.toml:8:36: event[0].play: mark.robot = "cyan9": there is no such robot`},
		{cyan("", "") + "[[event]]\nfollow = { robot = \"cyan3\", way_points = [{}] }\n",
			`event[0].follow: robot = "cyan3": there is no such robot`},
		{cyan("", "") + "[[event]]\ndrive = { robot = \"cyan2\", vx_m_s = 1, for_s = -1 }\n",
			`event[0].drive: for_s = -1: must lie in [0, 1000000]`},
	} {
		_, err := worlds.Parse("w.toml", []byte("name = \"w\"\n"+c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s\ngot %v\nwant %s", c.text, err, c.want)
		}
	}
}

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

func BenchmarkTenPlayers(b *testing.B) {
	m := kickOff(b, all)
	m.run(b, 5, nil)
	for b.Loop() {
		for i, p := range m.players {
			p.Command(&m.now, &m.commands[i])
		}
	}
}
