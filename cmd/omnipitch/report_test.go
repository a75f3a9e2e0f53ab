package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Times from a microsecond to a minute stand in one unit a line or a column, and in plain digits.
func TestReportKeepsItsUnits(t *testing.T) {
	r := &omnipitch.Report{
		Sim: time.Second, Wall: time.Minute, Steps: 200,
		Lateness: timesync.Lateness{Steps: 200, Median: 600 * time.Nanosecond, P95: 2500 * time.Microsecond, Worst: 1500 * time.Millisecond},
	}
	for _, latency := range []time.Duration{0, 3 * time.Microsecond, 1740 * time.Microsecond, 57 * time.Millisecond, 12 * time.Second} {
		r.Sensors = append(r.Sensors, omnipitch.SensorReport{Robot: "a", Sensor: "b", Level: "raw", Latency: latency})
		r.Robots = append(r.Robots, omnipitch.RobotReport{Robot: "a", Commands: 1, Response: latency})
	}
	var out strings.Builder
	if err := printReport(&out, &worlds.World{Name: "w"}, r, false); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if want := "steps began 0.6 µs after they were due, median; 95 % within 2500.0 µs; the latest 1500000.0 µs\n"; !strings.Contains(text, want) {
		t.Errorf("no line %q:\n%s", want, text)
	}
	times := regexp.MustCompile(`(?m)\S+ \S*s$`).FindAllString(text, -1)
	want := []string{"1500000.0 µs", "0.00 ms", "0.00 ms", "1.74 ms", "57.00 ms", "12000.00 ms", "0.00 ms", "0.00 ms", "1.74 ms", "57.00 ms", "12000.00 ms"}
	if strings.Join(times, ", ") != strings.Join(want, ", ") {
		t.Errorf("times are %q, want %q", times, want)
	}
}

// What takes long is told on stderr after a second of silence, and every few seconds again.
func TestLongWorkIsTold(t *testing.T) {
	var out strings.Builder
	l := &longWork{out: &out, world: "w"}
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
		l.begin(c.text)
		if at(c.now); out.String() != c.want {
			t.Errorf("at %v s: %q, want %q", c.now, out.String(), c.want)
		}
	}
}

// Progress tells the whole run's factor, and that since the last line.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	m := newMeter(&out, time.Minute)
	show := func(sim, wall time.Duration) string {
		out.Reset()
		m.show(omnipitch.Progress{Sim: sim, Wall: wall, Factor: 60})
		return out.String()
	}
	for _, c := range []struct {
		sim, wall time.Duration
		want      string
	}{
		{time.Second, time.Second, ""},
		{5 * time.Second, 5 * time.Second, "5.0 s simulated in 5.0 s, real-time factor 1.00, of late 1.00\n"},
		{6 * time.Second, 9 * time.Second, ""},
		{6 * time.Second, 30 * time.Second, "6.0 s simulated in 30.0 s, real-time factor 0.20, of late 0.04\n"},
	} {
		if got := show(c.sim, c.wall); got != c.want {
			t.Errorf("at %v: %q, want %q", c.wall, got, c.want)
		}
	}
}
