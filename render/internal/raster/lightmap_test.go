package raster

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// The texels that a driver copies are on the map, wherever bodies are: beside the field, far away, or nowhere.
func TestShadesLieOnTheMap(t *testing.T) {
	m := NewLightMap(&render.Scene{Floor: render.Floor{SizeX: 20, SizeY: 14},
		Shading: render.Shading{Light: render.Light{DirectionW: [3]float32{0.3, 0.2, 0.9}}}})
	bodies := []Body{{Box: Box{mgl64.Vec3{-0.3, -0.3, 0}, mgl64.Vec3{0.3, 0.3, 0.8}}, Radius: 0.6}}
	for _, x := range []float64{0, 9.9, 10.5, -12, 1e3, -1e12, math.Inf(1), math.NaN()} {
		m.Shade(bodies, []spatial.Pose{spatial.Translation(mgl64.Vec3{x, 0, 0})}, false)
		for _, r := range m.Regions {
			if x0, y0, x1, y1 := m.Texels(r); x0 < 0 || y0 < 0 || x0 >= x1 || y0 >= y1 || x1 > m.Width ||
				y1 > m.Height {
				t.Errorf("a body at x = %v shades (%d, %d) to (%d, %d) of %d × %d texels", x, x0, y0, x1, y1, m.Width,
					m.Height)
			}
		}
		if shades := len(m.Regions) > 0; shades != (math.Abs(x) < 11) {
			t.Errorf("a body at x = %v shades the map: %v", x, shades)
		}
	}
}

// Places under bodies are shaded, including static ones; places that moving bodies have left are not.
func TestShadesFollowTheBodies(t *testing.T) {
	m := NewLightMap(&render.Scene{Floor: render.Floor{SizeX: 20, SizeY: 14},
		Shading: render.Shading{Light: render.Light{DirectionW: [3]float32{0, 0, 1}}}})
	box := Box{mgl64.Vec3{-0.3, -0.3, 0}, mgl64.Vec3{0.3, 0.3, 0.8}}
	bodies := []Body{{Box: box, Radius: 0.6, Static: true}, {Box: box, Radius: 0.6}}
	at := func(x float64) []spatial.Pose {
		return []spatial.Pose{spatial.Translation(mgl64.Vec3{-5, 0, 0}), spatial.Translation(mgl64.Vec3{x, 0, 0})}
	}
	m.Shade(bodies, at(0), true)
	for _, x := range []float64{0, 3, 6} {
		m.Shade(bodies, at(x), false)
		for _, place := range []float64{-8, -5, -2, 0, 3, 6} {
			got := m.touches([2]float64{place - 0.1, -0.1}, [2]float64{place + 0.1, 0.1})
			if want := place == -5 || place == x; got != want {
				t.Errorf("a body at x = %v: the floor at %v is shaded: %v, want %v", x, place, got, want)
			}
		}
	}
}
