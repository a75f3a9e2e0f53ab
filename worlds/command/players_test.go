//go:build cgo

package command_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// played makes a Sim on the planar engine with one robot, whose player drives back and forth along x. more is appended
// to the world file.
func played(t testing.TB, more string) simtest.Sim {
	t.Helper()
	w := must.Get(worlds.Parse("w.toml", []byte(`
name = "w"
[physics]
engine = "planar"
[ball]
y_m = 5
[[robot]]
name = "cyan2"
model = "nubot"
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], heading_deg = 0 } }
`+more)))(t)
	return simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
}

// driving returns the axis along which the first robot drives: "x", "y" or neither.
func driving(sim simtest.Sim) string {
	v := sim.Truth().Robots[0].TwistWBInW.Lin
	switch x, y := math.Abs(v[0]), math.Abs(v[1]); {
	case x <= 0.01 && y <= 0.01:
		return "none"
	case x > 3*y:
		return "x"
	case y > 3*x:
		return "y"
	}
	return "both"
}

// wantDriving runs until a sim time in seconds, and checks along which axis the first robot then drives.
func wantDriving(t *testing.T, sim simtest.Sim, at float64, want, what string) {
	t.Helper()
	sim.Steps(int(math.Round((at - sim.Truth().Time.Seconds()) / 0.005)))
	if got := driving(sim); got != want {
		t.Errorf("%s: drives along %s at %v s, want %s", what, got, at, want)
	}
}

func TestActionsOverrideAPlayerForAWhileOrForGood(t *testing.T) {
	for name, c := range map[string]struct{ events, soon, later string }{
		"none":       {"", "x", "x"},
		"a while":    {"drive = { robot = \"cyan2\", vy_m_s = 1, for_s = 1.5 }", "y", "x"},
		"for good":   {"drive = { robot = \"cyan2\", vy_m_s = 1 }", "y", "y"},
		"follow":     {"follow = { robot = \"cyan2\", way_points = [{ y_m = 2 }], heading_deg = 0 }", "y", "x"},
		"another":    {"play = { robot = \"cyan2\", hold = { pose = { y_m = 2 } } }", "y", "none"},
		"rest":       {"play = { robot = \"cyan2\", rest = {} }", "none", "none"},
		"sent off":   {"send_off = { robot = \"cyan2\" }", "none", "none"},
		"not a kick": {"kick = { robot = \"cyan2\", way = \"flat\", speed_m_s = 3 }", "x", "x"},
		"two in turn": {"drive = { robot = \"cyan2\", vx_m_s = 1, for_s = 20 }\n[[event]]\nat_s = 0.1\ndrive = { " +
			"robot = \"cyan2\", vy_m_s = 1, for_s = 1.4 }", "y", "x"},
	} {
		events := ""
		if c.events != "" {
			events = "[[event]]\nat_s = 0.05\n" + c.events + "\n"
		}
		sim := played(t, events)
		wantDriving(t, sim, 1.4, c.soon, name)
		wantDriving(t, sim, 5.8, c.later, name)
	}
}

// A robot at rest rests again after an action of limited duration.
func TestAfterAWhileARobotRests(t *testing.T) {
	sim := played(t, "[[robot]]\nname = \"cyan3\"\nmodel = \"nubot\"\npose = { y_m = 3 }\n[[event]]\ndrive = { robot "+
		"= \"cyan3\", vx_m_s = 1, for_s = 1 }\n")
	sim.Steps(180)
	if v := sim.Truth().Robots[1].TwistWBInW.Lin.Len(); !(math.Abs(v-1) <= 0.02) {
		t.Errorf("drives %.3f m/s after 0.9 s, want 1", v)
	}
	sim.Steps(200)
	if v := sim.Truth().Robots[1].TwistWBInW.Lin.Len(); !(v <= 1e-6) {
		t.Errorf("drives %.3g m/s a second after the drive has ended", v)
	}
}

