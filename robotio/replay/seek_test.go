package replay

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// moments returns the indices of the states in the output of a run.
func (w *witness) moments() (at []int) {
	for i, line := range w.content {
		if strings.HasPrefix(line, "state ") {
			at = append(at, i)
		}
	}
	return at
}

// After Seek, a replay shows the same as the run from that moment on, including images and frames in flight at that
// moment. It seeks forwards, backwards and over restarts, with exact states and by running again.
func TestSeek(t *testing.T) {
	const n, shown = 2400, 60 // two episodes of 1600 and 800 steps, the first with key frames
	for _, exact := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "a.mcap")
		was := record(t, path, busy(t, "planar"), exact, n)
		moments := was.moments()
		_, sim := replayed(t, path, omnipitch.Options{}, Config{})
		is := follow(t, sim.Sim, "")
		for _, to := range []int{1500, 300, 2, 1, 0, 1599, 1750, 2300, 700, 1020, 1021} {
			if !exact && (to > 300 || to == 1) { // it takes all steps up to there
				continue
			}
			sim.seeks.add(time.Duration(to) * 5 * time.Millisecond)
			is.content = nil
			steps(t, sim.Sim, shown, nil)
			state := to
			switch {
			case to > 1600:
				state++ // each episode has a state of step 0
			case to == 1:
				state = 0 // a restarted world shows time 0
			}
			want, got := was.content[moments[state]:],
				is.content[max(0, slices.IndexFunc(is.content, func(line string) bool {
					return strings.HasPrefix(line, "state ")
				})):]
			if len(got) < shown || !slices.Equal(got, want[:min(len(got), len(want))]) {
				t.Errorf("exact %v, to step %d: %d lines:\n%.1500s\nwant\n%.1500s", exact, to, len(got), got, want)
			}
		}
	}
}

// A loop repeats the given part. Without Loop, the run ends at its end.
func TestLoop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	record(t, path, busy(t, "planar"), true, 300)
	for _, loop := range []bool{true, false} {
		_, sim := replayed(t, path, omnipitch.Options{}, Config{From: 500 * time.Millisecond,
			Until: 600 * time.Millisecond, Loop: loop})
		var shown []time.Duration
		var clock []time.Duration
		sim.Clock().OnTick(func(now time.Duration) { clock = append(clock, now) })
		ctx, cancel := context.WithCancel(t.Context())
		sim.OnStep(func(s *physics.Snapshot) {
			if shown = append(shown, s.Time); len(shown) == 100 {
				cancel()
			}
		})
		must.Get(sim.Run(ctx, omnipitch.Pace{Speed: timesync.Max}))(t)
		cancel()
		if want := map[bool]int{true: 100, false: 21}[loop]; len(shown) != want {
			t.Fatalf("loop %v: showed %d states, want %d", loop, len(shown), want)
		}
		for i, at := range shown {
			if want := time.Duration(100+i%21) * 5 * time.Millisecond; at != want {
				t.Fatalf("loop %v: state %d is of %v, want %v", loop, i, at, want)
			}
		}
		if clock[0] != 495*time.Millisecond || clock[1] != 500*time.Millisecond || loop &&
			clock[22] != 495*time.Millisecond {
			t.Errorf("loop %v: the clock shows %v", loop, clock[:23])
		}
	}
}

