package pathtrace

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The light above white equals that of the radiance, cell by cell.
func TestLightAboveWhiteIsOfTheRadiance(t *testing.T) {
	s, poses := inHall()
	up := spatial.RPY([3]float64{-1, 0, 1}, 0, -0.9, 0).Mul(spatial.BodyToOptical())
	v := view(optics.PinholeFromFOV(41, 35, 1.8), up)
	v.Color = render.NewImage(41, 35)
	v.Color.KeepAbove()
	v.Color.Above[0] = float32(math.NaN()) // left over from another image
	draw(t, tracer(t, s, render.Tracing{Samples: 2}), poses, v)
	cols, rows := render.Cells(41, 35)
	sum := 0.0
	for i := range 3 * cols * rows {
		x0, y0, want, n := i/3%cols*render.CellSize, i/3/cols*render.CellSize, 0.0, 0
		for y := y0; y < min(y0+render.CellSize, 35); y++ {
			for x := x0; x < min(x0+render.CellSize, 41); x++ {
				want, n = want+max(float64(v.Radiance.Light[3*(y*41+x)+i%3])-1, 0), n+1
			}
		}
		if got := float64(v.Color.Above[i]); !scalar.EqualWithinAbsOrRel(got, want/float64(n), 1e-6, 1e-4) {
			t.Errorf("cell %d: %v above white, want %v", i, got, want/float64(n))
		}
		sum += want
	}
	if !(sum > 10) {
		t.Errorf("%v above white in all: no lamp is seen", sum)
	}
}
