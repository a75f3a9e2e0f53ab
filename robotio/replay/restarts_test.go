package replay

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// restartingWorld resets itself after 8 steps.
const restartingWorld = `
name = "restarting"
physics = { engine = "planar" }
[[robot]]
name = "a"
model = "nubot"
sensor = [{ name = "omni", level = "objects" }, { name = "front", level = "objects" }]
player = { chase_ball = {} }
[[event]]
at_s = 0.04
reset = {}
`

// A script is what a user does during a run: the keys are numbers of steps before which the run is paused, and the
// values are the requests of each pause. Between two requests in a list, the paused run answers. Requests that are
// in one function come in the same answer. The key announced has the requests that come while time 0 is announced, one
// for each announcement; nil is none.
type script map[int][]func(*omnipitch.Sim) error

const announced = -1

func restart(seed uint64) func(*omnipitch.Sim) error {
	return func(sim *omnipitch.Sim) error { return sim.Do(&action.Reset{Seed: &seed}) }
}

func moveBall(x float64) func(*omnipitch.Sim) error {
	return func(sim *omnipitch.Sim) error { return sim.Do(&action.Place{Name: "ball", X: x, Y: 1}) }
}

func light(lamp float64) func(*omnipitch.Sim) error {
	return func(sim *omnipitch.Sim) error { return sim.Do(&action.SetLight{Lamp: &lamp}) }
}

func all(requests ...func(*omnipitch.Sim) error) func(*omnipitch.Sim) error {
	return func(sim *omnipitch.Sim) error {
		for _, request := range requests {
			if err := request(sim); err != nil {
				return err
			}
		}
		return nil
	}
}

// play takes n steps of a run with the requests of a script.
func (s script) play(t *testing.T, sim *omnipitch.Sim, n int) {
	t.Helper()
	answers := s[announced]
	sim.Clock().OnTick(func(now time.Duration) {
		if now > 0 || len(answers) == 0 {
			return
		}
		if answers[0] != nil {
			must.Do(t, answers[0](sim))
		}
		answers = answers[1:]
	})
	for i := range n {
		left := s[i]
		if left != nil {
			sim.Clock().Pause()
		}
		must.Get(sim.Run(t.Context(), omnipitch.Pace{For: sim.Clock().Step(), Speed: timesync.Max, Paused: func() {
			if len(left) == 0 {
				sim.Clock().Resume()
				return
			}
			must.Do(t, left[0](sim))
			left = left[1:]
			sim.Clock().Poke()
		}}))(t)
	}
}

// Each input takes effect in the episode in which it was given, also if another episode has the same step, and if the
// world restarts several times before its next step.
func TestReplayOfManyRestarts(t *testing.T) {
	const n = 16
	opts := omnipitch.Options{Cache: &omnipitch.Cache{}}
	for name, s := range map[string]script{
		"episodes of the same length": {
			1: {restart(1)},
			2: {restart(2)},
			3: {restart(3)},
			5: {restart(4)},
			7: {restart(5)},
		},
		"a step that two episodes have":     {9: {moveBall(1)}, 12: {moveBall(2)}},
		"restarts before the first step":    {0: {restart(1), restart(2), restart(3)}, 1: {restart(4)}},
		"one restart before the first step": {0: {restart(1)}},
		"requests before the first step":    {0: {moveBall(1), light(0.5), moveBall(2)}, 3: {light(0.3)}},
		"restarts during a pause": {
			3: {restart(1), restart(2), moveBall(1), restart(3), light(0.4)},
			5: {restart(4)},
		},
		"restarts that replace restarts": {
			3: {all(restart(1), restart(2)), all(restart(3), moveBall(1), restart(4))},
			4: {moveBall(2)},
		},
		"requests of a world that ends": {
			3: {all(restart(1), moveBall(1)), restart(2), all(light(0.2), restart(3), light(0.7))},
			4: {restart(5), light(0.2)},
		},
		"requests after each restart": {
			2: {restart(1), light(0.3), moveBall(1)},
			4: {restart(2), light(0.4), moveBall(2)},
			6: {restart(3), light(0.3)},
		},
		"a restart before the world's reset": {7: {restart(1)}, 12: {restart(2)}},
		"restarts while time 0 is announced": {announced: {restart(1), nil, restart(2), restart(3)}, 4: {restart(4)}},
		"such restarts during a pause": {
			announced: {light(0.2), restart(1), restart(2), nil, restart(3), light(0.4)},
			2:         {restart(4), light(0.5), restart(5), moveBall(1)},
		},
	} {
		for _, exact := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " exact ", exact), func(t *testing.T) {
				w := simtest.Parse(t, restartingWorld)
				path := filepath.Join(t.TempDir(), "a.mcap")
				rec, sim := recorded(t, path, w, recorder.Config{Exact: exact})
				defer sim.Close()
				was := follow(t, sim, "")
				s.play(t, sim, n)
				must.Do(t, rec.Close())
				for _, cfg := range []Config{{}, {Check: true}} {
					r, again := replayed(t, path, opts, cfg)
					is := follow(t, again.Sim, "")
					steps(t, again.Sim, n, nil)
					if diff := cmp.Diff(was.content, is.content); diff != "" {
						t.Fatalf("%+v: %d episodes: (-was +is)\n%.2000s", cfg, len(r.Episodes), diff)
					}
					if _, episode, parting := again.Verdict(); parting != nil {
						t.Errorf("%+v: episode %d differs: %+v", cfg, episode, parting)
					}
				}
				seekAround(t, path, opts, was, n)
				onAnotherLevel(t, path, opts, w, was, n)
			})
		}
	}
}

