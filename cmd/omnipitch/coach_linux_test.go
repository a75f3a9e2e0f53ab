package main

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestCoach checks that the coach of a running simulation controls its game and sends a message to a team. An invalid
// command must be bad input and change nothing.
func TestCoach(t *testing.T) {
	uri, _ := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", uri)
	prints(t, console.ExitUnavailable, "no ROS master answers", "coach", "game", "stop")
	world := aWorld(t, `
name = "coached"
include = ["nubot-attack"]
[[expect]]
name = "kick-off"
eventually = { game_state = { phase = "set_piece", set_piece = "kickoff", team = "magenta" } }
`)
	sim := simulateWorld(t, uri, world, "--level", "*=objects")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"tell test --team cyan --test-mode 4 --a 2,1,90 --id-a 3", console.ExitDone, ""},
		{"tell --team cyan", console.ExitDone, ""},
		{"game dance", console.ExitBadInput, `"dance"`},
		{"game kickoff", console.ExitBadInput, "must be cyan or magenta"},
		{"tell own_dance", console.ExitBadInput, `"own_dance"`},
		{"tell --a 1", console.ExitBadInput, "must be X,Y or X,Y,DEG"},
		{"tell --a 1,x", console.ExitBadInput, `"x" must be a number`},
		{"tell --team green", console.ExitBadInput, "green"},
		{"game kickoff magenta", console.ExitDone, ""},
	} {
		prints(t, c.code, c.want, append([]string{"coach"}, strings.Fields(c.args)...)...)
	}
	if v := sim.interrupt().Expect; len(v) != 1 || v[0].Outcome != "passed" {
		t.Errorf("verdicts: %+v", v)
	}
}
