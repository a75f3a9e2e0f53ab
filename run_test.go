//go:build cgo

package omnipitch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// fakeWall is a wall clock on which waiting takes no real time.
type fakeWall struct {
	mu  sync.Mutex
	now time.Duration
}

func (w *fakeWall) Now() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now += 100 // reading the clock takes time
	return w.now
}

func (w *fakeWall) Wait(_ context.Context, until time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = max(w.now, until)
}

// pass lets time pass.
func (w *fakeWall) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now += d
}

// planar makes a Sim of the world planar, with a fakeWall.
func planar(t testing.TB, changes ...func(*worlds.World)) simtest.Sim {
	t.Helper()
	return simtest.New(t, simtest.World(t, "planar", changes...), omnipitch.Options{Wall: &fakeWall{}})
}

func TestRunHoldsTheFactor(t *testing.T) {
	for _, f := range []float64{0.5, 1, 4} {
		pace := omnipitch.Pace{For: 10 * time.Second, Speed: timesync.Factor(f)}
		r := must.Get(planar(t).Run(t.Context(), pace))(t)
		if !scalar.EqualWithinAbs(r.Factor()/f, 1, 0.002) || r.Steps != 2000 || r.Lateness.GaveUp != 0 {
			t.Errorf("factor %v: %+v", f, r)
		}
	}
}

// With any sequence of pauses, single steps and speeds, no step is lost or repeated, and the final state is that of a
// run without them.
func TestRunLosesNoStep(t *testing.T) {
	one := func(w *worlds.World) { w.Robots = w.Robots[1:2] }
	want := planar(t, one).RunFor(time.Second)
	rapid.Check(t, func(rt *rapid.T) {
		s := planar(t, one)
		defer s.Close()
		steps := int64(-1) // the first state is that at time 0
		s.OnStep(func(now *physics.Snapshot) {
			if steps++; now.Step != steps || now.Time != time.Duration(steps)*5*time.Millisecond ||
				s.Clock().Time() != now.Time {
				rt.Fatalf("step %d at %v is number %d; the clock shows %v", now.Step, now.Time, steps, s.Clock().Time())
			}
			switch rapid.IntRange(0, 19).Draw(rt, "do") {
			case 0, 1:
				s.Clock().Pause()
			case 2:
				must.Do(rt, s.Do(&action.SetSpeed{Speed: rapid.SampledFrom([]timesync.Speed{timesync.Max,
					timesync.RealTime, timesync.Steady, timesync.Factor(3)}).Draw(rt, "speed").String()}))
			}
		})
		r, err := s.Run(t.Context(), omnipitch.Pace{For: time.Second, Speed: timesync.RealTime, Paused: func() {
			if rapid.Bool().Draw(rt, "resume") {
				s.Clock().Resume()
			} else {
				s.Clock().Advance(rapid.IntRange(1, 3).Draw(rt, "single"))
			}
		}})
		if err != nil || r.Steps != 200 || r.Hash != want.Hash {
			rt.Fatalf("%d steps to state %x, want 200 to %x; %v", r.Steps, r.Hash, want.Hash, err)
		}
	})
}

func TestPredictOutsideARun(t *testing.T) {
	s := planar(t)
	if f := s.Clock().Predict(time.Second); f != (timesync.Forecast{}) {
		t.Errorf("forecast %+v although nothing runs", f)
	}
	var in timesync.Forecast
	s.OnStep(func(now *physics.Snapshot) {
		if now.Step == 100 {
			in = s.Clock().Predict(time.Second)
		}
	})
	must.Get(s.Run(t.Context(), omnipitch.Pace{For: time.Second, Speed: timesync.Factor(2)}))(t)
	must.Near(t, "a second at factor 2 is predicted as, s", in.Likely.Seconds(), 0.5, 0.001)
}

