package replay

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// busy returns a world with an engine, images, players, events, a fault, and a referee that decides often.
func busy(t testing.TB, engine string) *worlds.World {
	t.Helper()
	w := must.Get(worlds.Parse("busy.toml", []byte(`
name = "busy"
seed = 4
referee = "auto"
[rules]
stop_s = 0.1
place_min_s = 0.1
place_s = 0.2
take_s = 0.1
dribble_m = 0.1
half_s = 1
half_time_s = 0.2
[physics]
engine = "`+engine+`"
[[robot]]
for_each = [{ name = "a", x = -2 }, { name = "b", x = 0 }, { name = "c", x = 2 }]
name = "{name}"
model = "nubot"
pose = { x_m = "{x}" }
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "objects", image = { width_px = 24, height_px = 24 } },
]
[robot.player.chase_ball]
[[event]]
at_s = 0.25
every_s = 0.3
place = { name = "ball", y_m = 1, vx_m_s = 2 }
[[event]]
at_s = 0.5
set_light = { lamp = 0.3, over_s = 1 }
[[event]]
at_s = 0.7
break_sensor = { robot = "b", sensor = "omni", fault = "freeze" }
`)))(t)
	return w
}

// witness collects the output of a Sim, for all sensors or for one.
type witness struct{ content []string }

func follow(t testing.TB, sim *omnipitch.Sim, only string) *witness {
	t.Helper()
	w := &witness{}
	note := func(args ...any) { w.content = append(w.content, fmt.Sprintln(args...)) }
	sim.OnStep(func(s *physics.Snapshot) { note("state", s.Step, s.Hash(), sim.Match().Game()) })
	sim.Sensors().OnLevel(func(c omnipitch.LevelChange) { note("level", c) })
	sim.Match().OnDecision(func(d *referee.Decision) {
		note("decision", d.Step, d, d.PlaceW, d.BallW, d.Robots, d.Basis)
	})
	for _, r := range sim.World().Robots {
		for _, c := range r.Sensors {
			if only != "" && r.Name+"."+c.Name != only {
				continue
			}
			must.Get(sim.Listen(r.Name, c.Name, omnipitch.Listener{Observe: func(o *sensors.Observation) {
				sum := fnv.New64a()
				if o.Color != nil {
					sum.Write(o.Color.Pix)
				}
				fmt.Fprintf(sum, "%+v %+v %+v", o.Objects, o.Features, o.Reading)
				note(o.Robot, o.Sensor, o.Level, o.Frame, o.Stamp, sim.Truth().Time, sum.Sum64())
			}}))(t)
		}
	}
	return w
}

func steps(t testing.TB, sim *omnipitch.Sim, n int, before func(i int)) {
	t.Helper()
	for i := range n {
		if before != nil {
			before(i)
		}
		if err := sim.Step(); err != nil {
			t.Fatalf("after %d steps: %v", i, err)
		}
	}
}

// record records a run with commands from two goroutines and a restart with another seed. It returns the output of the
// run.
func record(t testing.TB, path string, w *worlds.World, exact bool, n int) *witness {
	t.Helper()
	return recordWith(t, path, w, recorder.Config{Exact: exact}, n, func(int, *omnipitch.Sim) {})
}

// recorded returns a run of a world and its recording. The caller closes both.
func recorded(t testing.TB, path string, w *worlds.World, cfg recorder.Config) (*recorder.Recorder, *omnipitch.Sim) {
	t.Helper()
	rec := must.Get(recorder.New(path, w, cfg))(t)
	var opts omnipitch.Options
	rec.Hook(&opts)
	sim := must.Get(omnipitch.New(w, opts))(t)
	rec.Follow(sim)
	return rec, sim
}

