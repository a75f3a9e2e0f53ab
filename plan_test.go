package omnipitch

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The steps do the work that plan predicts.
func TestPlanIsWhatStepsDo(t *testing.T) {
	w := must.Get(worlds.Load("planar"))(t)
	w.Robots = w.Robots[:3]
	w.Robots[1].Sensors[0].Level = abstraction.Raw
	w.Robots[1].Sensors[0].Image.Width, w.Robots[1].Sensors[0].Image.Height = 64, 64
	w.Robots[2].Sensors[0].Jitter = 3 * time.Millisecond
	s := must.Get(New(w, Options{}))(t)
	defer s.Close()
	for i, fault := range []sensors.Fault{sensors.Frozen, "", sensors.Off} {
		for _, c := range w.Robots[i].Sensors {
			must.Get(s.Listen(w.Robots[i].Name, c.Name, Listener{Observe: func(*sensors.Observation) {}}))(t)
			if fault != "" {
				must.Do(t, s.Do(&action.BreakSensor{Robot: w.Robots[i].Name, Sensor: c.Name, Fault: fault}))
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
		t.Error("no images were planned")
	}
	for range 200 {
		must.Do(t, s.Step())
	}
	// 30 images per second with 33 ms of latency
	if _, drawn := s.plan(s.truth.Time, 0, nil, nil); len(drawn) > 3 {
		t.Errorf("%d images count as not drawn, want at most 3", len(drawn))
	}
}
