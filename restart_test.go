//go:build cgo

package omnipitch_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// restartable is a world with many kinds of state: images, faults, heads, batteries, motors and boards.
func restartable(t testing.TB) *worlds.World {
	w := simtest.World(t, "ten-robots", simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Image.Width, c.Image.Height, c.Level = 64, 64, abstraction.Objects
		}
	}))
	w.Boards = append(w.Boards, worlds.Board{Name: "board", Columns: 5, Rows: 4, Square: 0.1,
		Hang: action.PoseInAir{X: 3, Y: 1, Z: 0.5}})
	w.Events = append(w.Events, at(100, action.Choice{Place: &action.Place{Name: "ball", X: 1, VX: 2}}))
	return w
}

// restartableSim makes a Sim of a world, and logs its output: the state after each step, and everything that its
// sensors and radios deliver.
func restartableSim(t testing.TB, w *worlds.World) (sim simtest.Sim, log *[]string) {
	t.Helper()
	log = new([]string)
	sim = simtest.New(t, w, omnipitch.Options{NewRenderer: backend.RayCaster})
	note := func(args ...any) { *log = append(*log, fmt.Sprint(args...)) }
	sim.OnStep(func(s *physics.Snapshot) { note("state ", s.Step, " ", s.Hash()) })
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) { note("level ", c) })
	sim.OnAll(func(o *sensors.Observation) { note(sim.Truth().Time, " ", simtest.Describe(o)) })
	for _, r := range w.Robots {
		if r.Radio != nil {
			must.Do(t, sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
				note(sim.Truth().Time, " ", r.Name, " receives from ", from, ": ", *m)
			}))
		}
	}
	return sim, log
}

// play takes some steps with commands that depend on the step. It ends with a level switch, a moved ball and commands
// that no step has taken.
func play(sim simtest.Sim, n int) {
	for i := range n {
		sim.Must(&action.Drive{Robot: "cyan1", VX: 1.5, Omega: float64(i%40) / 10},
			&action.Dribble{Robot: "cyan1", Enable: true})
		if i == n/2 {
			sim.Must(&action.Place{Name: "ball", X: 0.4, Y: 0.2},
				&action.SetBallHandling{Robot: "cyan1", Enable: false},
				&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Features},
				&action.Hang{Name: "board", PoseInAir: action.PoseInAir{X: 1, Z: 1}},
				&action.BreakSensor{Robot: "cyan1", Sensor: "front", Fault: sensors.Frozen},
				&action.BreakSensor{Robot: "cyan1", Sensor: "odometry", Fault: sensors.Off},
				&action.CutWires{Robot: "cyan1"}, &action.SetBallColor{Color: "#e04010"},
				&action.SetLight{Lamp: new(0.3), Over: 100 * time.Millisecond},
				&action.GameCommand{Command: "goal", Team: physics.Cyan})
		}
		sim.Steps(1)
	}
}

// After a restart the Sim gives the same output as a new Sim, bit for bit, whatever happened before. With another seed
// it gives the output of a new Sim with that seed, and with other places at which ball and robots start.
func TestRestartEqualsANewSim(t *testing.T) {
	seeded := func(seed uint64) *worlds.World {
		w := restartable(t)
		w.Seed = seed
		w.Ball.X += float64(seed) / 2
		w.Robots[0].Pose.Y += float64(seed) / 2
		return w
	}
	fresh := func(seed uint64) []string {
		sim, log := restartableSim(t, seeded(seed))
		play(sim, 60)
		return *log
	}
	one, two := fresh(1), fresh(2)
	if slices.Equal(one, two) {
		t.Fatal("seeds 1 and 2 give the same run: nothing is compared")
	}
	sim, log := restartableSim(t, seeded(1))
	play(sim, 87)
	for i, c := range []struct {
		world *worlds.World
		want  []string
	}{{nil, one}, {seeded(2), two}, {nil, two}, {seeded(1), one}} {
		must.Do(t, sim.Restart(c.world))
		*log = nil
		play(sim, 60)
		for k := range c.want {
			if k >= len(*log) || (*log)[k] != c.want[k] {
				t.Fatalf("restart %d: entry %d of %d is\n%v\nwant, of %d,\n%v", i, k, len(*log),
					(*log)[min(k, len(*log)-1)], len(c.want), c.want[k])
			}
		}
		play(sim, 23)
	}
}

