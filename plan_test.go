package omnipitch

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

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

// The steps do the work that plan predicts.
func TestPlanIsWhatStepsDo(t *testing.T) {
	s := onPlane(t, Options{}, func(w *worlds.World) {
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
