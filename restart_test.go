package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// witness logs the output of a Sim: the state after each step, and everything that its sensors and radios deliver.
type witness struct {
	sim     *Sim
	content []string
	fail    func(args ...any)
}

func newWitness(t testing.TB, sim *Sim) *witness {
	w := &witness{sim: sim, fail: t.Fatal}
	sim.OnStep(func(s *physics.Snapshot) { w.note("state", s.Step, s.Hash()) })
	sim.Sensors().OnLevel(func(c LevelChange) { w.note("level", c) })
	for _, r := range sim.World().Robots {
		if r.Radio != nil {
			if err := sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
				w.note(r.Name, "hears", from, *m,
					sim.Truth().Time)
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range r.Sensors {
			if _, err := sim.Listen(r.Name, c.Name, Listener{Observe: w.observe}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

func (w *witness) note(args ...any) { w.content = append(w.content, fmt.Sprintln(args...)) }

func (w *witness) observe(o *sensors.Observation) {
	sum := fnv.New64a()
	if o.Color != nil {
		sum.Write(o.Color.Pix)
	}
	fmt.Fprintf(sum, "%+v %+v %+v", o.Objects, o.Features, o.Reading)
	w.note(o.Robot, o.Sensor, o.Level, o.Frame, o.Stamp, w.sim.Truth().Time, sum.Sum64())
}

// play takes some steps with commands that depend on the step. It ends with a level switch, a moved ball and commands
// that no step has taken.
func (w *witness) play(n int) {
	for i := range n {
		err := w.sim.Do(&action.Drive{Robot: "cyan1", VX: 1.5, Omega: float64(i%40) / 10},
			&action.Dribble{Robot: "cyan1", Enable: true})
		if i == n/2 {
			err = errors.Join(err, w.sim.Do(&action.Place{Name: "ball", X: 0.4, Y: 0.2},
				&action.SetBallHandling{Robot: "cyan1", Enable: false},
				&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Features},
				&action.Hang{Name: "board", PoseInAir: action.PoseInAir{X: 1, Z: 1}},
				&action.BreakSensor{Robot: "cyan1", Sensor: "front", Fault: sensors.Frozen},
				&action.BreakSensor{Robot: "cyan1", Sensor: "odometry", Fault: sensors.Off},
				&action.CutWires{Robot: "cyan1"},
				&action.GameCommand{Command: "goal", Team: physics.Cyan}))
		}
		if err = errors.Join(err, w.sim.Step()); err != nil {
			w.fail(err)
		}
	}
}

// restartable is a world with many kinds of state: images, faults, heads, batteries, motors and boards.
func restartable(t testing.TB) *worlds.World {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				c.Image.Width, c.Image.Height, c.Level = 64, 64, abstraction.Objects
			}
		}
	}
	w.Boards = append(w.Boards, worlds.Board{Name: "board", Columns: 5, Rows: 4, Square: 0.1,
		Hang: action.PoseInAir{X: 3, Y: 1, Z: 0.5}})
	w.Events = append(w.Events, worlds.Event{At: 100 * time.Millisecond,
		Choice: action.Choice{Place: &action.Place{Name: "ball", X: 1, VX: 2}}})
	return w
}

// After a restart the Sim gives the same output as a new Sim, bit for bit, whatever happened before. With another seed
// it gives the output of a new Sim with that seed.
func TestRestartEqualsANewSim(t *testing.T) {
	seeded := func(seed uint64) *worlds.World {
		w := restartable(t)
		w.Seed = seed
		return w
	}
	fresh := func(seed uint64) []string {
		sim, err := New(seeded(seed), Options{NewRenderer: backend.RayCaster})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		seen := newWitness(t, sim)
		seen.play(60)
		return seen.content
	}
	one, two := fresh(1), fresh(2)
	if fmt.Sprint(one) == fmt.Sprint(two) {
		t.Fatal("seeds 1 and 2 give the same run: nothing is compared")
	}
	sim, err := New(seeded(1), Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	seen := newWitness(t, sim)
	seen.play(87)
	for i, c := range []struct {
		begin *worlds.World
		want  []string
	}{{nil, one}, {seeded(2), two}, {nil, two}, {seeded(1), one}} {
		if err := sim.Restart(c.begin); err != nil {
			t.Fatal(err)
		}
		seen.content = nil
		seen.play(60)
		for k := range c.want {
			if k >= len(seen.content) || seen.content[k] != c.want[k] {
				t.Fatalf("restart %d: entry %d of %d is\n%vwant, of %d,\n%v", i, k, len(seen.content),
					seen.content[min(k, len(seen.content)-1)], len(c.want), c.want[k])
			}
		}
		seen.play(23)
	}
}

// A restart with a changed file uses the file's bodies. It fails if a property that programs rely on differs.
func TestRestartTakesAnotherWorld(t *testing.T) {
	w := restartable(t)
	sim, err := New(w, Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	steps(t, sim, 10)
	changed := restartable(t)
	changed.Robots[0].Pose.X += 0.25
	changed.Obstacles = append(changed.Obstacles, worlds.Obstacle{Name: "new", Pose: worlds.Pose{X: -3, Y: 2}})
	changed.Obstacles[len(changed.Obstacles)-1].SetDefaults()
	changed.Ball.Radius = 0.15
	if err := sim.Restart(changed); err != nil {
		t.Fatal(err)
	}
	steps(t, sim, 1)
	if got, want := sim.Truth().Step, int64(1); got != want || len(sim.Truth().Obstacles) != len(changed.Obstacles) ||
		sim.World() != changed {
		t.Errorf("step %d, %d obstacles; want step %d and %d obstacles", got, len(sim.Truth().Obstacles), want,
			len(changed.Obstacles))
	}
	if got, want := sim.Truth().Robots[0].PoseWB.Pos[0], changed.Robots[0].Pose.X; !(got-want <= 0.01 &&
		want-got <= 0.01) {
		t.Errorf("the robot is at x = %v, want %v", got, want)
	}
	for what, change := range map[string]func(*worlds.World){
		"robots":    func(w *worlds.World) { w.Robots = w.Robots[:1] },
		"robot[0]":  func(w *worlds.World) { w.Robots[0].Name = "another" },
		"sensor[1]": func(w *worlds.World) { w.Robots[0].Sensors[1].Latency += time.Millisecond },
		"step_ms":   func(w *worlds.World) { w.Time.Step *= 2 },
		"radius_m":  func(w *worlds.World) { w.Ball.Radius = -1 },
	} {
		bad := restartable(t)
		change(bad)
		if err := sim.Restart(bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	steps(t, sim, 1)
	if sim.Truth().Step != 2 {
		t.Errorf("step %d: a world that was refused began", sim.Truth().Step)
	}
}

// A run continues over restarts, paused or not, for its whole length. The periods of its timers do not change.
func TestRestartWhileItRuns(t *testing.T) {
	w := restartable(t)
	w.Events = []worlds.Event{{At: 200 * time.Millisecond, Choice: action.Choice{Reset: &action.Reset{}}}}
	sim, err := New(w, Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	var begins, rings int
	var latest time.Duration
	sim.OnStep(func(s *physics.Snapshot) {
		latest = max(latest, s.Time)
		if s.Step == 0 {
			begins++
		}
	})
	sim.Clock().Every(50*time.Millisecond, func(time.Duration) { rings++ })
	report, err := sim.Run(context.Background(), Pace{For: time.Second, Speed: timesync.Max})
	if err != nil {
		t.Fatal(err)
	}
	if begins != 5 || rings != 20 || latest != 200*time.Millisecond || report.Sim != time.Second ||
		sim.Clock().Epoch() != 4 {
		t.Errorf("began %d times, rang %d times, came to %v, ran %v, epoch %d; want 5, 20, 200ms, 1s, 4", begins, rings,
			latest, report.Sim, sim.Clock().Epoch())
	}

	sim.Clock().Pause()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 {
			cancel() // while the run is paused
		}
	})
	if err := sim.Do(&action.Reset{}); err != nil {
		t.Fatal(err)
	}
	if report, err := sim.Run(ctx, Pace{Speed: timesync.Max}); err != nil || report.Steps != 0 ||
		sim.Truth().Time != 0 {
		t.Errorf("%v, %+v at %v: want a restart while paused, and no step", err, report, sim.Truth().Time)
	}
}

// The action uses the file's world with another seed, and keeps the levels that were set since.
func TestResetToASeed(t *testing.T) {
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; c.Image != nil {
				c.Level = abstraction.Objects
			}
		}
	}
	sim, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	steps(t, sim, 3)
	if err := sim.Do(&action.Reset{Seed: new(uint64(42))}); err != nil {
		t.Fatal(err)
	}
	steps(t, sim, 1)
	level, err := sim.Sensors().Level(w.Robots[0].Name, w.Robots[0].Sensors[0].Name)
	if sim.World().Seed != 42 || sim.Truth().Step != 1 || err != nil || level != w.Robots[0].Sensors[0].Level {
		t.Errorf("seed %d at step %d, level %v (%v); want seed 42 at step 1, level %v", sim.World().Seed,
			sim.Truth().Step, level, err, w.Robots[0].Sensors[0].Level)
	}
}

// Resetting bodies moves them to their start poses, and does not change the time.
func TestResetBodies(t *testing.T) {
	w := restartable(t)
	w.Ball.VX = 1
	sim, err := New(w, Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	first := sim.Truth().Clone()
	newWitness(t, sim).play(40)
	if err := sim.Do(&action.ResetBodies{}); err != nil {
		t.Fatal(err)
	}
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
