package omnipitch

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
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

// onPlane makes a Sim of the world planar, which change modifies first.
func onPlane(t testing.TB, opts Options, change func(*worlds.World)) *Sim {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(w)
	}
	s, err := New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestRunHoldsTheFactor(t *testing.T) {
	for _, f := range []float64{0.5, 1, 4} {
		s := onPlane(t, Options{Wall: &fakeWall{}}, nil)
		r, err := s.Run(t.Context(), Pace{For: 10 * time.Second, Speed: timesync.Factor(f)})
		if err != nil {
			t.Fatal(err)
		}
		if !scalar.EqualWithinAbs(r.Factor()/f, 1, 0.002) || r.Steps != 2000 || r.Lateness.GaveUp != 0 {
			t.Errorf("factor %v: %+v", f, r)
		}
	}
}

// With any sequence of pauses, single steps and speeds, no step is lost or repeated, and the final state is that of a
// run without them.
func TestRunLosesNoStep(t *testing.T) {
	one := func(w *worlds.World) { w.Robots = w.Robots[1:2] }
	plain := onPlane(t, Options{Wall: &fakeWall{}}, one)
	want, err := plain.Run(t.Context(), Pace{For: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := onPlane(t, Options{Wall: &fakeWall{}}, one)
		defer s.Close()
		seen := int64(-1) // the first state is that at time 0
		s.OnStep(func(now *physics.Snapshot) {
			if seen++; now.Step != seen || now.Time != time.Duration(seen)*5*time.Millisecond ||
				s.Clock().Time() != now.Time {
				rt.Fatalf("step %d at %v is number %d; the clock shows %v", now.Step, now.Time, seen, s.Clock().Time())
			}
			switch rapid.IntRange(0, 19).Draw(rt, "do") {
			case 0, 1:
				s.Clock().Pause()
			case 2:
				if err := s.Do(&action.SetSpeed{Speed: rapid.SampledFrom([]timesync.Speed{timesync.Max,
					timesync.RealTime, timesync.Steady, timesync.Factor(3)}).Draw(rt, "speed").String()}); err != nil {
					rt.Fatal(err)
				}
			}
		})
		r, err := s.Run(t.Context(), Pace{For: time.Second, Speed: timesync.RealTime, Paused: func() {
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

// The steps do the work that plan predicts.
func TestPlanIsWhatStepsDo(t *testing.T) {
	s := onPlane(t, Options{Wall: &fakeWall{}}, func(w *worlds.World) {
		w.Robots = w.Robots[:3]
		w.Robots[1].Sensors[0].Level = abstraction.Raw
		w.Robots[1].Sensors[0].Image.Width, w.Robots[1].Sensors[0].Image.Height = 64, 64
		w.Robots[2].Sensors[0].Jitter = 3 * time.Millisecond
	})
	for i := range s.world.Robots {
		for j := range s.world.Robots[i].Sensors {
			if _, err := s.Listen(s.world.Robots[i].Name, s.world.Robots[i].Sensors[j].Name,
				Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, fault := range map[int]sensors.Fault{0: sensors.Frozen, 2: sensors.Off} {
		for _, c := range s.world.Robots[i].Sensors {
			if err := s.Do(&action.BreakSensor{Robot: s.world.Robots[i].Name, Sensor: c.Name,
				Fault: fault}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const far = 30
	var planned [][]timesync.PlannedStep
	jobs := 0
	if _, err := s.Run(t.Context(), Pace{For: time.Second, Began: func(time.Duration, float64) {
		if n := len(planned); n > 1 { // the first step also observes time 0
			for back := 1; back <= min(far, n-1); back++ {
				if a := planned[n-back][back-1]; a.Kind != s.clock.work.Kind {
					t.Fatalf("step %d, %d steps before: kind %x, did %x", n, back, a.Kind, s.clock.work.Kind)
				}
			}
		}
		ahead, _ := s.plan(s.truth.Time, far, nil, nil)
		for _, a := range ahead {
			if a.Job != 0 {
				jobs++
			}
		}
		planned = append(planned, ahead)
	}}); err != nil {
		t.Fatal(err)
	}
	if jobs == 0 {
		t.Error("no pictures were planned")
	}
	for range 200 {
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	// 30 images per second with 33 ms of latency
	if _, drawn := s.plan(s.truth.Time, 0, nil, nil); len(drawn) > 3 {
		t.Errorf("%d pictures are taken for not drawn", len(drawn))
	}
}

func TestPredictOutsideARun(t *testing.T) {
	s := onPlane(t, Options{Wall: &fakeWall{}}, nil)
	if f := s.Clock().Predict(time.Second); f != (timesync.Forecast{}) {
		t.Errorf("forecast %+v although nothing runs", f)
	}
	var in timesync.Forecast
	s.OnStep(func(now *physics.Snapshot) {
		if now.Step == 100 {
			in = s.Clock().Predict(time.Second)
		}
	})
	if _, err := s.Run(t.Context(), Pace{For: time.Second, Speed: timesync.Factor(2)}); err != nil {
		t.Fatal(err)
	}
	if (in.Likely - 500*time.Millisecond).Abs() > time.Millisecond {
		t.Errorf("a second at factor 2 is predicted as %+v", in)
	}
}

// At speed lockstep a robot that uses the Go API may answer at any time, and the runs are the same bit for bit.
func TestLockstepWithTheGoAPI(t *testing.T) {
	run := func() (hash uint64, answers int) {
		s := onPlane(t, Options{Wall: &fakeWall{}}, func(w *worlds.World) {
			for _, name := range []string{"cyan2", "magenta3"} {
				wait := timesync.WaitFor{Robot: name, After: "omni"}
				wait.SetDefaults()
				wait.Timeout = time.Hour
				w.Time.WaitFor = append(w.Time.WaitFor, wait)
			}
		})
		defer s.Close()
		var robots sync.WaitGroup
		var inboxes []chan float64
		counts := make([]int, 2)
		for i, w := range s.world.Time.WaitFor {
			inbox := make(chan float64, 100)
			inboxes = append(inboxes, inbox)
			if _, err := s.Listen(w.Robot, w.After,
				Listener{Observe: func(o *sensors.Observation) { inbox <- o.Stamp.Seconds() }}); err != nil {
				t.Fatal(err)
			}
			robots.Go(func() {
				for stamp := range inbox {
					counts[i]++
					if err := s.Do(&action.Drive{Robot: w.Robot, VX: math.Sin(9 * stamp), Omega: 1}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		r, err := s.Run(t.Context(), Pace{For: 2 * time.Second, Speed: timesync.Lockstep})
		if err != nil {
			t.Fatal(err)
		}
		for _, inbox := range inboxes {
			close(inbox)
		}
		robots.Wait()
		return r.Hash, counts[0] + counts[1]
	}
	want, answers := run()
	if answers < 100 {
		t.Errorf("%d answers in 2 s at 30 Hz", answers)
	}
	for range 2 {
		if hash, _ := run(); hash != want {
			t.Errorf("state %x, want %x", hash, want)
		}
	}
}

func TestLockstepFailsAndGoesOn(t *testing.T) {
	for _, then := range []timesync.OnTimeout{timesync.Fail, timesync.Continue, timesync.Pause} {
		s := onPlane(t, Options{}, func(w *worlds.World) {
			w.Time.WaitFor = []timesync.WaitFor{{Robot: "cyan2", Answer: "ack", Order: timesync.OrderAnswers,
				Timeout: time.Millisecond, Then: then}}
		})
		var told []string
		s.OnStep(func(now *physics.Snapshot) {
			if now.Step <= 3 { // afterwards the robot is silent
				s.Clock().Lockstep().Ack("cyan2", now.Time)
			}
		})
		s.Clock().Lockstep().Ack("cyan2", 0)
		r, err := s.Run(t.Context(), Pace{
			For: 50 * time.Millisecond, Speed: timesync.Lockstep,
			Notify: func(text string) { told = append(told, text) },
			Paused: func() {
				if err := s.Do(&action.SetSpeed{Speed: "max"}); err != nil {
					t.Error(err)
				}
				s.Clock().Lockstep().Ack("cyan2", s.Truth().Time) // the robot answers again
				s.Clock().Resume()
			},
		})
		var late *lockstep.Late
		if then == timesync.Fail {
			if !errors.As(err, &late) || late.Robot != "cyan2" || late.Since != 20*time.Millisecond {
				t.Errorf("error %v", err)
			}
			continue
		}
		if err != nil || r.Steps != 10 || len(told) != 1 || !strings.Contains(told[0], "cyan2") {
			t.Errorf("%s: %v after %+v; told %q", then, err, r, told)
		}
	}
	s := onPlane(t, Options{}, nil)
	if _, err := s.Run(t.Context(), Pace{For: time.Second, Speed: timesync.Lockstep}); err == nil {
		t.Error("lockstep with nobody to wait for")
	}
}
