package ode

import (
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/internal/play"
)

var levels = []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive}

func mixed(i int) physics.DriveLevel { return levels[i%2] }

// rig gives access to the world of an engine.
type rig struct {
	*enginetest.Rig
	world *world
}

func start(t testing.TB, model *physics.Model) *rig {
	t.Helper()
	r := &rig{}
	r.Rig = enginetest.Start(t, func(s *physics.Model) (physics.Engine, error) {
		b, err := newBodies(s)
		if err != nil {
			return nil, err
		}
		r.world = b.world
		return play.New(s, b)
	}, model)
	return r
}

// Many robots push towards the centre of the field, with the exact and with the iterative solver.
func BenchmarkPile(b *testing.B) {
	for _, n := range []int{10, 20, 40} {
		for name, most := range map[string]int{"exact": 1 << 30, "iterative": 0} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				r := start(b, enginetest.Match(n, func(int) physics.DriveLevel { return physics.WheelsDrive }))
				r.Run(2, r.rush)
				r.world.setPile(most)
				r.Benchmark(b, r.rush)
				b.ReportMetric(float64(r.world.contacts()), "contacts")
			})
		}
	}
}

// rush sends every robot to the field's centre.
func (r *rig) rush() {
	for i := range r.Commands {
		b := r.S.Robots[i].PoseWB.Unrotate(r.S.Robots[i].PoseWB.Pos)
		r.Commands[i].TwistB = physics.PlanarTwist{VX: -3 * b[0], VY: -3 * b[1]}
	}
}
