package raster

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
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
		must.Equal(t, len(m.Regions) > 0, math.Abs(x) < 11, "a body at x = %v shades the map", x)
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
			must.Equal(t, got, place == -5 || place == x, "a body at x = %v: the floor at %v is shaded", x, place)
		}
	}
}

// Tiles are classified as shaded wherever the shadow map has less than full light, and not far from bodies.
func TestTilesFollowAShadowMap(t *testing.T) {
	grey := mgl32.Vec3{0.5, 0.5, 0.5}
	s := &render.Scene{
		Meshes: []render.Mesh{shapes.Box(0.4, 0.4, 0.4)},
		Floor:  render.Floor{SizeX: 12, SizeY: 6},
		Room:   render.Room{Margin: 1, Height: 5, Floor: grey, Wall: grey, Ceiling: grey},
		Shading: render.Shading{
			Materials: []render.Material{{Color: grey}}, Carpet: grey,
			Light: render.Light{DirectionW: mgl32.Vec3{0, 0, 1}, Lamp: grey, Sky: grey},
		},
	}
	part := []render.Part{{PoseBP: spatial.Identity()}}
	s.Bodies = []render.Body{{Parts: part, Static: true}, {Parts: part}}
	shadowMap := light.NewShadowMap(s, light.NewField(s, &s.Shading))
	m := NewLightMap(s)
	for _, x := range []float64{0, 3, 5} {
		shadowMap.Draw([]spatial.Pose{spatial.Translation(mgl64.Vec3{-4, 0, 0.2}),
			spatial.Translation(mgl64.Vec3{x, 1, 0.2})})
		m.Follow(shadowMap)
		less := 0
		for i := range shadowMap.Width * shadowMap.Height {
			u, v := (float64(i%shadowMap.Width)+0.5)/float64(shadowMap.Width),
				(float64(i/shadowMap.Width)+0.5)/float64(shadowMap.Height)
			if shadowMap.Pix[2*i]&shadowMap.Pix[2*i+1] == 255 {
				continue
			}
			less++
			if !m.Shaded.touches([2]float64{u, v}, [2]float64{u, v}) {
				t.Fatalf("a body at x = %v: (%.3f, %.3f) of the map has the light %v, but counts as lit", x, u, v,
					shadowMap.Pix[2*i:2*i+2])
			}
		}
		if less < 100 {
			t.Errorf("a body at x = %v: %d texels have less than all light", x, less)
		}
		for _, place := range []float64{-4, x} {
			if !m.touches([2]float64{place, 0.9}, [2]float64{place, 1}) {
				t.Errorf("a body at x = %v: the floor at %v is not shaded", x, place)
			}
		}
		if m.touches([2]float64{-1.5, -2.5}, [2]float64{-1, -2}) {
			t.Errorf("a body at x = %v shades distant cells", x)
		}
	}
}
