package replay

import (
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const stepTime = 5 * time.Millisecond

// switched records a run. The recording begins switched off, is switched by an event and by several goroutines at once,
// and continues over a restart. It has exact states of steps 101 to 200, and of steps 301 to 50 steps after the restart
// at 400.
func switched(t testing.TB, path string, exact bool) *witness {
	w := busy(t, "planar")
	w.Events = append(w.Events, worlds.Event{At: 100 * stepTime,
		Choice: action.Choice{Record: &action.Record{On: true}}})
	return recordWith(t, path, w, recorder.Config{Exact: exact, Off: true}, 600, func(i int, sim *omnipitch.Sim) {
		on, ok := map[int]bool{199: false, 299: true, 449: false}[i]
		if !ok {
			return
		}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if err := sim.Do(&action.Record{On: on}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// A recording that was switched off and on can be replayed and checked as a whole. A replay of a part that was on
// begins at once.
func TestReplayOfASwitchedRecording(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, exact := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "a.mcap")
		was := switched(t, path, exact)
		for _, c := range []struct {
			cfg   Config
			steps int
			plays bool
		}{
			{Config{Check: true}, 600, false},
			{Config{From: 120 * stepTime, Until: 200 * stepTime}, 80, true},
			{Config{From: 310 * stepTime, Until: 450 * stepTime}, 140, true}, // over the restart
			{Config{From: 410 * stepTime, Until: 450 * stepTime}, 40, true},
			{Config{From: 120 * stepTime, Until: 201 * stepTime}, 81, false},
		} {
			if !exact && c.plays {
				continue
			}
			runtime.GOMAXPROCS(1)
			if c.steps < 600 {
				runtime.GOMAXPROCS(2)
			}
			r, sim := replayed(t, path, omnipitch.Options{}, c.cfg)
			if r.Exact || sim.plays != c.plays {
				t.Errorf("exact %v, %+v: plays exact states: %v; the recording has all: %v", exact, c, sim.plays,
					r.Exact)
			}
			is := follow(t, sim.Sim, "")
			steps(t, sim.Sim, c.steps, nil)
			if c.steps == 600 {
				if diff := cmp.Diff(was.content, is.content); diff != "" {
					t.Fatalf("exact %v, %+v: (-was +is)\n%.2000s", exact, c, diff)
				}
			} else if states := only(is.content, "state "); !contains(only(was.content, "state "), states) ||
				len(states) < c.steps {
				t.Errorf("exact %v, %+v: %d states are not those of the run", exact, c, len(states))
			}
			if checked, _, parting := sim.Verdict(); c.cfg.Check && (checked != 602 || parting != nil ||
				r.Steps() != 602) {
				t.Errorf("exact %v: %d steps of %d are the recording's, want 602; parts %+v", exact, checked, r.Steps(),
					parting)
			}
			want := []Span{{101 * stepTime, 200 * stepTime}, {301 * stepTime, 450 * stepTime}}
			if !exact {
				want = nil
			}
			must.Equal(t, r.Spans, want, "spans")
		}
	}
}

// Truth and topics are recorded only while the recording is on. Data that a replay needs is always recorded.
func TestWhatASwitchedRecordingHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	switched(t, path, true)
	r := must.Get(Open(path))(t)
	defer r.Close()
	on := func(at time.Duration) bool {
		return at > 100*stepTime && at <= 200*stepTime || at > 300*stepTime && at <= 450*stepTime
	}
	counts := map[string]int{}
	for messages := r.Messages(0, nil); ; {
		m, err := messages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		counts[m.Channel.Topic]++
		switch m.Channel.Topic {
		case recorder.Truth, recorder.States, recorder.KeyFrames:
			if !on(m.LogTime) {
				t.Errorf("%s at %v, while the recording was off", m.Channel.Topic, m.LogTime)
			}
		}
	}
	if counts[recorder.Switches] != 5 || counts[recorder.KeyFrames] != 3 || counts[recorder.Truth] < 250/4 ||
		counts[recorder.Commands] < 20 {
		t.Errorf("messages: %v", counts)
	}
	if found := compared(t, path, path); len(found.Differences) > 0 || found.Steps != 602 {
		t.Errorf("compared with itself: %+v", found)
	}
	spans, err := recorder.On(r.Reader)
	if want := [][2]time.Duration{{100 * stepTime, 200 * stepTime}, {300 * stepTime, 450 * stepTime}}; err != nil ||
		!cmp.Equal(spans, want) {
		t.Errorf("on in %v, %v; want %v", spans, err, want)
	}
	// Only steps without exact states have hashes.
	for step := range int64(400) {
		if _, ok := r.Episodes[0].hash(step); ok == on(time.Duration(step)*stepTime) {
			t.Errorf("step %d: hash %v", step, ok)
		}
	}
}

// A replay with another world shows the run, with or without exact states.
func TestAnotherWorldOfASwitchedRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	was := switched(t, path, true)
	other := busy(t, "planar")
	other.Robots[0].Sensors[0].Level = abstraction.Truth
	for _, until := range []int{200, 600} {
		_, sim := replayed(t, path, omnipitch.Options{}, Config{World: other, From: 120 * stepTime,
			Until: time.Duration(until) * stepTime})
		is := follow(t, sim.Sim, "a.omni")
		steps(t, sim.Sim, until-120, nil)
		if states := only(is.content, "state "); !contains(only(was.content, "state "), states) ||
			len(states) < until-120 || len(is.content) < len(states)+2 {
			t.Errorf("until %d: %d states of %d lines", until, len(states), len(is.content))
		}
	}
}

// only returns the lines with a prefix.
func only(all []string, prefix string) (some []string) {
	for _, line := range all {
		if strings.HasPrefix(line, prefix) {
			some = append(some, line)
		}
	}
	return some
}

// Switching fails if there is nothing to switch: no recording, an ended one, or a replay. From an event it is ignored.
func TestSwitchingWhatIsNotRecorded(t *testing.T) {
	w := busy(t, "planar")
	w.Events = append(w.Events, worlds.Event{At: 2 * stepTime, Choice: action.Choice{Record: &action.Record{On: true}}})
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	steps(t, sim, 5, nil)
	if err := sim.Do(&action.Record{On: true}); !errors.Is(err, omnipitch.ErrNotRecorded) {
		t.Errorf("without a recording: %v", err)
	}
	path := filepath.Join(t.TempDir(), "a.mcap")
	var told int
	full := errors.New("no space left on device")
	rec, run := recorded(t, path, w, recorder.Config{Exact: true,
		Options: recording.Options{Ended: func(error) { told++ }}})
	defer run.Close()
	steps(t, run, 5, nil)
	must.Do(t, errors.Join(run.Do(&action.Record{On: false}), run.Do(&action.Record{On: false})))
	steps(t, run, 5, nil)
	rec.Fail(full)
	steps(t, run, 5, nil)
	if err := run.Do(&action.Record{On: true}); !errors.Is(err, full) || told != 1 {
		t.Errorf("after the end of the recording: %v; Ended was called %d times", err, told)
	}
	steps(t, run, 5, nil)
	if err := rec.Close(); !errors.Is(err, full) {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "b.mcap")
	switched(t, other, false)
	_, again := replayed(t, other, omnipitch.Options{}, Config{})
	if err := again.Do(&action.Record{On: true}); !errors.Is(err, omnipitch.ErrReplaying) {
		t.Errorf("in a replay: %v", err)
	}
}
