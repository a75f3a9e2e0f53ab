package main

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/exit"
)

// The coach of a running simulation commands its game, and tells a team something; what it cannot mean is said, and
// changes nothing.
func TestCoach(t *testing.T) {
	uri, _ := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", uri)
	if code, _, stderr := command(t, "coach", "game", "stop"); code != exit.CodeLacking || !strings.Contains(stderr,
		"no ROS master answers") {
		t.Errorf("without a simulation: exit code %d, %s", code, stderr)
	}
	world := aWorld(t, `
name = "coached"
include = ["nubot-attack"]
[[expect]]
name = "kick-off"
eventually = { game_state = { phase = "set_piece", set_piece = "kickoff", team = "magenta" } }
`)
	sim := simulateWorld(t, uri, world, "--level", "*=objects")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"tell", "test", "--team", "cyan", "--test-mode", "4", "--a", "2,1,90", "--id-a", "3"}, exit.CodeDone,
			""},
		{[]string{"tell", "--team", "cyan"}, exit.CodeDone, ""},
		{[]string{"game", "dance"}, exit.CodeBadInput, `"dance"`},
		{[]string{"game", "kickoff"}, exit.CodeBadInput, "must be cyan or magenta"},
		{[]string{"tell", "own_dance"}, exit.CodeBadInput, `"own_dance"`},
		{[]string{"tell", "--a", "1"}, exit.CodeBadInput, "must be X,Y or X,Y,DEG"},
		{[]string{"tell", "--a", "1,x"}, exit.CodeBadInput, `"x" must be a number`},
		{[]string{"tell", "--team", "green"}, exit.CodeBadInput, "green"},
		{[]string{"game", "kickoff", "magenta"}, exit.CodeDone, ""},
	} {
		if code, _, stderr := command(t, append([]string{"coach"}, c.args...)...); code != c.code ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("coach %s: exit code %d, want %d; %s", strings.Join(c.args, " "), code, c.code, stderr)
		}
	}
	if v := sim.interrupt().Expect; len(v) != 1 || v[0].Outcome != "passed" {
		t.Errorf("verdicts: %+v", v)
	}
}