// The report has the counts of all sensors. A cancelled run takes no step.
func TestRunReports(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: simtest.Grey})
	sim.On("cyan1", "odometry", func(*sensors.Observation) {})
	sim.On("magenta1", "kinect_left", func(o *sensors.Observation) {
		if o.Depth == nil || o.Color == nil {
			t.Error("a Kinect without depth or colour")
		}
	})
	r := sim.RunFor(2 * time.Second)
	if r.Sim != 2*time.Second || r.Steps != 400 || r.Hash != sim.Truth().Hash() || !(r.Factor() > 0) {
		t.Errorf("%+v", r)
	}
	want := map[string]uint64{
		"magenta1.kinect_left": 59,  // 60 captured, the last not yet delivered
		"cyan1.odometry":       201, // at 0, 10 ms, … 2 s
	}
	for _, s := range r.Sensors {
		if name := s.Robot + "." + s.Sensor; s.Frames != want[name] {
			t.Errorf("%s delivered %d frames, want %d", name, s.Frames, want[name])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := sim.Run(ctx, omnipitch.Pace{}); err != nil || r.Steps != 0 {
		t.Errorf("a cancelled run: %+v, %v", r, err)
	}
}

// At speed lockstep a robot that uses the Go API may answer at any time, and the runs are the same bit for bit.
func TestLockstepWithTheGoAPI(t *testing.T) {
	run := func() (hash uint64, answers int) {
		s := planar(t, func(w *worlds.World) {
			for _, name := range []string{"cyan2", "magenta3"} {
				wait := timesync.WaitFor{Robot: name, After: "omni"}
				wait.SetDefaults()
				wait.Timeout = time.Hour
				w.Time.WaitFor = append(w.Time.WaitFor, wait)
			}
		})
		var robots sync.WaitGroup
		inboxes, counts := [2]chan float64{}, [2]int{}
		for i, w := range s.World().Time.WaitFor {
			inboxes[i] = make(chan float64, 100)
			s.On(w.Robot, w.After, func(o *sensors.Observation) { inboxes[i] <- o.Stamp.Seconds() })
			robots.Go(func() {
				for stamp := range inboxes[i] {
					counts[i]++
					if err := s.Do(&action.Drive{Robot: w.Robot, VX: math.Sin(9 * stamp), Omega: 1}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		r := must.Get(s.Run(t.Context(), omnipitch.Pace{For: 2 * time.Second, Speed: timesync.Lockstep}))(t)
		for _, inbox := range inboxes {
			close(inbox)
		}
		robots.Wait()
		return r.Hash, counts[0] + counts[1]
	}
	want, answers := run()
	if answers < 100 {
		t.Errorf("%d answers in 2 s at 30 Hz, want at least 100", answers)
	}
	for range 2 {
		if hash, _ := run(); hash != want {
			t.Errorf("state %x, want %x", hash, want)
		}
	}
}

// A robot that is silent ends the run, or the run goes on without it, or after a pause.
func TestLockstepTimesOut(t *testing.T) {
	for _, then := range []timesync.OnTimeout{timesync.Fail, timesync.Continue, timesync.Pause} {
		s := simtest.New(t, simtest.World(t, "planar", func(w *worlds.World) {
			w.Time.WaitFor = []timesync.WaitFor{{Robot: "cyan2", Answer: "ack", Order: timesync.OrderAnswers,
				Timeout: time.Millisecond, Then: then}}
		}), omnipitch.Options{})
		var notes []string
		s.OnStep(func(now *physics.Snapshot) {
			if now.Step <= 3 { // afterwards the robot is silent
				s.Clock().Lockstep().Ack("cyan2", now.Time)
			}
		})
		s.Clock().Lockstep().Ack("cyan2", 0)
		r, err := s.Run(t.Context(), omnipitch.Pace{
			For: 50 * time.Millisecond, Speed: timesync.Lockstep,
			Notify: func(text string) { notes = append(notes, text) },
			Paused: func() {
				s.Must(&action.SetSpeed{Speed: "max"})
				s.Clock().Lockstep().Ack("cyan2", s.Truth().Time) // the robot answers again
				s.Clock().Resume()
			},
		})
		if then == timesync.Fail {
			var late *lockstep.Late
			if !errors.As(err, &late) || late.Robot != "cyan2" || late.Since != 20*time.Millisecond {
				t.Errorf("error %v", err)
			}
			continue
		}
		if err != nil || r.Steps != 10 || len(notes) != 1 || !strings.Contains(notes[0], "cyan2") {
			t.Errorf("%s: %v after %+v; notes %q", then, err, r, notes)
		}
	}
}

// An event ends a run after its step without an error. The next run continues from there.
func TestEnd(t *testing.T) {
	for at, want := range map[time.Duration]time.Duration{0: 5 * time.Millisecond,
		500 * time.Millisecond: 500 * time.Millisecond} {
		s := planar(t, func(w *worlds.World) {
			w.Events = []worlds.Event{{At: at, Choice: action.Choice{End: &action.End{}}}}
		})
		var notes []string
		report, err := s.Run(t.Context(), omnipitch.Pace{For: time.Hour,
			Notify: func(text string) { notes = append(notes, text) }})
		if err != nil || report.Sim != want || s.Truth().Time != want || !slices.ContainsFunc(notes,
			func(text string) bool { return strings.HasSuffix(text, "s by action end") }) {
			t.Errorf("end at %v: %v, ended at %v, want %v; notes %q", at, err, s.Truth().Time, want, notes)
		}
		if next := s.RunFor(time.Second); next.Sim != time.Second {
			t.Errorf("the next run: %v, want 1 s", next.Sim)
		}
	}
}

// An event pauses a run, and users are notified once. Another goroutine resumes it, or ends it while it is paused.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		then action.Action
		want time.Duration
	}{{&action.Resume{}, time.Second}, {&action.End{}, 100 * time.Millisecond}} {
		s := planar(t, func(w *worlds.World) {
			w.Events = []worlds.Event{{At: 100 * time.Millisecond, Choice: action.Choice{Pause: &action.Pause{}}}}
		})
		notes, done := make(chan string, 10), make(chan error)
		go func() {
			_, err := s.Run(t.Context(), omnipitch.Pace{For: time.Second, Notify: func(text string) { notes <- text }})
			done <- err
		}()
		if text := <-notes; text != "paused at 0.10 s" || s.Clock().Time() != 100*time.Millisecond {
			t.Errorf("note %q at %v", text, s.Clock().Time())
		}
		s.Must(c.then)
		if err := <-done; err != nil || s.Truth().Time != c.want {
			t.Errorf("after %T the run ends at %v, want %v: %v", c.then, s.Truth().Time, c.want, err)
		}
	}
}

// An event changes the speed, with the same rules as the key speed of [time].
func TestSetSpeed(t *testing.T) {
	s := planar(t, func(w *worlds.World) {
		w.Events = []worlds.Event{{At: time.Second, Choice: action.Choice{SetSpeed: &action.SetSpeed{Speed: "4"}}}}
	})
	targets := map[float64]int{}
	must.Get(s.Run(t.Context(), omnipitch.Pace{For: 2 * time.Second, Speed: timesync.RealTime,
		Began: func(_ time.Duration, target float64) { targets[target]++ }}))(t)
	if targets[1] != 200 || targets[4] != 200 {
		t.Errorf("steps by target: %v, want 200 at 1 and 200 at 4", targets)
	}
	const want = "needs [[time.wait_for]]: no robot is waited for"
	must.Fail(t, s.Do(&action.SetSpeed{Speed: "lockstep"}), want)
	must.Refuse(s.Run(t.Context(), omnipitch.Pace{Speed: timesync.Lockstep}))(t, want)
}

// slowRenderer takes a fixed time for every frame, on a fake wall clock.
type slowRenderer struct {
	wall *fakeWall
	time time.Duration
}

func (r slowRenderer) Render(*render.Batch) error {
	r.wall.pass(r.time)
	return nil
}

func (slowRenderer) Close() {}

// Images take 5 s each, and the steps between them no time. The sums over all Progress values agree with the report,
// and no factor is higher than the images allow.
func TestProgressIsMeasured(t *testing.T) {
	wall := &fakeWall{}
	w := simtest.World(t, "planar", func(w *worlds.World) { w.Robots = w.Robots[1:2] },
		simtest.EachSensor(func(c *sensors.Config) {
			c.Latency, c.Jitter = 20*time.Millisecond, 0
			if c.Kind == sensors.OmniKind {
				c.Level, c.Rate = abstraction.Raw, 10
			}
		}))
	s := simtest.New(t, w, omnipitch.Options{Wall: wall, NewRenderer: func(*render.Scene) (render.Renderer, error) {
		return slowRenderer{wall, 5 * time.Second}, nil
	}})
	s.On(w.Robots[0].Name, "omni", func(*sensors.Observation) {})
	var all []omnipitch.Progress
	r := must.Get(s.Run(t.Context(), omnipitch.Pace{For: 2 * time.Second, Speed: timesync.Max,
		Progress: func(p omnipitch.Progress) { all = append(all, p) }}))(t)
	if measured := s.Clock().Factor().Measured; !(measured <= 0.05) {
		t.Errorf("measured %v, want about 0.02", measured)
	}
	if len(all) < 10 || !(r.Factor() > 0 && r.Factor() < 0.03) {
		t.Fatalf("%d times progress, factor %v: the images took no time", len(all), r.Factor())
	}
	var before omnipitch.Progress
	for _, p := range all {
		must.Near(t, "sim time by the factor, s", p.Factor*(p.Wall-before.Wall).Seconds(),
			(p.Sim - before.Sim).Seconds(), 1e-6)
		if !(p.Factor <= 0.05) {
			t.Errorf("at %v: factor %v, want about 0.02", p.Wall, p.Factor)
		}
		before = p
	}
	must.Near(t, "sim time of the last progress, s", before.Sim.Seconds(), r.Sim.Seconds(), 0.2)
}
