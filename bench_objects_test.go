package omnipitch

import (
	"testing"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Ten robots with all their cameras at objects, and somebody who listens to every sensor, on the planar engine.
func BenchmarkTenRobotsAtObjects(b *testing.B) {
	w, err := worlds.Load("planar")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(w, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, r := range w.Robots {
		for _, c := range r.Sensors {
			if _, err := s.Listen(r.Name, c.Name, Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Step(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(w.Time.Step.Seconds()/b.Elapsed().Seconds()*float64(b.N), "real_time_factor")
}
