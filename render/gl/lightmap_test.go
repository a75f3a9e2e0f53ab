package gl

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// What the driver is told to copy lies on the map, wherever bodies are: beside the field, far away, or nowhere at all.
func TestShadesLieOnTheMap(t *testing.T) {
	m := newLightMap(&render.Scene{Floor: render.Floor{SizeX: 20, SizeY: 14}, Shading: render.Shading{Light: render.Light{DirectionW: [3]float32{0.3, 0.2, 0.9}}}})
	b := &box{mgl64.Vec3{-0.3, -0.3, 0}, mgl64.Vec3{0.3, 0.3, 0.8}}
	for _, x := range []float64{0, 9.9, 10.5, -12, 1e3, -1e12, math.Inf(1), math.NaN()} {
		before := len(m.dirty)
		m.addShaded(b, spatial.Translation(mgl64.Vec3{x, 0, 0}))
		for _, d := range m.dirty[before:] {
			if d.x0 < 0 || d.y0 < 0 || d.x0 >= d.x1 || d.y0 >= d.y1 || d.x1 > m.width || d.y1 > m.height {
				t.Errorf("a body at x = %v shades %+v of %d × %d texels", x, d, m.width, m.height)
			}
		}
		if shades := len(m.dirty) > before; shades != (math.Abs(x) < 11) {
			t.Errorf("a body at x = %v shades the map: %v", x, shades)
		}
	}
}
