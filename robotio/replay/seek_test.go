package replay

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
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
