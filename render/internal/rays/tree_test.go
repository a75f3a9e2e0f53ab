package rays

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// No ray slips through a wall between two of its triangles, even if it hits their common edge at a flat angle.
func TestNothingIsSeenThroughSeams(t *testing.T) {
	wall := shapes.GridBox(20, 0.24, 2.5, 1, 0.25)
	tree := NewTree(AddTriangles(nil, &wall, spatial.Translation(mgl64.Vec3{3, -1.2, 1.25})))
	r := rand.New(rand.NewPCG(1, 2))
	eye, slipped := Vec{-7.3, 0.1, 0.9}, 0
	const n = 100000
	for range n {
		// on an edge between two squares: upright, or near the floor
		at := Vec{float32(-6 + r.IntN(18)), -1.08, 2.5 * r.Float32()}
		if r.IntN(2) == 0 {
			at = Vec{-6.9 + 19*r.Float32(), -1.08, 0.25}
		}
		d := at.Sub(eye)
		best := Intersection{T: float32(math.Inf(1)), Source: -1}
		tree.First(eye, d, Vec{1 / d.X, 1 / d.Y, 1 / d.Z}, 0, &best, nil, nil)
		if !(math.Abs(float64(best.T)-1) < 1e-3) {
			slipped++
		}
	}
	if slipped > 0 {
		t.Errorf("%d of %d rays do not meet the wall where they should", slipped, n)
	}
}
