//go:build cgo

package condition_test

import (
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// scene is a world with a robot 2 m from the ball, and an expectation for each kind of condition, all of which a
// working robot meets.
const scene = `
name = "scene"
physics = { engine = "planar" }
time = { step_ms = 10 }
ball = { x_m = 2 }
[[robot]]
name = "cyan1"
model = "nubot"
drive = { level = "kinematic" }
sensor = [
  { name = "omni", level = "objects" },
  { name = "front", level = "ideal", image = { width_px = 16, height_px = 16 } },
]
[[obstacle]]
name = "box"
pose = { x_m = 1, y_m = 4 }

[[expect]]
name = "detects"
always = { detects = { robot = "cyan1", sensor = "omni", name = "ball" } }
from_s = 0.5
[[expect]]
name = "sensor_rate"
always = { sensor_rate = { robot = "cyan1", sensor = "imu", over_hz = 98, under_hz = 102 } }
from_s = 1
[[expect]]
name = "image_brightness"
always = { image_brightness = { robot = "cyan1", sensor = "front", over = 0.45, under = 0.55 } }
from_s = 0.5
[[expect]]
name = "level"
never = { level = { robot = "cyan1", sensor = "omni", is = "truth" } }
[[expect]]
name = "line_of_sight"
always = { line_of_sight = { from = "cyan1", to = "ball" } }
[[expect]]
name = "near"
always = { near = { name = "cyan1", of = "ball", within_m = 2.1 } }
[[expect]]
name = "apart"
always = { apart = { names = ["cyan1", "ball", "box"], at_least_m = 1 } }
[[expect]]
name = "contact"
never = { contact = { name = "ball" } }
[[expect]]
name = "speed"
always = { speed = { name = "ball", under_m_s = 0.1 } }
[[expect]]
name = "ball_held"
never = { ball_held = { team = "cyan" } }
[[expect]]
name = "score"
always = { score = { team = "cyan", at_most = 0 } }
[[expect]]
name = "game_state"
always = { game_state = { phase = "playing" } }
`

// judged runs a world for two seconds, and returns its verdicts by their names.
func judged(t *testing.T, text string) (simtest.Sim, map[string]expectation.Verdict) {
	t.Helper()
	sim := simtest.New(t, simtest.Parse(t, text), omnipitch.Options{NewRenderer: simtest.Grey})
	all := map[string]expectation.Verdict{}
	for _, v := range sim.RunFor(2 * time.Second).Verdicts {
		all[v.Name] = v
	}
	return sim, all
}

// A running world meets each condition. If the subject of one condition is broken after 1.5 s, this condition fails,
// and the others are still met.
func TestConditionsOfRunningWorlds(t *testing.T) {
	_, whole := judged(t, scene)
	if len(whole) != 12 {
		t.Fatalf("%d verdicts", len(whole))
	}
	for _, v := range whole {
		if v.Outcome != expectation.Passed {
			t.Errorf("nothing is broken: %v", v)
		}
	}
	for _, c := range []struct{ action, fails, may, was string }{
		{`break_sensor = { robot = "cyan1", sensor = "omni", fault = "black" }`, "detects", "",
			"cyan1.omni detected ball at 1.4"},
		{`break_sensor = { robot = "cyan1", sensor = "imu", fault = "off" }`, "sensor_rate", "",
			"rate of cyan1.imu 98 Hz"},
		{`break_sensor = { robot = "cyan1", sensor = "front", fault = "black" }`, "image_brightness", "",
			"brightness of cyan1.front 0.000"},
		{`set_level = { robot = "cyan1", sensor = "omni", level = "truth" }`, "level", "", "cyan1.omni at level truth"},
		{`place = { name = "box", x_m = 1.2 }`, "line_of_sight", "detects apart", "box between cyan1 and ball"},
		{`place = { name = "ball", x_m = 2.2 }`, "near", "", "cyan1 2.20 m from ball"},
		{`place = { name = "box", x_m = 2, y_m = 0.9 }`, "apart", "", "ball 0.90 m from box"},
		{`place = { name = "ball", x_m = 1.6, y_m = 4, vx_m_s = -1 }`, "contact", "near apart speed detects",
			"ball touches box"},
		{`place = { name = "ball", x_m = 2, vy_m_s = 0.2 }`, "speed", "", "speed of ball 0.20 m/s"},
		{`game_command = { command = "goal", team = "cyan" }`, "score", "", "score 1 : 0 (cyan : magenta)"},
		{`game_command = { command = "stop" }`, "game_state", "", "game stopped, first_half"},
		{"dribble = { robot = \"cyan1\", enable = true }\n[[event]]\nat_s = 1.5\nplace = { name = \"ball\", x_m = " +
			"0.34 }", "ball_held", "apart contact speed detects", "ball held by cyan1"},
	} {
		_, broken := judged(t, scene+"[[event]]\nat_s = 1.5\n"+c.action+"\n")
		for name, v := range broken {
			failed := v.Outcome == expectation.Failed
			if failed != (name == c.fails) && !strings.Contains(c.may, name) || failed && v.At < 1500*time.Millisecond {
				t.Errorf("%s: %v", c.action, v)
			}
		}
		if v := broken[c.fails]; !strings.HasPrefix(v.Was, c.was) {
			t.Errorf("%s: %v: want %s", c.action, v, c.was)
		}
	}
}

// A restart judges the world from scratch with new conditions. The listeners of the old conditions are removed.
func TestConditionsRestart(t *testing.T) {
	sim, _ := judged(t, scene+"[[event]]\nat_s = 1.9\ngame_command = { command = \"goal\", team = \"cyan\" }\n")
	run := func() (verdicts []expectation.Verdict, readings uint64) {
		report := sim.RunFor(time.Second)
		for _, s := range report.Sensors {
			if s.Sensor == "imu" {
				readings = s.Frames
			}
		}
		return report.Verdicts, readings
	}
	must.Do(t, sim.Restart(nil))
	verdicts, readings := run()
	for _, v := range verdicts {
		if v.Outcome == expectation.Failed {
			t.Errorf("of the run before: %v", v)
		}
	}
	if readings < 98 {
		t.Errorf("%d readings of the imu in a second for conditions, want 100", readings)
	}
	plain, _, _ := strings.Cut(scene, "[[expect]]")
	must.Do(t, sim.Restart(simtest.Parse(t, plain)))
	if verdicts, readings := run(); len(verdicts) != 0 || readings != 0 {
		t.Errorf("%d readings of the imu without conditions, want 0; verdicts %v", readings, verdicts)
	}
}
