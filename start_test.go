package omnipitch

import (
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/worlds"
)

// crowd returns a world of n robots of the model nubot that request no images.
func crowd(t testing.TB, n int) *worlds.World {
	t.Helper()
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	w.Obstacles = nil
	nubot := w.Robots[0]
	w.Robots = nil
	const across = 20
	for i := range n {
		r := nubot
		r.Name, r.Number, r.Team = fmt.Sprintf("robot%d", i), i/2+1, []physics.Team{physics.Cyan, physics.Magenta}[i%2]
		r.Pose = worlds.Pose{X: 0.8 * (float64(i%across) - float64(across)/2), Y: 0.8*float64(i/across) - 5.5}
		r.Sensors = nil
		for _, c := range nubot.Sensors {
			if c.Image != nil {
				c.Level = abstraction.Objects
			}
			r.Sensors = append(r.Sensors, c)
		}
		w.Robots = append(w.Robots, r)
	}
	return w
}

// Data that robots of one model share is made only once. Without this, two hundred robots took 1.6 GB and 16 s to make.
// A team has numbers for at most 99 robots.
func TestRobotsOfOneModelAreMadeOnce(t *testing.T) {
	w := crowd(t, 2*99)
	var s *Sim
	allocs.AtMost(t, 400<<20, func() {
		var err error
		if s, err = New(w, Options{}); err != nil {
			t.Fatal(err)
		}
	})
	defer s.Close()
	steps(t, s, 2)
}

func BenchmarkStart(b *testing.B) {
	w := crowd(b, 2*99)
	b.ReportAllocs()
	for b.Loop() {
		s, err := New(w, Options{})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
