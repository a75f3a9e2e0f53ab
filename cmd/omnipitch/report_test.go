package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Times from a microsecond to a minute stand in one unit a line or a column, and in plain digits.
func TestReportKeepsItsUnits(t *testing.T) {
	r := &omnipitch.Report{
		Sim: time.Second, Wall: time.Minute, Steps: 200,
		Lateness:  timesync.Lateness{Steps: 200, Median: 600 * time.Nanosecond, P95: 2500 * time.Microsecond, Worst: 1500 * time.Millisecond},
		Forecasts: []timesync.ForecastScore{{Horizon: time.Second / 10, N: 20, Median: 0.0314, P90: 1.2, WithinUpper: 0.949}},
	}
	for _, latency := range []time.Duration{0, 3 * time.Microsecond, 1740 * time.Microsecond, 57 * time.Millisecond, 12 * time.Second} {
		r.Sensors = append(r.Sensors, pipeline.Report{Robot: "a", Sensor: "b", Level: "raw", Latency: latency})
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
	if want := "forecasts of 0.1 s were off by 3.14 %, median; 90 % by at most 120 %; 95 % took no longer than their upper bound\n"; !strings.Contains(text, want) {
		t.Errorf("no line %q:\n%s", want, text)
	}
	times := regexp.MustCompile(`(?m)\S+ \S*s$`).FindAllString(text, -1)
	want := []string{"1500000.0 µs", "0.00 ms", "0.00 ms", "1.74 ms", "57.00 ms", "12000.00 ms", "0.00 ms", "0.00 ms", "1.74 ms", "57.00 ms", "12000.00 ms"}
	if strings.Join(times, ", ") != strings.Join(want, ", ") {
		t.Errorf("times are %q, want %q", times, want)
	}
}