// seekAround moves a replay to steps of a run, and compares the states from there to the end.
func seekAround(t *testing.T, path string, opts omnipitch.Options, was *witness, n int) {
	t.Helper()
	_, sim := replayed(t, path, opts, Config{Loop: true})
	is := follow(t, sim.Sim, "")
	for _, to := range []int{5, 0, 2, n - 1, 1, 4} {
		sim.seeks.add(time.Duration(to) * sim.Clock().Step())
		is.content = nil
		steps(t, sim.Sim, n-to, nil)
		got, want := is.states(), was.states()
		if least := n - to; len(got) < least || !cmp.Equal(got, want[max(0, len(want)-len(got)):]) {
			t.Fatalf("after a seek to step %d: %d states: %v; want %v", to, len(got), got, want)
		}
	}
}

// onAnotherLevel replays a run with another world, and compares the states.
func onAnotherLevel(t *testing.T, path string, opts omnipitch.Options, w *worlds.World, was *witness, n int) {
	t.Helper()
	other := *w
	other.Name = "another"
	_, sim := replayed(t, path, opts, Config{World: &other})
	is := follow(t, sim.Sim, "")
	steps(t, sim.Sim, n, nil)
	if diff := cmp.Diff(was.states(), is.states()); diff != "" {
		t.Errorf("with another world: (-was +is)\n%.2000s", diff)
	}
}

// states returns the lines of states.
func (w *witness) states() (all []string) {
	for _, line := range w.content {
		if strings.HasPrefix(line, "state ") {
			all = append(all, line)
		}
	}
	return all
}

// Recordings of older versions do not say which inputs belong to an episode.
func TestReplayOfOlderRecording(t *testing.T) {
	const n = 60
	path := filepath.Join(t.TempDir(), "a.mcap")
	was := record(t, path, busy(t, "planar"), true, n)
	messages, files := takeApart(t, path)
	for i := range messages {
		if m := &messages[i]; m.topic == recorder.Episodes {
			m.data = m.data[:len(m.data)-8]
		}
	}
	older := filepath.Join(t.TempDir(), "older.mcap")
	putTogether(t, older, messages, files)
	_, sim := replayed(t, older, omnipitch.Options{}, Config{})
	is := follow(t, sim.Sim, "")
	steps(t, sim.Sim, n, nil)
	if diff := cmp.Diff(was.content, is.content); diff != "" {
		t.Errorf("(-was +is)\n%.2000s", diff)
	}
}

// A recording that begins during its run knows the world of each episode, even if the world restarts in the step in
// which the recording begins.
func TestLateRecordingOfRestarts(t *testing.T) {
	with := func(events string) *worlds.World { return simtest.Parse(t, restartingWorld+events) }
	both := []*worlds.World{with(""), with(`
[[event]]
at_s = 0.03
set_light = { lamp = 0.5 }
`)}
	opts := omnipitch.Options{Cache: &omnipitch.Cache{}}
	for range 6 {
		var tap recorder.Tap
		tapped := opts
		tap.Hook(&tapped)
		sim := must.Get(omnipitch.New(both[0], tapped))(t)
		defer sim.Close()
		tap.Follow(sim)
		path := filepath.Join(t.TempDir(), "late.mcap")
		started := make(chan error, 1)
		go func() { started <- tap.Start(t.Context(), path, recorder.Config{Program: "test"}) }()
		taken := 0
		begun := func(time.Duration, float64) { // the step has already restarted the world if it had to
			if taken++; taken%2 == 0 {
				must.Do(t, sim.Restart(both[taken/2%2]))
			}
		}
		for left := 10; left > 0; {
			must.Get(sim.Run(t.Context(), omnipitch.Pace{For: stepTime, Speed: timesync.Max, Began: begun}))(t)
			if tap.On() {
				left--
			}
			runtime.Gosched()
		}
		must.Do(t, <-started)
		must.Do(t, tap.Close())
		r, again := replayed(t, path, opts, Config{Loop: true})
		begin, _ := r.Begin()
		for _, to := range []time.Duration{r.Length(), begin, begin + 2*stepTime} {
			again.seeks.add(to)
			must.Do(t, again.Step())
		}
	}
}
