package raster

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// mayReach gives the same answer as markDistance.
func TestMarkingsReachAsFarAsTheirDistanceSays(t *testing.T) {
	const seed = 3
	random := rand.New(rand.NewPCG(seed, 0))
	for _, k := range []spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{-1, 0.5}, B: [2]float64{1, -0.5}, Width: 0.2},
		{Kind: spatial.Segment, A: [2]float64{0.3, 0.5}, B: [2]float64{0.3, 0.5}, Width: 0.2},
		{Kind: spatial.Arc, A: [2]float64{0.2, 0}, Radius: 1, Sweep: 2 * math.Pi, Width: 0.2},
		{Kind: spatial.Arc, Radius: 1, From: 1, Sweep: 2, Width: 0.2},
		{Kind: spatial.Spot, A: [2]float64{0.2, -0.4}, Radius: 0.3},
	} {
		near := 0
		const tries = 5000
		for range tries {
			x, y, reach := 6*random.Float64()-3, 6*random.Float64()-3, 2*random.Float64()
			d := markDistance(&k, x, y)
			want := d < reach
			if want {
				near++
			}
			if got := mayReach(&k, x, y, reach); got != want && !(math.Abs(d-reach) < 1e-9) {
				t.Errorf("seed %d: %+v: within %v of (%v, %v): %v, distance %v", seed, k, reach, x, y, got, d)
			}
		}
		if near < tries/10 || near > tries*9/10 {
			t.Errorf("%+v: %d of %d points were near", k, near, tries)
		}
	}
}
