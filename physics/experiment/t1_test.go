//go:build cgo

package experiment_test

import (
	"flag"
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

var t1Seeds = flag.Int("t1.seeds", 0, "number of walks of a T1 at each velocity; 0: one ahead")

// Booster's T1, whose hip axes do not meet, walks 5 m at 0.25 m/s and more, back, aside and in curves, while it
// measures its tilt with noise and is pushed by 0.05 m/s every two seconds.
func TestT1Walks(t *testing.T) {
	w := must.Get(worlds.Load(simtest.BoosterT1(t, "../..", `
name = "t1"
field = "hsl-14x9"
ball = false
physics = { engine = "mujoco" }
[[robot]]
name = "t1"
model = "T1_23dof.xml"
drive = { level = "joints", `+simtest.BoosterDrive+` }
`)))(t)
	twists := []physics.PlanarTwist{{VX: 0.25}, {VX: 0.35}, {VX: -0.15}, {VY: 0.12}, {VY: -0.12}, {Omega: 0.6},
		{VX: 0.2, Omega: -0.4}}
	seeds := *t1Seeds
	if seeds == 0 {
		seeds, twists = 1, twists[:1]
	}
	for _, twist := range twists {
		falls := 0
		for seed := range seeds {
			model := w.Model()
			model.Seed = uint64(seed)
			sin, cos := math.Sincos(float64(seed))
			model.Robots[0].Pose = spatial.Planar(-2.5*cos, -2.5*sin, float64(seed))
			f := must.Get(experiment.Walk(model, experiment.WalkTrial{Twist: twist, Way: 5, Seconds: 30,
				Push: 0.05}))(t)
			t.Logf("%+v seed %d: %.3f m/s %.3f m/s %.3f rad/s, %.2f m in %.1f s, fell %v", twist, seed, f.Twist.VX,
				f.Twist.VY, f.Twist.Omega, f.Way, f.Seconds, f.Fell)
			got := f.Twist.VX*twist.VX + f.Twist.VY*twist.VY + f.Twist.Omega*twist.Omega
			want := twist.VX*twist.VX + twist.VY*twist.VY + twist.Omega*twist.Omega
			if f.Fell {
				falls++
			} else if !(got > 0.5*want) || twist.VX == 0.25 && !(f.Twist.VX > 0.2 && f.Way >= 5) {
				t.Errorf("%+v, seed %d: walks at %.3f m/s, %.3f m/s and %.3f rad/s", twist, seed, f.Twist.VX, f.Twist.VY,
					f.Twist.Omega)
			}
		}
		if falls > seeds/10 {
			t.Errorf("%+v: %d of %d walks ended in a fall", twist, falls, seeds)
		}
	}
}
