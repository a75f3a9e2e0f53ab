package omnipitch

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// An event ends a run after its step without an error. The next run continues from there.
func TestEnd(t *testing.T) {
	for at, want := range map[time.Duration]time.Duration{0: 5 * time.Millisecond, 500 * time.Millisecond: 500 *
		time.Millisecond} {
		s := onPlane(t, Options{},
			func(w *worlds.World) { w.Events = []worlds.Event{{At: at, Choice: action.Choice{End: &action.End{}}}} })
		var said []string
		report, err := s.Run(t.Context(), Pace{For: time.Hour, Notify: func(text string) { said = append(said, text) }})
		if err != nil || report.Sim != want || s.Truth().Time != want || !slices.ContainsFunc(said,
			func(text string) bool { return strings.HasSuffix(text, "s by action end") }) {
			t.Errorf("end at %v: %v, ended at %v, said %q", at, err, s.Truth().Time, said)
		}
		if report, err = s.Run(t.Context(), Pace{For: time.Second}); err != nil || report.Sim != time.Second {
			t.Errorf("the next run: %v, %v", report, err)
		}
	}
}

// An event pauses a run, and users are notified once. Another goroutine resumes it, or ends it while it is paused.
func TestPauseIsToldAndEnds(t *testing.T) {
	for _, then := range []action.Action{&action.Resume{}, &action.End{}} {
		s := onPlane(t, Options{}, func(w *worlds.World) {
			w.Events = []worlds.Event{{At: 100 * time.Millisecond, Choice: action.Choice{Pause: &action.Pause{}}}}
		})
		paused := make(chan string, 10)
		done := make(chan time.Duration)
		go func() {
			defer close(done)
			if _, err := s.Run(t.Context(),
				Pace{For: time.Second, Notify: func(text string) { paused <- text }}); err != nil {
				t.Error(err)
			}
			done <- s.Truth().Time
		}()
		if text := <-paused; text != "paused at 0.10 s" || s.Clock().Time() != 100*time.Millisecond {
			t.Errorf("said %q at %v", text, s.Clock().Time())
		}
		if err := s.Do(then); err != nil {
			t.Fatal(err)
		}
		want := time.Second
		if _, end := then.(*action.End); end {
			want = 100 * time.Millisecond
		}
		if got := <-done; got != want {
			t.Errorf("after %T the run ends at %v, want %v", then, got, want)
		}
	}
}

// An event changes the speed, with the same rules as the key speed of [time].
func TestSetSpeed(t *testing.T) {
	s := onPlane(t, Options{Wall: &fakeWall{}}, func(w *worlds.World) {
		w.Events = []worlds.Event{{At: time.Second, Choice: action.Choice{SetSpeed: &action.SetSpeed{Speed: "4"}}}}
	})
	targets := map[float64]int{}
	if _, err := s.Run(t.Context(), Pace{For: 2 * time.Second, Speed: timesync.RealTime, Began: func(_ time.Duration,
		target float64) {
		targets[target]++
	}}); err != nil {
		t.Fatal(err)
	}
	if targets[1] != 200 || targets[4] != 200 {
		t.Errorf("steps by target: %v, want 200 at 1 and 200 at 4", targets)
	}
	const want = "needs [[time.wait_for]]: no robot is waited for"
	if err := s.Do(&action.SetSpeed{Speed: "lockstep"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("lockstep with nobody to wait for: %v", err)
	}
	if _, err := s.Run(context.Background(), Pace{Speed: timesync.Lockstep}); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("a run at lockstep with nobody to wait for: %v", err)
	}
}
