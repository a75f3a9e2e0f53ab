//go:build cgo

package omnipitch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// crowd returns a world of n robots of the model nubot that request no images.
func crowd(t testing.TB, n int) *worlds.World {
	t.Helper()
	w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Objects))
	w.Obstacles = nil
	nubot := w.Robots[0]
	w.Robots = nil
	const across = 20
	for i := range n {
		r := nubot
		r.Name, r.Number, r.Team = fmt.Sprintf("robot%d", i), i/2+1, []physics.Team{physics.Cyan, physics.Magenta}[i%2]
		r.Pose = worlds.Pose{X: 0.8 * (float64(i%across) - float64(across)/2), Y: 0.8*float64(i/across) - 5.5}
		r.Sensors = slices.Clone(nubot.Sensors)
		w.Robots = append(w.Robots, r)
	}
	return w
}

// Data that robots of one model share is made only once. Without this, two hundred robots took 1.6 GB and 16 s to make.
// A team has numbers for at most 99 robots.
func TestRobotsOfOneModelAreMadeOnce(t *testing.T) {
	w := crowd(t, 2*99)
	allocs.AtMost(t, 400<<20, func() { simtest.New(t, w, omnipitch.Options{}).Steps(2) })
}

func BenchmarkStart(b *testing.B) {
	w := crowd(b, 2*99)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(omnipitch.New(w, omnipitch.Options{}))(b).Close()
	}
}

// A Sim reports events, verdicts and faults in the step in which they happen, including time 0, and before the state of
// that step. It reports none while it skips.
func TestListenersHearWhatHappens(t *testing.T) {
	world := simtest.Parse(t, `
name = "arena"
physics = { engine = "planar" }
time = { step_ms = 10 }
[[robot]]
name = "cyan1"
model = "differential"
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
`)
	sim := simtest.New(t, world, omnipitch.Options{OnVerdict: func(expectation.Verdict) {}})
	var reported []string
	report := func(parts ...any) { reported = append(reported, strings.TrimSpace(fmt.Sprint(parts...))) }
	sim.Match().OnEvent(func(e *worlds.Event) { report("event ", e.Name) })
	sim.Match().OnVerdict(func(v expectation.Verdict) { report(v.Name, " ", v.Outcome) })
	sim.Sensors().OnFault(func(robot, sensor string, fault sensors.Fault) { report(robot, ".", sensor, " ", fault) })
	sim.OnStep(func(s *physics.Snapshot) { report(s.Step) })
	sim.Steps(3)
	sim.Must(&action.HealSensor{Robot: "cyan1", Sensor: "imu"})
	sim.Steps(1)
	const want = "event dawn, 0, early passed, event twice, 1, cyan1.imu off, event, 2, event twice, 3, cyan1.imu, 4"
	if got := strings.Join(reported, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if list := sim.Match().Expectations(); len(list) != 2 || !list[0].Decided || list[1].Decided ||
		list[1].Outcome != expectation.Passed || !list[1].Begun || !list[1].Holds {
		t.Errorf("got %+v", list)
	}
	reported = nil
	skip := func(do func() error) {
		t.Helper()
		must.Do(t, sim.Replay().Skip(func() time.Duration { return 0 }, do))
	}
	skip(func() error { return sim.Replay().RestartNow(world) })
	skip(func() error { sim.Steps(5); return nil })
	sim.Steps(1)
	must.Equal(t, reported, []string{"event dawn", "0", "6"}, "while skipping")
}
