package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestMarkers has a rospy program compare the markers for rviz and other viewers with their subjects. It compares
// markers of the truth and of reports with these, and image markers with the pixels of their images.
func TestMarkers(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	// At this speed a busy machine has the time to receive all messages of a stamp.
	sim := simulateWorld(t, uri, "pass", "--seed", "1", "--level", "cyan2.front=raw", "--speed", "0.3")
	out := start(t, uri, debianPython, "../../testdata/rospy/markers.py", definitions, "cyan2", "omni", "front").end()
	said := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		said[what] = rest
	}
	scan := func(what string, into ...any) {
		t.Helper()
		if n, err := fmt.Sscan(said[what], into...); n != len(into) || err != nil {
			t.Fatalf("%s: %q of %q: %v", what, said[what], out, err)
		}
	}
	var lines, arcs, goals, n, dots int
	scan("field", &lines, &arcs, &goals)
	// Three lines along and across, two of goals, three around each of four areas; four corners and a circle; two posts
	// and a bar of each goal.
	if lines != 17 || arcs < 100 || goals != 6 || !strings.HasSuffix(said["field"], "arcs field goals spots") {
		t.Errorf("the field has %q", said["field"])
	}
	var off, sector float64
	if scan("truth", &n, &off); n < 10 || !(off < 1) {
		t.Errorf("markers of the truth are %v mm off in %d messages", off, n)
	}
	if scan("report", &n, &off, &sector); n < 10 || !(off < 1e-3) || !(sector < 1e-3) {
		t.Errorf("markers of reports are %v mm off in %d messages, their sectors %v m or rad", off, n, sector)
	}
	var pixels, outside, far, carpet int
	// A pixel at the edge may have the ball's colour although its centre is outside the ball.
	if scan("image", &n, &pixels, &outside, &far, &carpet); n < 5 || pixels < 300 || outside*50 > pixels ||
		far*200 > pixels || carpet*20 > pixels {
		t.Errorf("of %d pixels of the ball's colour %d are outside of its outline, %d by more than a pixel, and %d "+
			"of the carpet's are inside, in %d images", pixels, outside, far, carpet, n)
	}
	if scan("marked", &n, &dots); n < 3 || dots != 0 {
		t.Errorf("%d points of lines are not drawn in %d images", dots, n)
	}
	if scan("annotations", &n, &dots); n < 5 || dots != 0 {
		t.Errorf("%d points of annotations are off in %d messages", dots, n)
	}
	sim.interrupt()
}
