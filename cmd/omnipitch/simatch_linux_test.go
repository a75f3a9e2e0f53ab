package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestSimatch plays a scene with a rospy robot and a rospy referee, through the topics and services of NuBot's match
// simulator alone. The referee places the ball. The robot drives there, dribbles it and shoots it into the goal. The
// referee must receive who dribbled and what the ball touched. It sends a player off, to beyond the boards, which on
// this field is where the plugin parks players. It moves robots of both teams with the orientations that it reads.
func TestSimatch(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "simatch-small", "--speed", "2")
	script := func(args ...string) *process {
		return start(t, uri, append([]string{debianPython, "../../testdata/rospy/simatch.py", definitions}, args...)...)
	}
	referee := script("referee", "-1", "2")
	until(t, "the ball to lie where the referee wants it",
		func() bool { return strings.Contains(referee.stdout(), "ball -1.0 2.0") })
	if out := script("player", "nubot2").end(); !regexp.MustCompile(`(?s)holds.*shoots`).MatchString(out) {
		t.Errorf("the player says %q", out)
	}
	out := referee.end()
	for _, want := range []string{`(?m)^dribbles 2$`, `(?m)^dribbles -1$`, `(?m)^touched (hall|rival1)$`,
		`(?m)^goal 9\.`, `(?m)^off (6\.0|5\.99)\d* -9\.8`,
		`(?m)^kept rival1 0\.00\d\nkept rival1 0\.00\d\nkept nubot1 0\.00\d\nkept nubot1 0\.00\d$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the referee says %q, want %s", out, want)
		}
	}
	sim.interrupt()
}
