//go:build cgo

package omnipitch_test

import (
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// watched is a world with a robot that has all sensors which detect bodies.
const watched = `name = "watched"
look = "plain"
ball = { x_m = -1, y_m = 1.5 }
[[robot]]
name = "watcher"
model = "nubot"
pose = { x_m = -2 }
  [[robot.sensor]]
  name = "omni"
  rate_hz = 10
  image = { width_px = 160, height_px = 120 }
  [[robot.sensor]]
  name = "laser"
  kind = "laser"
  level = "ideal"
  mount = { z_m = 0.28 }
  [[robot.sensor]]
  name = "sonar"
  kind = "sonar"
  level = "truth"
  mount = { x_m = 0.2, z_m = 0.3 }
`

// others are a robot and a box in front of that robot. The box hides a part of the robot.
const others = `
[[robot]]
name = "guest"
model = "nubot"
team = "magenta"
pose = { x_m = 1 }
absent = true
  [[robot.sensor]]
  name = "omni"
  level = "objects"
[[obstacle]]
name = "box"
size_x_m = 0.3
size_y_m = 0.3
absent = true
`

// absentCache is what the runs of TestAbsentBodiesAreNotSeen share.
var absentCache = &omnipitch.Cache{}

// observations runs a world for a second, and returns the observations of one of its robots.
func observations(t *testing.T, text, robot string, level abstraction.Level, draw func(*render.Scene) (render.Renderer,
	error), events ...worlds.Event) (seen []string) {
	t.Helper()
	w := simtest.Parse(t, text)
	simtest.Sensor(t, w, "watcher", "omni").Level = level
	w.Robots[0].Sensors = slices.DeleteFunc(w.Robots[0].Sensors, func(c sensors.Config) bool {
		return c.Name != "omni" && c.Name != "laser" && c.Name != "sonar"
	})
	w.Events = events
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: draw, Cache: absentCache})
	sim.OnAll(func(o *sensors.Observation) {
		if o.Robot == robot {
			seen = append(seen, simtest.Describe(o))
		}
	})
	sim.Steps(200)
	return seen
}

// A robot with absent bodies observes what it observes without them, at all levels. It observes something else while
// they are there, and the same as before after they have left.
func TestAbsentBodiesAreNotSeen(t *testing.T) {
	come := []worlds.Event{
		at(300, action.Choice{Spawn: &action.Spawn{Place: action.Place{Name: "guest", X: 1}}}),
		at(300, action.Choice{Spawn: &action.Spawn{Place: action.Place{Name: "box"}}}),
	}
	leave := []worlds.Event{
		at(600, action.Choice{Delete: &action.Delete{Name: "guest"}}),
		at(600, action.Choice{Delete: &action.Delete{Name: "box"}}),
	}
	tile, caster := backend.Tile, backend.RayCaster
	for _, c := range []struct {
		name  string
		level abstraction.Level
		draw  func(*render.Scene) (render.Renderer, error)
	}{
		{"images of the tile renderer", abstraction.Raw, tile}, {"images of the ray caster", abstraction.Ideal, caster},
		{"features", abstraction.Features, nil}, {"objects", abstraction.Objects, nil},
		{"truth", abstraction.Truth, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone := observations(t, watched, "watcher", c.level, c.draw)
			absent := observations(t, watched+others, "watcher", c.level, c.draw)
			must.Equal(t, len(absent), len(alone), "observations")
			for i := range alone {
				must.Equal(t, absent[i], alone[i], "an observation with absent bodies")
			}
			visited := observations(t, watched+others, "watcher", c.level, c.draw, slices.Concat(come, leave)...)
			must.Equal(t, len(visited), len(alone), "observations of visitors")
			for i, o := range visited {
				kept := o == alone[i]
				// each sensor observes at least every 100 ms, and delivers within 100 ms
				if first, last := i < len(visited)/4, i > len(visited)*3/4; (first || last) && !kept {
					t.Errorf("observation %d is %s, want %s", i, o, alone[i])
				} else if middle := i > len(visited)*45/100 && i < len(visited)*55/100; middle && kept {
					t.Errorf("observation %d does not change while bodies are there: %s", i, o)
				}
			}
		})
	}
}

// The sensors of an absent robot deliver nothing, nothing reaches its programs, and it obeys no command. All of this is
// over when it comes.
func TestAbsentRobotIsSilent(t *testing.T) {
	for _, engine := range []string{"ode", "planar"} {
		w := simtest.Parse(t, watched+others)
		w.Physics.Engine = engine
		sim := simtest.New(t, w, omnipitch.Options{})
		heard := 0
		sim.On("guest", "omni", func(*sensors.Observation) { heard++ })
		guest := func() *physics.RobotState { return &sim.Truth().Robots[1] }
		silent := func(when string) {
			t.Helper()
			heard = 0
			sim.Must(&action.Drive{Robot: "guest", VX: 1})
			sim.Steps(100)
			if heard > 0 || !guest().PoseWB.Absent() || sim.Match().Wired("guest") {
				t.Errorf("%s, %s: %d observations, at %v, wired: %v; want none, absent, false", engine, when, heard,
					guest().PoseWB.Pos, sim.Match().Wired("guest"))
			}
			for _, a := range []action.Action{&action.Place{Name: "guest"}, &action.Push{Name: "guest", For: -1},
				&action.Place{Name: "ball", RelativeTo: "guest"}} {
				must.Fail(t, sim.Do(a), `name = "guest": is absent: action spawn brings it`, when)
			}
		}
		silent("before it comes")
		sim.Must(&action.ResetBodies{})
		silent("after reset_bodies")
		sim.Must(&action.Spawn{Place: action.Place{Name: "guest", X: 1, Y: 2}})
		sim.Steps(100)
		if x := guest().PoseWB.Pos[0]; heard == 0 || !(x > 0.99 && x < 1.01) || !sim.Match().Wired("guest") {
			t.Errorf("%s: %d observations, at x = %v, wired: %v; want some, at rest at 1, true", engine, heard, x,
				sim.Match().Wired("guest"))
		}
		sim.Must(&action.Drive{Robot: "guest", VX: 1}, &action.Push{Name: "guest", FX: 10, For: -1})
		sim.Steps(100)
		sim.Must(&action.Delete{Name: "guest"})
		sim.Steps(int(200 * time.Millisecond / w.Time.Step)) // deliveries of frames that it took before
		silent("after it left")
		must.Do(t, sim.Sim.Restart(sim.World()))
		sim.Steps(1)
		silent("after a restart")
	}
}

// The ball is always there, and what the world does not have cannot come.
func TestSpawnErrors(t *testing.T) {
	sim := simtest.New(t, simtest.Parse(t, watched+others), omnipitch.Options{})
	for _, c := range []struct {
		a    action.Action
		want string
	}{
		{&action.Spawn{Place: action.Place{Name: "ball"}}, `name = "ball": the ball is always there: place moves it`},
		{&action.Delete{Name: "ball"}, `name = "ball": the ball is always there: place moves it`},
		{&action.Delete{Name: "nobody"}, `name = "nobody": is neither ball, robot nor obstacle`},
		{&action.Spawn{Place: action.Place{Name: "guest", RelativeTo: "box"}},
			`name = "box": is absent: action spawn brings it`},
		{&action.Spawn{Place: action.Place{Name: "guest", X: 60}}, "x_m = 60: must lie in [-50, 50]"},
	} {
		err := sim.Post(nil, c.a)
		if err == nil {
			err = sim.Do(c.a)
		}
		must.Fail(t, err, c.want, "a bad action")
	}
}