func TestAPlayerYieldsToTheRobotsOwnProgram(t *testing.T) {
	sim := played(t, "")
	wantDriving(t, sim, 1, "x", "its player")
	must.Do(t, sim.Do(&action.Dribble{Robot: "cyan2", Enable: true}))
	wantDriving(t, sim, 3, "none", "its program dribbles alone")
	limits := player.Limits{Speed: 1, Accel: 2}
	must.Do(t, sim.Do(&action.Play{Robot: "cyan2", Choice: player.Choice{Hold: &player.Hold{Limits: limits,
		Pose: &player.Pose{X: 0.5, Y: -5}}}}))
	wantDriving(t, sim, 4.5, "y", "an action has it played again")
	if err := sim.Do(&action.Drive{Robot: "cyan2", VX: math.NaN()}); err == nil {
		t.Fatal("a command that is no number is taken")
	}
	wantDriving(t, sim, 4.6, "y", "a command is refused")
	must.Do(t, sim.Do(&action.Drive{Robot: "cyan2", VX: 1}))
	wantDriving(t, sim, 6, "x", "its program drives")
}

// Users are notified once per robot whose player has stopped for a program.
func TestUsersLearnWhosePlayerHasStopped(t *testing.T) {
	sim := played(t, "")
	var said []string
	sim.Clock().Every(100*time.Millisecond, func(time.Duration) {
		if err := sim.Do(&action.Play{Robot: "cyan2",
			Choice: player.Choice{Hold: &player.Hold{Limits: player.Limits{Speed: 1, Accel: 2}}}},
			&action.Drive{Robot: "cyan2", VX: 1}); err != nil {
			t.Error(err)
		}
	})
	must.Get(sim.Run(context.Background(), omnipitch.Pace{For: time.Second, Speed: timesync.Max,
		Notify: func(text string) { said = append(said, text) }}))(t)
	if want := "cyan2 is commanded by its own program: its scripted player has stopped"; len(said) != 1 ||
		said[0] != want {
		t.Errorf("says %q, want %q, once", said, want)
	}
}

// A restart restarts the players, except for robots that their programs command.
func TestPlayersBeginAgainWithTheWorld(t *testing.T) {
	sim := played(t, "")
	sim.Steps(600)
	first := sim.Truth().Hash()
	must.Do(t, sim.Restart(nil))
	sim.Steps(600)
	if again := sim.Truth().Hash(); again != first {
		t.Errorf("state %x after 3 s, %x when it has begun again", first, again)
	}
	must.Do(t, sim.Do(&action.Drive{Robot: "cyan2", VY: 1}))
	must.Do(t, sim.Restart(nil))
	sim.Steps(1) // the world restarts
	wantDriving(t, sim, 1.5, "x", "after a command of before")
	must.Do(t, sim.Restart(nil))
	must.Do(t, sim.Do(&action.Drive{Robot: "cyan2", VY: 1}))
	sim.Steps(1) // the world restarts
	wantDriving(t, sim, 1.5, "y", "after a command of the new program")
}

// A command that comes after a restart was requested counts for the restarted world. If a second restart drops it, the
// player goes on.
func TestAPlayerGoesOnAfterADroppedCommand(t *testing.T) {
	sim := played(t, "")
	restarts := 0
	sim.Clock().OnTick(func(now time.Duration) { // the robot's world restarts while it announces its time 0
		if now == 0 && restarts == 1 {
			restarts++
			must.Do(t, sim.Restart(nil))
		}
	})
	sim.Steps(20)
	restarts++
	must.Do(t, sim.Restart(nil))
	must.Do(t, sim.Do(&action.Drive{Robot: "cyan2", VY: 1}))
	sim.Steps(1) // in the world that began with the first restart
	if v := sim.Truth().Robots[0].TwistWBInW.Lin[0]; !(v > 0) {
		t.Errorf("the robot drives at %v m/s in its player's direction, want more than 0", v)
	}
	wantDriving(t, sim, 0.5, "x", "its player")
}

// A player replaces the player of an included file completely.
func TestAnIncludedPlayerIsReplaced(t *testing.T) {
	w := must.Get(worlds.Parse("w.toml", []byte("name = \"w\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = "+
		"\"cyan1\"\nplayer = { hold = {} }\n")))(t)
	if key, _, err := w.Robots[0].Player.Behaviour(); key != "hold" || err != nil {
		t.Errorf("%q, %v", key, err)
	}
	if w.Robots[1].Player != nil && strings.HasPrefix(w.Robots[1].Name, "magenta") {
		t.Error("the other robot has a player")
	}
}
