package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestDetections checks that a rospy program without the message packages decodes the results of a vision. They come as
// vision_msgs and as the humanoid league's messages, in the shipped world that shows the levels.
func TestDetections(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "ladder", "--seed", "3")
	out := start(t, uri, debianPython, "../../testdata/rospy/detections.py", definitions, "cyan1", "omni",
		"omni_pixels").end()
	said := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		said[what] = rest
	}
	var x, y, z, sigma float64
	if n, err := fmt.Sscanf(said["3d"], "ball %g %g %g %g", &x, &y, &z, &sigma); n != 4 || err != nil {
		t.Fatalf("it says %q", out)
	}
	// An event moves the ball at 2 s.
	if off := min(math.Hypot(x-3, y-0.5), math.Hypot(x-1, y-2.5)); !(off <= 0.1+5*sigma) || !(sigma > 1e-3) ||
		!(sigma < 0.3) || !(math.Abs(z-0.11) <= 0.01) {
		t.Errorf("the ball is at (%v, %v, %v) ± %v", x, y, z, sigma)
	}
	var u, v, width, hu, hv, diameter float64
	if n, _ := fmt.Sscanf(said["2d"], "ball %g %g %g", &u, &v, &width); n != 3 {
		t.Errorf("it says %q", out)
	}
	if n, _ := fmt.Sscanf(said["humanoid"], "%g %g %g", &hu, &hv, &diameter); n != 3 || u != hu || v != hv ||
		width != diameter || !(width > 2) {
		t.Errorf("vision_msgs have the ball at (%v, %v) of %v, the humanoid league's at (%v, %v) of %v", u, v, width,
			hu, hv, diameter)
	}
	var points int
	if n, _ := fmt.Sscanf(said["points"], "%d", &points); n != 1 || points < 20 {
		t.Errorf("%q points of lines", said["points"])
	}
	for what, want := range map[string]string{"game": "3 True", "team": "3",
		"joints": "front_pan front_tilt wheel1 wheel2 wheel3 wheel4"} {
		if said[what] != want {
			t.Errorf("%s: %q, want %q", what, said[what], want)
		}
	}
	sim.interrupt()
}
