package omnipitch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// A Sim reports events, verdicts and faults in the step in which they happen, including time 0, and before the state of
// that step. It reports none while it skips.
func TestSimTellsWhatHappens(t *testing.T) {
	world, err := worlds.Parse("arena.toml", []byte(arena+`
[[robot.sensor]]
kind = "imu"
name = "imu"
rate_hz = 100
[[event]]
name = "dawn"
[[event]]
at_s = 0.02
break_sensor = { robot = "cyan1", sensor = "imu", fault = "off" }
[[event]]
name = "twice"
at_s = 0.01
every_s = 0.02
times = 2
[[expect]]
name = "early"
eventually = { happened = { event = "twice" } }
[[expect]]
name = "all"
always = { not = { happened = { event = "never" } } }
[[event]]
name = "never"
at_s = 100
`))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := New(world, Options{OnVerdict: func(expectation.Verdict) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	var told []string
	sim.Match().OnEvent(func(e *worlds.Event) {
		name := e.Name
		if name == "" {
			name = "unnamed"
		}
		told = append(told, name)
	})
	sim.Match().OnVerdict(func(v expectation.Verdict) { told = append(told, v.Name+" "+string(v.Outcome)) })
	sim.Sensors().OnFault(func(robot, sensor string, fault sensors.Fault) {
		told = append(told, strings.TrimSpace(robot+"."+sensor+" "+string(fault)))
	})
	sim.OnStep(func(s *physics.Snapshot) { told = append(told, fmt.Sprint(s.Step)) })
	step := func() {
		t.Helper()
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		step()
	}
	if err := sim.Do(&action.HealSensor{Robot: "cyan1", Sensor: "imu"}); err != nil {
		t.Fatal(err)
	}
	step()
	if got, want := strings.Join(told, ", "), "dawn, 0, early passed, twice, 1, cyan1.imu off, unnamed, 2, twice, 3, "+
		"cyan1.imu, 4"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if list := sim.Match().Expectations(); len(list) != 2 || !list[0].Decided || list[1].Decided ||
		list[1].Outcome != expectation.Passed || !list[1].Begun || !list[1].Holds {
		t.Errorf("got %+v", list)
	}
	told = nil
	if err := sim.Replay().Skip(func() time.Duration { return 0 },
		func() error { return sim.Replay().RestartNow(world) }); err != nil {
		t.Fatal(err)
	}
	if err := sim.Replay().Skip(func() time.Duration { return 0 }, func() error {
		for range 5 {
			step()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	step()
	if want := []string{"dawn", "0", "6"}; !slices.Equal(told, want) {
		t.Errorf("skipping: told %q, want %q", told, want)
	}
}