// A restart with a changed file uses the file's bodies. It fails if a property that programs rely on differs.
func TestRestartTakesAnotherWorld(t *testing.T) {
	sim, _ := restartableSim(t, restartable(t))
	sim.Steps(10)
	changed := restartable(t)
	changed.Robots[0].Pose.X += 0.25
	changed.Obstacles = append(changed.Obstacles, worlds.Obstacle{Name: "new", Pose: worlds.Pose{X: -3, Y: 2}})
	changed.Obstacles[len(changed.Obstacles)-1].SetDefaults()
	changed.Ball.Radius = 0.15
	must.Do(t, sim.Restart(changed))
	sim.Steps(1)
	if got, want := len(sim.Truth().Obstacles), len(changed.Obstacles); sim.Truth().Step != 1 || got != want ||
		sim.World() != changed {
		t.Errorf("step %d, %d obstacles; want step 1 and %d obstacles", sim.Truth().Step, got, want)
	}
	must.Near(t, "x of the robot", sim.Truth().Robots[0].PoseWB.Pos[0], changed.Robots[0].Pose.X, 0.01)
	for what, change := range map[string]func(*worlds.World){
		"robots":    func(w *worlds.World) { w.Robots = w.Robots[:1] },
		"robot[0]":  func(w *worlds.World) { w.Robots[0].Name = "another" },
		"sensor[1]": func(w *worlds.World) { w.Robots[0].Sensors[1].Latency += time.Millisecond },
		"step_ms":   func(w *worlds.World) { w.Time.Step *= 2 },
		"radius_m":  func(w *worlds.World) { w.Ball.Radius = -1 },
	} {
		bad := restartable(t)
		change(bad)
		must.Fail(t, sim.Restart(bad), what)
	}
	sim.Steps(1)
	if sim.Truth().Step != 2 {
		t.Errorf("step %d, want 2: a world that was refused began", sim.Truth().Step)
	}
}

// A run continues over restarts, paused or not, for its whole length. The periods of its timers do not change.
func TestRestartDuringARun(t *testing.T) {
	w := restartable(t)
	w.Events = []worlds.Event{at(200, action.Choice{Reset: &action.Reset{}})}
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: backend.RayCaster})
	var begins, rings int
	var latest time.Duration
	onBegin := func() {}
	sim.OnStep(func(s *physics.Snapshot) {
		latest = max(latest, s.Time)
		if s.Step == 0 {
			begins++
			onBegin()
		}
	})
	sim.Clock().Every(50*time.Millisecond, func(time.Duration) { rings++ })
	report := sim.RunFor(time.Second)
	if begins != 5 || rings != 20 || latest != 200*time.Millisecond || report.Sim != time.Second ||
		sim.Clock().Epoch() != 4 {
		t.Errorf("began %d times, rang %d times, came to %v, ran %v, epoch %d; want 5, 20, 200ms, 1s, 4", begins, rings,
			latest, report.Sim, sim.Clock().Epoch())
	}
	sim.Clock().Pause()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	onBegin = cancel // while the run is paused
	sim.Must(&action.Reset{})
	if report, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Max}); err != nil || report.Steps != 0 ||
		sim.Truth().Time != 0 {
		t.Errorf("%v, %+v at %v: want a restart while paused, and no step", err, report, sim.Truth().Time)
	}
}

// The action uses the file's world with another seed, and keeps the levels that were set since.
func TestResetToASeed(t *testing.T) {
	sim := planar(t, simtest.AtLevel(abstraction.Objects))
	sim.Steps(3)
	sim.Must(&action.Reset{Seed: new(uint64(42))})
	sim.Steps(1)
	robot := sim.World().Robots[0]
	level := must.Get(sim.Sensors().Level(robot.Name, robot.Sensors[0].Name))(t)
	if sim.World().Seed != 42 || sim.Truth().Step != 1 || level != robot.Sensors[0].Level {
		t.Errorf("seed %d at step %d, level %v; want seed 42 at step 1, level %v", sim.World().Seed,
			sim.Truth().Step, level, robot.Sensors[0].Level)
	}
}

// Resetting bodies moves them to their start poses, and does not change the time.
func TestResetBodies(t *testing.T) {
	w := restartable(t)
	w.Ball.VX = 1
	sim, _ := restartableSim(t, w)
	first := sim.Truth().Clone()
	play(sim, 40)
	sim.Must(&action.ResetBodies{})
	now := sim.Truth()
	if now.Time != 200*time.Millisecond || now.Ball.PosW != first.Ball.PosW ||
		now.Ball.TwistInW != first.Ball.TwistInW {
		t.Errorf("at %v: ball %+v, want %+v", now.Time, now.Ball, first.Ball)
	}
	for i := range now.Robots {
		if now.Robots[i].PoseWB != first.Robots[i].PoseWB || now.Robots[i].TwistWBInW != first.Robots[i].TwistWBInW {
			t.Errorf("robot %d is at %+v, want %+v", i, now.Robots[i].PoseWB, first.Robots[i].PoseWB)
		}
	}
}

// A run that ends does not wait for random values of a restart: an event's restart is left out, and one from outside is
// an error.
func TestRestartWhileTheRunEnds(t *testing.T) {
	w := simtest.World(t, "penalty")
	w.Events = append(w.Events, at(50, action.Choice{End: &action.End{}}),
		at(50, action.Choice{Reset: &action.Reset{Seed: new(uint64(7))}}))
	sim := simtest.New(t, w, omnipitch.Options{})
	var outside error
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 10 { // the event has ended the run's context
			outside = sim.Do(&action.Reset{Seed: new(uint64(8))})
		}
	})
	report := must.Get(sim.Run(t.Context(), omnipitch.Pace{}))(t)
	must.Equal(t, report.Steps, 10, "steps")
	must.Fail(t, outside, "the run has ended before random values were found")
	must.Do(t, sim.Step())
	must.Equal(t, sim.Truth().Step, 11, "step after one more: no restart is pending")
}