// recordWith also calls a function before each step.
func recordWith(t testing.TB, path string, w *worlds.World, cfg recorder.Config, n int,
	also func(i int, sim *omnipitch.Sim)) *witness {
	t.Helper()
	cfg.Program = "test"
	rec, sim := recorded(t, path, w, cfg)
	defer sim.Close()
	seen := follow(t, sim, "")
	var outside sync.WaitGroup
	turns := make(chan struct{}, 2)
	for k, robot := range []string{"a", "b"} {
		outside.Go(func() {
			random := rand.New(rand.NewPCG(uint64(k), 1))
			for range turns {
				for range random.IntN(100) {
					runtime.Gosched()
				}
				var err error
				switch random.IntN(8) {
				case 0:
					err = sim.Do(&action.SetLevel{Robot: robot, Sensor: "front",
						Level: []abstraction.Level{abstraction.Truth, abstraction.Objects,
							abstraction.Raw}[random.IntN(3)]})
				case 1:
					place := &action.Place{Name: robot, X: 4 * random.Float64(), Y: 4 * random.Float64()}
					sim.Clock().After(0, func(time.Duration) { _ = sim.Do(place) })
				default:
					err = sim.Do(&action.Drive{Robot: robot, VX: random.Float64(), Omega: random.NormFloat64()},
						&action.Dribble{Robot: robot, Enable: true})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	steps(t, sim, n, func(i int) {
		also(i, sim)
		if i == 2*n/3 {
			another, err := w.WithSeed(9)
			if err == nil {
				err = sim.Restart(another)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if i%4 == 0 {
			turns <- struct{}{}
		}
	})
	close(turns)
	outside.Wait()
	must.Do(t, rec.Close())
	return seen
}

func replayed(t testing.TB, path string, opts omnipitch.Options, cfg Config) (*Recording, *Replay) {
	t.Helper()
	r := must.Get(Open(path))(t)
	t.Cleanup(func() { r.Close() })
	sim := must.Get(r.NewSim(t.Context(), opts, cfg))(t)
	t.Cleanup(sim.Close)
	return r, sim
}

// A replay shows the same as the run: states, game, levels, and observations with images. This holds for replays of
// exact states and for those that run the world again, and for recordings with messages of ROS 1 and of ROS 2.
func TestReplayShowsTheRun(t *testing.T) {
	for _, c := range []struct {
		engine      string
		exact, ros2 bool
	}{{"planar", true, false}, {"planar", false, false}, {"ode", true, false}, {"ode", false, false},
		{"planar", true, true}, {"planar", false, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) { replayShowsTheRun(t, c.engine, c.exact, c.ros2) })
	}
}

func replayShowsTheRun(t *testing.T, engine string, exact, ros2 bool) {
	const n = 300
	path := filepath.Join(t.TempDir(), "a.mcap")
	was := recordWith(t, path, busy(t, engine), recorder.Config{Exact: exact, ROS2: ros2}, n,
		func(int, *omnipitch.Sim) {})
	if !slices.ContainsFunc(was.content, func(line string) bool { return strings.HasPrefix(line, "decision") }) {
		t.Error("the referee decided nothing")
	}
	for _, cfg := range []Config{{}, {Engine: true}, {Check: true}} {
		r, sim := replayed(t, path, omnipitch.Options{}, cfg)
		for _, c := range r.Channels() {
			def := must.Get(c.Definition())(t)
			must.Equal(t, [2]bool{c.Encoding == recording.ROS2Encoding, def.ROS2()}, [2]bool{ros2, ros2}, "%s", c.Topic)
		}
		is := follow(t, sim.Sim, "")
		steps(t, sim.Sim, n, nil)
		if diff := cmp.Diff(was.content, is.content); diff != "" {
			t.Fatalf("%+v: (-was +is)\n%.2000s", cfg, diff)
		}
		if got, want := r.Length(), time.Duration(n)*5*time.Millisecond; got != want ||
			len(r.Episodes) != 2 || r.Exact != exact || r.Damage() != nil {
			t.Errorf("length %v, want %v; episodes %+v, exact %v, damage %v", got, want, r.Episodes,
				r.Exact, r.Damage())
		}
		if checked, _, parting := sim.Verdict(); cfg.Check && (checked != n+2 || parting != nil) {
			t.Errorf("%d steps are the recording's, want %d; parts %+v", checked, n+2, parting)
		}
		if marks, _, err := r.Marks(); err != nil || len(marks) == 0 {
			t.Errorf("got %d marks and error %v, want some", len(marks), err)
		}
	}
}

// A sensor on another level sees the recorded states, also after restarts.
func TestReplayOnAnotherLevel(t *testing.T) {
	const n = 300
	for _, exact := range []bool{true, false} {
		t.Run(fmt.Sprint("exact ", exact), func(t *testing.T) { replayOnAnotherLevel(t, exact, n) })
	}
}

func replayOnAnotherLevel(t *testing.T, exact bool, n int) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	was := record(t, path, busy(t, "planar"), exact, n)
	other := busy(t, "planar")
	other.Robots[0].Sensors[0].Level = abstraction.Truth
	r, sim := replayed(t, path, omnipitch.Options{}, Config{World: other})
	is := follow(t, sim.Sim, "a.omni")
	steps(t, sim.Sim, n, nil)
	states := func(all []string) (only []string) {
		for _, line := range all {
			if strings.HasPrefix(line, "state ") {
				only = append(only, line)
			}
		}
		return only
	}
	if diff := cmp.Diff(states(was.content), states(is.content)); diff != "" || len(r.Episodes) != 2 {
		t.Errorf("%d episodes; (-was +is)\n%.2000s", len(r.Episodes), diff)
	}
	if len(is.content) < len(states(is.content))+20 {
		t.Errorf("the camera showed little: %d lines", len(is.content))
	}
}

// A replay from any moment shows the same as the run from then on. It starts at the key frame before, or runs the world
// again.
func TestReplayFromAnyMoment(t *testing.T) {
	const n = 3900 // both episodes have key frames
	for _, engine := range []string{"planar"} {
		path := filepath.Join(t.TempDir(), engine+".mcap")
		was := record(t, path, busy(t, engine), true, n)
		for _, at := range []int{0, 1003, 2603, 3604} {
			from := time.Duration(at) * 5 * time.Millisecond
			for _, cfg := range []Config{{From: from}, {From: from, Engine: true}} {
				if cfg.Engine && at != 1003 && at != 2603 {
					continue
				}
				_, sim := replayed(t, path, omnipitch.Options{}, cfg)
				is := follow(t, sim.Sim, "")
				// all frames that were in flight at the key frame are delivered by now; those of upper levels had no
				// listener
				steps(t, sim.Sim, 60, nil)
				before := len(is.content)
				steps(t, sim.Sim, 60, nil)
				if len(is.content) < 60 || !contains(was.content, is.content[before:]) {
					t.Errorf("%s from %v, %+v: differs from the run:\n%.1000s", engine, from, cfg, is.content[before:])
				}
			}
		}
	}
}

// contains reports whether part is a part of whole.
func contains(whole, part []string) bool {
	for i := range whole {
		if len(whole)-i >= len(part) && slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// A recording has every decision of the referee.
func TestDecisionsAreRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	was := record(t, path, busy(t, "planar"), false, 300)
	decoder := must.Get(recorder.NewDecoder[msg.Decision]("omnipitch_msgs/Decision"))(t)
	var got []string
	for _, data := range recordedTopics(t, path)[recorder.Decisions] {
		var m msg.Decision
		must.Do(t, decoder.Decode(recording.Message{Channel: &recording.ChannelInfo{}, Data: []byte(data)}, &m))
		got = append(got, fmt.Sprintf("decision %d %.3f s: %s: %s", m.Step, m.Header.Stamp.Since().Seconds(), m.Rule,
			m.Reason))
	}
	var want []string
	for _, line := range was.content {
		if strings.HasPrefix(line, "decision ") {
			want = append(want, line)
		}
	}
	if len(want) == 0 || !slices.EqualFunc(want, got, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// When the world restarts, open expectations get their verdict at the end of the episode. No message of a recording
// lies after the end of the run.
func TestVerdictsOfEpisodes(t *testing.T) {
	w := must.Get(worlds.Parse("again.toml", []byte(`
name = "again"
[physics]
engine = "planar"
[[robot]]
name = "cyan1"
model = "nubot"
[[event]]
at_s = 0.1
reset = {}
[[expect]]
name = "open"
eventually = { speed = { name = "ball", over_m_s = 9 } }
`)))(t)
	path := filepath.Join(t.TempDir(), "a.mcap")
	rec, sim := recorded(t, path, w, recorder.Config{})
	defer sim.Close()
	steps(t, sim, 50, nil)
	must.Do(t, rec.Close())
	messages, _ := takeApart(t, path)
	var got []time.Duration
	for _, m := range messages {
		if m.log > 250*time.Millisecond {
			t.Errorf("%s has a message at %v, in a run of 250 ms", m.topic, m.log)
		}
		if m.topic == recorder.Verdicts {
			got = append(got, m.log)
		}
	}
	must.Equal(t, got, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}, "verdicts at")
}
