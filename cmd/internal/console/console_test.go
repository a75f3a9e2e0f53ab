package console

import (
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
)

// byHand has nothing told of work but by calls of tick.
func byHand(stop *func()) {
	(*stop)()
	*stop = func() {}
}

// The status is printed after a second of silence, and every few seconds again.
func TestStatusLines(t *testing.T) {
	var out strings.Builder
	l := &Status{out: &out, world: "w"}
	at := func(s float64) {
		out.Reset()
		l.tick(time.Duration(s * float64(time.Second)))
	}
	for _, c := range []struct {
		now        float64
		text, want string
	}{
		{0.5, "building the scene of 200 robots", ""},
		{1, "building the scene of 200 robots", "w: building the scene of 200 robots, 1 s so far\n"},
		{3, "starting the renderer", ""},
		{6, "starting the renderer", "w: starting the renderer, 6 s so far\n"},
		{10.9, "starting the renderer", ""},
		{11, "drawing picture 3 of 30", "w: drawing picture 3 of 30, 11 s so far\n"},
		{12, "", ""}, // something that tells of itself
		{60, "", ""},
		{60.5, "drawing picture 4 of 30", ""},
		{61, "drawing picture 4 of 30", "w: drawing picture 4 of 30, 1 s so far\n"},
	} {
		l.Set(c.text)
		if at(c.now); out.String() != c.want {
			t.Errorf("at %v s: %q, want %q", c.now, out.String(), c.want)
		}
	}
}

// The meter prints the whole run's factor, and that since the last line.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	m := NewMeter(Streams{Err: &out}, time.Minute, func() bool { return false })
	defer m.Close()
	show := func(sim, wall time.Duration) string {
		out.Reset()
		m.Show(omnipitch.Progress{Sim: sim, Wall: wall, Factor: 60, Frames: uint64(20 * sim.Seconds())})
		return out.String()
	}
	for _, c := range []struct {
		sim, wall time.Duration
		want      string
	}{
		{time.Second, time.Second, ""},
		{5 * time.Second, 5 * time.Second, "5.0 of 60.0 s simulated in 5.0 s, real-time factor 1.00, recently 1.00, " +
			"20 frames/s\n"},
		{6 * time.Second, 9 * time.Second, ""},
		{6 * time.Second, 30 * time.Second,
			"6.0 of 60.0 s simulated in 30.0 s, real-time factor 0.20, recently 0.04, " +
				"1 frames/s\n"},
	} {
		if got := show(c.sim, c.wall); got != c.want {
			t.Errorf("at %v: %q, want %q", c.wall, got, c.want)
		}
	}
}

// A counter prints a line every few seconds, whether runs end or not.
func TestCounterLines(t *testing.T) {
	var out strings.Builder
	c := &Counter{out: &out, total: 30}
	for _, x := range []struct {
		now          time.Duration
		done, failed int
		want         string
	}{
		{1 * time.Second, 2, 0, ""},
		{5 * time.Second, 7, 1, "7 of 30 runs, 1 failed, 5 s so far\n"},
		{9 * time.Second, 8, 1, ""},
		{10 * time.Second, 8, 1, "8 of 30 runs, 1 failed, 10 s so far\n"},
	} {
		out.Reset()
		c.Show(x.done, x.failed)
		if c.tick(x.now); out.String() != x.want {
			t.Errorf("at %v: %q, want %q", x.now, out.String(), x.want)
		}
	}
}
