package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestServosByTheThesis has a rospy program read what a standing humanoid reports by the messages of Bestmann's thesis,
// and let it speak.
func TestServosByTheThesis(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	world := aWorld(t, `
name = "servos"
field = "hsl-9x6"
physics = { engine = "mujoco" }
[[robot]]
name = "kid1"
model = "humanoid-kid"
drive = { level = "joints" }
pose = { heading_deg = -80 }
ros1 = { profiles = ["humanoid"] }
[[robot.sensor]]
name = "images"
kind = "visual_odometry"
[[robot.sensor]]
name = "compass"
kind = "compass"
profile = "visual-compass"
`)
	sim := simulateWorld(t, uri, world)
	out := start(t, uri, debianPython, "../../testdata/rospy/servos.py", definitions, "kid1").end()
	var servos, state int
	var hottest, volts, variance, heading, confidence float64
	var frame string
	n, err := fmt.Sscanf(out, "servos %d %g %g\nodometry %s %g\ncompass %g %g\nstate %d", &servos, &hottest, &volts,
		&frame, &variance, &heading, &confidence, &state)
	if n != 8 || err != nil {
		t.Fatalf("it says %q: %v", out, err)
	}
	if servos != 20 || !(hottest >= 25 && hottest < 60) || !(volts > 11 && volts <= 12) {
		t.Errorf("%d servos of up to %v °C at %v V, want 20 of 25 to 60 °C at 11 to 12 V", servos, hottest, volts)
	}
	if frame != "kid1/images" || !(variance >= 0) {
		t.Errorf("odometry in %s with the variance %v", frame, variance)
	}
	const start = -80 * math.Pi / 180
	if !(math.Abs(heading-start) < 0.5) || !(confidence > 0.9 && confidence < 1) {
		t.Errorf("compass %v with confidence %v, want %v and 0.95", heading, confidence, start)
	}
	must.Equal(t, state, 0, "state")
	sim.await("it to speak", func() bool { return strings.Contains(sim.stderr(), "kid1 says: I check my servos\n") })
}
