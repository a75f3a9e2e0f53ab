package replay

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// tapped runs a world, and records it from step 100 to 250 and from 350 to 750. The world restarts at step 550. tapped
// returns the output of the run.
func tapped(t *testing.T, paths [2]string) *witness {
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
	change := func(i int, f func(context.Context) error) { // in another goroutine, soon followed by a step
		go func() { asked <- f(t.Context()) }()
		for on := tap.On(); tap.On() == on; i++ {
			must.Do(t, sim.Step())
			time.Sleep(time.Millisecond)
		}
		if err := <-asked; err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	start := func(path string) func(context.Context) error {
		return func(ctx context.Context) error { return tap.Start(ctx, path, recorder.Config{Program: "test"}) }
	}
	do := func(a ...action.Action) { must.Do(t, sim.Do(a...)) }
	do(&action.SetLevel{Robot: "a", Sensor: "front", Level: abstraction.Truth})
	steps(t, sim, 780, func(i int) {
		switch i {
		case 100:
			change(i, start(paths[0]))
		case 250:
			change(i, tap.Stop)
		case 350:
			change(i, start(paths[1]))
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
			change(i, tap.Stop)
			if err := tap.Stop(t.Context()); !errors.Is(err, recorder.ErrNone) {
				t.Errorf("no recording is ended: %v", err)
			}
		}
		if i%50 == 0 {
			do(&action.Drive{Robot: []string{"a", "b"}[i/50%2], VX: float64(i%7) / 7, Omega: 1})
		}
		if i%130 == 129 {
			do(&action.Place{Name: "b", X: float64(i%5) - 2, Y: 1})
			do(&action.SetLevel{Robot: "a", Sensor: "front", Level: []abstraction.Level{abstraction.Raw,
				abstraction.Objects}[i/130%2]})
		}
	})
	return seen
}

// A recording that begins during its run shows the same as the run from its first key frame on, including images and a
// restart, and can seek. Requests that need the run's beginning are refused.
func TestLateRecordingShowsTheRun(t *testing.T) {
	dir := t.TempDir()
	paths := [2]string{filepath.Join(dir, "1.mcap"), filepath.Join(dir, "2.mcap")}
	was := tapped(t, paths)
	moments := was.moments()
	for n, path := range paths {
		r, sim := replayed(t, path, omnipitch.Options{}, Config{})
		begin, ok := r.Begin()
		if from := []time.Duration{500 * time.Millisecond, 1750 * time.Millisecond}[n]; !r.Late || !ok ||
			begin < from || begin > from+time.Second {
			t.Fatalf("%d: late %v, begins at %v, %v", n, r.Late, begin, ok)
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
