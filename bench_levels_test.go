package omnipitch

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// BenchmarkTenRobots steps ten driving robots on the planar engine, with a listener to every sensor.
func BenchmarkTenRobots(b *testing.B) {
	for _, level := range []abstraction.Level{abstraction.Features, abstraction.Objects, abstraction.Truth} {
		b.Run(string(level), func(b *testing.B) { benchTenRobots(b, level) })
	}
}

func benchTenRobots(b *testing.B, level abstraction.Level) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	w.Physics.Engine = "planar"
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; level.In(c.Kind.Levels()) {
				c.Level = level
			}
		}
	}
	s, err := New(w, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, r := range w.Robots {
		if err := s.Do(&action.Drive{Robot: r.Name, VX: 0.5, Omega: 1.5}); err != nil {
			b.Fatal(err)
		}
		for _, c := range r.Sensors {
			if _, err := s.Listen(r.Name, c.Name, Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for s.Truth().Time < time.Second { // warm up caches and buffers
		if err := s.Step(); err != nil {
			b.Fatal(err)
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
