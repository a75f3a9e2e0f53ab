package experiment_test

import (
	"flag"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var walkSeeds = flag.Int("walk.seeds", 0, "number of walks of each kind; 0: one walk of each robot")

// Figures are those of a body that moves at a constant velocity, sways and rolls.
func TestWalkFigures(t *testing.T) {
	const step, roll = 0.005, 0.03
	s := experiment.NewWalkSamples(step)
	for k := range 3000 {
		now := step * float64(k)
		sin := math.Sin(2 * math.Pi * 1.7 * now)
		pose := spatial.Planar(0, 0, 0.5).Mul(spatial.Planar(0.2*now, 0.02*sin-0.01*now, 0))
		pose.Rot = pose.Rot.Mul(mgl64.QuatRotate(roll*sin, mgl64.Vec3{1, 0, 0}))
		s.Add(pose)
	}
	f := s.Figures()
	must.Near(t, "velocity ahead, m/s", f.Twist.VX, 0.2, 1e-3)
	must.Near(t, "velocity aside, m/s", f.Twist.VY, -0.01, 1e-3)
	must.Near(t, "velocity of the heading, rad/s", f.Twist.Omega, 0, 1e-3)
	must.Near(t, "frequency, Hz", f.Frequency, 1.7, 0.03)
	must.Near(t, "lateral amplitude, m", f.Lateral, 0.02, 3e-4)
	must.Near(t, "roll, rad", f.Roll, roll, 1e-3)
	must.Near(t, "pitch, rad", f.Pitch, 0, 1e-6)
	must.Equal(t, f.Fell, false, "fell")
}

// Humanoids walk ahead, back, aside and turn without falls, while they measure their tilt with noise, and are pushed by
// 0.05 m/s every two seconds. They start with various headings.
func TestHumanoidsWalk(t *testing.T) {
	w := must.Get(worlds.Load("humanoids-stand"))(t)
	for k, robot := range w.Robots {
		ahead := []float64{0.25, 0.3}[k]
		for _, walk := range []struct {
			name  string
			twist physics.PlanarTwist
			turn  float64
			least float64 // mean speed, as a share of the commanded one
		}{
			{"ahead", physics.PlanarTwist{VX: ahead}, 0, 0.8},
			{"back", physics.PlanarTwist{VX: -0.15}, 0, 0.5},
			{"left", physics.PlanarTwist{VY: 0.15}, 0, 0.5},
			{"right", physics.PlanarTwist{VY: -0.15}, 0, 0.5},
			{"turn", physics.PlanarTwist{Omega: 0.8}, 2 * math.Pi, 0.7},
			{"curve", physics.PlanarTwist{VX: 0.2, Omega: -0.4}, 2 * math.Pi, 0.7},
		} {
			seeds, falls, slow := max(1, *walkSeeds), 0, 0
			if *walkSeeds == 0 && walk.name != []string{"ahead", "curve"}[k] {
				continue
			}
			for seed := range seeds {
				model := w.Model()
				model.Seed, model.Robots, model.Ball.Absent = uint64(seed), model.Robots[k:k+1], true
				sin, cos := math.Sincos(float64(seed) + math.Atan2(walk.twist.VY, walk.twist.VX)) // past the centre
				model.Robots[0].Pose = spatial.Planar(-2.5*cos, -2.5*sin, float64(seed))
				way := 5.0
				if walk.turn > 0 {
					way = math.Inf(1)
				}
				f := must.Get(experiment.Walk(model, experiment.WalkTrial{Twist: walk.twist, Way: way, Turn: walk.turn,
					Seconds: 60, Push: 0.05}))(t)
				t.Logf("%-6s %-5s seed %2d  v %6.3f %6.3f m/s %6.3f rad/s  way %4.2f m %5.2f rad in %4.1f s  %.2f Hz  "+
					"roll %.1f° pitch %.1f° lean %4.1f°  lateral %4.1f mm vertical %3.1f mm  fell %v", robot.Name,
					walk.name, seed, f.Twist.VX, f.Twist.VY, f.Twist.Omega, f.Way, f.Turned, f.Seconds, f.Frequency,
					f.Roll/spatial.Degree, f.Pitch/spatial.Degree, f.Lean/spatial.Degree, 1e3*f.Lateral, 1e3*f.Vertical,
					f.Fell)
				got := f.Twist.VX*walk.twist.VX + f.Twist.VY*walk.twist.VY + f.Twist.Omega*walk.twist.Omega
				want := walk.twist.VX*walk.twist.VX + walk.twist.VY*walk.twist.VY + walk.twist.Omega*walk.twist.Omega
				if f.Fell {
					falls++
				} else if !(got >= walk.least*want) {
					slow++
				}
			}
			if most := seeds / 10; falls > most || slow > 0 {
				t.Errorf("%s %s: of %d walks, %d ended in a fall, and %d were slower than %g times the command",
					robot.Name, walk.name, seeds, falls, slow, walk.least)
			}
		}
	}
}