// Invalid requests are refused, and change nothing.
func TestSeekRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	record(t, path, busy(t, "planar"), true, 300)
	for _, c := range []struct {
		cfg  Config
		to   time.Duration
		want string
	}{
		{Config{}, -1, "must lie in what is replayed, from 0s to 1.5s"},
		{Config{}, 1501 * time.Millisecond, "must lie in what is replayed, from 0s to 1.5s"},
		{Config{Continue: true}, time.Second, "it cannot seek"},
		{Config{Check: true}, time.Second, "it cannot seek"},
	} {
		_, sim := replayed(t, path, omnipitch.Options{}, c.cfg)
		must.Fail(t, sim.Seek(t.Context(), c.to), c.want, c.cfg)
	}
	_, sim := replayed(t, path, omnipitch.Options{}, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sim.Seek(ctx, time.Second); err != context.Canceled {
		t.Errorf("a cancelled call returns %v", err)
	}
	steps(t, sim.Sim, 1, nil)
	must.Equal(t, sim.Truth().Time, 5*time.Millisecond, "a cancelled request moved the replay to")
	sim.Close()
	if err := sim.Seek(t.Context(), 0); err != omnipitch.ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// Several programs seek while others pause, step and listen. Each request is answered when its moment has been shown.
func TestSeeksOfMany(t *testing.T) {
	const n, programs, each = 1200, 4, 6
	path := filepath.Join(t.TempDir(), "a.mcap")
	record(t, path, busy(t, "planar"), true, n)
	r, sim := replayed(t, path, omnipitch.Options{}, Config{Loop: true})
	var mu sync.Mutex
	var shown []time.Duration // since the run began
	sim.OnStep(func(s *physics.Snapshot) {
		mu.Lock()
		defer mu.Unlock()
		shown = append(shown, r.Episodes[sim.episode].Began+s.Time)
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Factor(50)})
		ended <- err
	}()
	var all sync.WaitGroup
	for p := range programs {
		all.Go(func() {
			for i := range each {
				to := time.Duration((i*programs+p)*n/(each*programs)) * 5 * time.Millisecond
				mu.Lock()
				before := len(shown)
				mu.Unlock()
				if err := sim.Seek(ctx, to); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if !slices.Contains(shown[before:], to) {
					t.Errorf("sought %v, and was shown %v", to, shown[before:])
				}
				mu.Unlock()
				if act := []action.Action{&action.Pause{}, &action.Resume{}}[(i+p)%2]; sim.Do(act) != nil {
					t.Error("cannot pause")
				}
				sim.Clock().Advance(1)
				sim.Clock().Factor()
				sim.Sensors().Level("a", "front")
			}
		})
	}
	all.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// tapped runs a world, and records it from step 100 to 250 and from 350 to 750. The world restarts at step 550. tapped
// returns the output of the run and when the recordings were started, which on a busy machine is some steps later.
func tapped(t *testing.T, paths [2]string) (*witness, []time.Duration) {
	t.Helper()
	w := busy(t, "ode")
	var tap recorder.Tap
	var opts omnipitch.Options
	tap.Hook(&opts)
	sim := must.Get(omnipitch.New(w, opts))(t)
	defer sim.Close()
	tap.Follow(sim)
	seen := follow(t, sim, "")
	asked := make(chan error, 1)
	start := func(i int, path string) { // in another goroutine, soon followed by a step
		go func() { asked <- tap.Start(t.Context(), path, recorder.Config{Program: "test"}) }()
		for ; !tap.On(); i++ {
			must.Do(t, sim.Step())
			time.Sleep(time.Millisecond)
		}
		if err := <-asked; err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	var started []time.Duration
	do := func(a ...action.Action) { must.Do(t, sim.Do(a...)) }
	do(&action.SetLevel{Robot: "a", Sensor: "front", Level: abstraction.Truth})
	steps(t, sim, 780, func(i int) {
		switch i {
		case 100:
			start(i, paths[0])
			started = append(started, sim.Truth().Time)
		case 250:
			must.Do(t, tap.Stop()) // it waits for no step
		case 350:
			start(i, paths[1])
			started = append(started, sim.Truth().Time)
			if err := tap.Start(t.Context(), filepath.Join(t.TempDir(), "b.mcap"), recorder.Config{}); !errors.Is(err,
				recorder.ErrRecords) {
				t.Errorf("a second recording: %v", err)
			}
		case 550:
			another, err := w.WithSeed(9)
			if err == nil {
				err = sim.Restart(another)
			}
			if err != nil {
				t.Fatal(err)
			}
		case 750:
			must.Do(t, tap.Stop()) // it waits for no step
			if err := tap.Stop(); !errors.Is(err, recorder.ErrNone) {
				t.Errorf("no recording is ended: %v", err)
			}
		}
		if i%130 == 100 {
			do(&action.Delete{Name: "b"})
		}
		if i%50 == 0 {
			do(&action.Drive{Robot: []string{"a", "b"}[i/50%2], VX: float64(i%7) / 7, Omega: 1})
		}
		if i%130 == 129 {
			do(&action.Spawn{Place: action.Place{Name: "b", X: float64(i%5) - 2, Y: 1}})
			do(&action.SetLevel{Robot: "a", Sensor: "front", Level: []abstraction.Level{abstraction.Raw,
				abstraction.Objects}[i/130%2]})
		}
	})
	return seen, started
}

// A recording that is stopped in the middle of a step is complete: it opens without damage, and has the states of all
// steps before.
func TestStopDuringSteps(t *testing.T) {
	var tap recorder.Tap
	var opts omnipitch.Options
	tap.Hook(&opts)
	sim := must.Get(omnipitch.New(busy(t, "planar"), opts))(t)
	tap.Follow(sim)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := sim.Run(ctx, omnipitch.Pace{})
		done <- err
	}()
	for i := range 10 {
		path := filepath.Join(t.TempDir(), "part.mcap")
		must.Do(t, tap.Start(ctx, path, recorder.Config{Program: "test"}))
		until := sim.Clock().Time() + time.Duration(i+1)*20*sim.Clock().Step()
		must.Until(t, "steps", func() bool { return sim.Clock().Time() > until })
		must.Do(t, tap.Stop())
		r := must.Get(Open(path))(t)
		if r.Damage() != nil || r.Length() < until {
			t.Errorf("recording %d: got %v until %v, want no damage and all until %v", i, r.Damage(), r.Length(), until)
		}
		must.Do(t, r.Close())
	}
	end()
	must.Do(t, <-done)
	sim.Close()
}

// A recording that begins during its run shows the same as the run from its first key frame on, including images and a
// restart, and can seek. Requests that need the run's beginning are refused.
func TestLateRecordingShowsTheRun(t *testing.T) {
	dir := t.TempDir()
	paths := [2]string{filepath.Join(dir, "1.mcap"), filepath.Join(dir, "2.mcap")}
	was, started := tapped(t, paths)
	moments := was.moments()
	for n, path := range paths {
		r, sim := replayed(t, path, omnipitch.Options{}, Config{})
		begin, ok := r.Begin()
		if !r.Late || !ok || begin < started[n]-10*time.Millisecond || begin > started[n]+time.Second {
			t.Fatalf("%d: late %v, begins at %v, %v, was started at %v", n, r.Late, begin, ok, started[n])
		}
		is := follow(t, sim.Sim, "")
		steps(t, sim.Sim, 3, nil) // from its beginning
		if now := sim.Now(); now < begin || now > begin+15*time.Millisecond {
			t.Errorf("%d: at %v after three steps from %v", n, now, begin)
		}
		length := int((r.Length() - begin) / (5 * time.Millisecond))
		first := int(begin / (5 * time.Millisecond))
		for _, from := range []int{2, length/2 + 11, length - 40, 30} {
			sim.seeks.add(time.Duration(first+from) * 5 * time.Millisecond)
			is.content = nil
			steps(t, sim.Sim, 30, nil)
			state := first + from
			for i, at := range moments { // each episode has a state of step 0
				if i > 0 && i <= state && strings.HasPrefix(was.content[at], "state 0 ") {
					state++
				}
			}
			got := is.content[max(0, slices.IndexFunc(is.content,
				func(line string) bool { return strings.HasPrefix(line, "state ") })):]
			want := was.content[moments[state]:]
			if len(got) < 30 || !slices.Equal(got, want[:min(len(got), len(want))]) {
				t.Errorf("%d, from step %d: %d lines:\n%.1500s\nwant\n%.1500s", n, first+from, len(got), got, want)
			}
		}
		for _, cfg := range []Config{{Check: true}, {Continue: true}, {Engine: true}, {World: r.World}} {
			must.Refuse(r.NewSim(t.Context(), omnipitch.Options{}, cfg))(t, "cannot run the world again", cfg)
		}
	}
}

// A replay that runs the engine up to its first state reports how far it is.
func TestReplayReportsItsWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mcap")
	record(t, path, busy(t, "planar"), false, 1500)
	var told []string
	_, sim := replayed(t, path, omnipitch.Options{Notify: func(text string) { told = append(told, text) }},
		Config{From: 7 * time.Second})
	must.Do(t, sim.Step())
	told = slices.DeleteFunc(told, func(s string) bool { return s != "" && !strings.HasPrefix(s, "going to ") })
	want := []string{"going to 7.0 s, now at 0.0 s", "going to 7.0 s, now at 5.0 s", ""}
	must.Equal(t, told, want, "reports of the way")
}
