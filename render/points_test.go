package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Every point must project to its pixel, at its depth.
func TestPointsProjectBack(t *testing.T) {
	lens := optics.Pinhole{Width: 40, Height: 30, FX: 35, FY: 36, CX: 19, CY: 16}
	d := NewDepth(40, 30)
	for i := range d.Z {
		d.Z[i] = 0.5 + 0.01*float32(i)
	}
	d.Z[7], d.Z[8] = 0, float32(math.Inf(1))
	points := Points(d, lens, nil)
	for i, p := range points {
		if i == 7 || i == 8 {
			if p[0] == p[0] {
				t.Errorf("pixel %d, of which nothing is known, is at %v", i, p)
			}
			continue
		}
		u, v, ok := lens.Project(mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])})
		if !ok || !(math.Hypot(u-float64(i%40), v-float64(i/40)) <= 1e-4) || p[2] != d.Z[i] {
			t.Fatalf("pixel %d is seen at (%v, %v), %v m away", i, u, v, p[2])
		}
	}
}
