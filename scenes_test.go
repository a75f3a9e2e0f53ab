package omnipitch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
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

func judged(t *testing.T, text string) (*Sim, map[string]expectation.Verdict) {
	t.Helper()
	world, err := worlds.Parse("scene.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := New(world, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return &blank{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	report, err := sim.Run(context.Background(), Pace{For: 2 * time.Second, Speed: timesync.Max})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]expectation.Verdict{}
	for _, v := range report.Verdicts {
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
func TestConditionsBeginAgain(t *testing.T) {
	sim, _ := judged(t, scene+"[[event]]\nat_s = 1.9\ngame_command = { command = \"goal\", team = \"cyan\" }\n")
	run := func() *Report {
		report, err := sim.Run(context.Background(), Pace{For: time.Second, Speed: timesync.Max})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if err := sim.Restart(nil); err != nil {
		t.Fatal(err)
	}
	for _, v := range run().Verdicts {
		if v.Outcome == expectation.Failed {
			t.Errorf("of the run before: %v", v)
		}
	}
	if !sim.pipeline.Listened("cyan1", "imu") {
		t.Error("nobody listens to the imu")
	}
	plain, _, _ := strings.Cut(scene, "[[expect]]")
	world, err := worlds.Parse("scene.toml", []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Restart(world); err != nil {
		t.Fatal(err)
	}
	if verdicts := run().Verdicts; len(verdicts) != 0 {
		t.Errorf("got %v", verdicts)
	}
	if sim.pipeline.Listened("cyan1", "imu") {
		t.Error("conditions that are gone listen to the imu")
	}
}
