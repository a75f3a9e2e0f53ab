package omnipitch

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// slowRenderer takes a fixed time for every frame, on a fake wall clock.
type slowRenderer struct {
	wall *fakeWall
	time time.Duration
}

func (r *slowRenderer) Render(*render.Batch) error {
	r.wall.mu.Lock()
	defer r.wall.mu.Unlock()
	r.wall.now += r.time
	return nil
}

func (r *slowRenderer) Close() {}

// TestProgressTellsTheTruth uses images that take 5 s each, and instantaneous steps between them. The sums over all
// Progress values agree with the report, and no factor is higher than the images allow.
func TestProgressTellsTheTruth(t *testing.T) {
	wall := &fakeWall{}
	s := onPlane(t, Options{Wall: wall, NewRenderer: func(*render.Scene) (render.Renderer, error) {
		return &slowRenderer{wall, 5 * time.Second}, nil
	}}, func(w *worlds.World) {
		w.Robots = w.Robots[1:2]
		for i := range w.Robots[0].Sensors {
			c := &w.Robots[0].Sensors[i]
			c.Latency, c.Jitter = 20*time.Millisecond, 0
			if c.Kind == sensors.OmniKind {
				c.Level, c.Rate = abstraction.Raw, 10
			}
		}
	})
	for i := range s.World().Robots[0].Sensors {
		c := &s.World().Robots[0].Sensors[i]
		if c.Kind != sensors.OmniKind {
			continue
		}
		if _, err := s.Listen(s.World().Robots[0].Name, c.Name,
			Listener{Observe: func(*sensors.Observation) {}}); err != nil {
			t.Fatal(err)
		}
	}
	var told []Progress
	r, err := s.Run(t.Context(), Pace{For: 2 * time.Second, Speed: timesync.Max,
		Progress: func(p Progress) { told = append(told, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) < 10 || !(r.Factor() > 0 && r.Factor() < 0.03) {
		t.Fatalf("%d times told, factor %v: the pictures took no time", len(told), r.Factor())
	}
	var before Progress
	for _, p := range told {
		if got := p.Factor * (p.Wall - before.Wall).Seconds(); !scalar.EqualWithinAbs(got,
			(p.Sim - before.Sim).Seconds(), 1e-6) {
			t.Errorf("at %v: factor %v over %v wall is %v s, but %v went by", p.Wall, p.Factor, p.Wall-before.Wall, got,
				p.Sim-before.Sim)
		}
		if !(p.Factor <= 0.05) {
			t.Errorf("at %v: factor %v, want about 0.02", p.Wall, p.Factor)
		}
		if measured := s.Clock().Factor().Measured; !(measured <= 0.05) {
			t.Errorf("measured %v, want about 0.02", measured)
		}
		before = p
	}
	if !scalar.EqualWithinAbs(before.Sim.Seconds(), r.Sim.Seconds(), 0.2) {
		t.Errorf("told up to %v of %v", before.Sim, r.Sim)
	}
}
