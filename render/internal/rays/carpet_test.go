package rays

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
)

// A point of the carpet has the carpet's colour, apart from its grain, and none of the bare floor's around it, although
// in single precision a footprint as small as a point's loses part of its width far from the middle.
func TestPointsOfTheCarpetAreCarpet(t *testing.T) {
	s := &render.Scene{Floor: render.Floor{SizeX: 20, SizeY: 14}, Room: render.Room{Floor: mgl32.Vec3{0.5, 0.1, 0.1}}}
	c := NewUsedCarpet(s)
	c.Color = V(0.04, 0.2, 0.08)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y := float32(19.9*(rnd.Float64()-0.5)), float32(13.9*(rnd.Float64()-0.5))
		if got := c.Albedo(x, y, &Footprint{}); !(math.Abs(float64(got.X/got.Y)-0.2) <= 1e-6) {
			t.Fatalf("at (%v, %v): %v", x, y, got)
		}
	}
}
