package main

import (
	"fmt"
	"math"
	"testing"
)

// strikerWorld has a humanoid that slides as a whole, a ball in front of it, and expects a goal.
const strikerWorld = `
name = "striker"
field = "hsl-9x6"
physics = { engine = "planar" }
[ball]
x_m = 1.5
y_m = 0.2
[[robot]]
name = "kid2"
number = 2
model = "humanoid-kid"
pose = { x_m = 0.6, y_m = -0.3 }
kicker = { max_speed_m_s = 4, lob_angle_deg = 45 }
ros1 = { profiles = ["humanoid"] }
[[robot.sensor]]
name = "camera"
level = "objects"
vision = { lines = true, localises = true, self_position_noise_m = 0.01, self_heading_noise_deg = 1 }
[[expect]]
name = "goal"
eventually = { score = { team = "cyan", at_least = 1 } }
`

// TestStrikerByTheThesis has a rospy program with the messages of Bestmann's thesis alone localise itself, find the
// ball with its head, walk behind it and score.
func TestStrikerByTheThesis(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, aWorld(t, strikerWorld), "--for", "60s", "--speed", "2")
	out := start(t, uri, debianPython, "../../testdata/rospy/striker.py", definitions, "kid2", "4.5").end()
	var x, y, heading, ballX, ballY float64
	var state, kick int
	if n, err := fmt.Sscanf(out, "position %g %g %g\nball %g %g\nstate %d\nkick %d", &x, &y, &heading, &ballX, &ballY,
		&state, &kick); n != 7 || err != nil {
		t.Fatalf("it says %q: %v", out, err)
	}
	if !(math.Hypot(x-0.6, y+0.3) < 0.2) || !(math.Abs(heading) < 0.2) {
		t.Errorf("it believes to be at (%v, %v), %v rad, want (0.6, -0.3), 0 rad", x, y, heading)
	}
	if !(math.Hypot(ballX-0.9, ballY-0.5) < 0.3) {
		t.Errorf("it sees the ball at (%v, %v), want (0.9, 0.5)", ballX, ballY)
	}
	if succeeded := 3; state != 0 || kick != succeeded {
		t.Errorf("robot_state %d, kick %d, want 0 and %d", state, kick, succeeded)
	}
	if code := sim.exitCode(); code != 0 {
		t.Errorf("exit code %d, want 0: the ball in the goal\n%s", code, sim.stdout())
	}
}
