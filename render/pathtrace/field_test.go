package pathtrace

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/render/rays"
)

// In an empty hall the light on the floor, on the walls and on the ceiling is what package light computes without paths.
func TestEmptyHallIsLitAsTheFieldSays(t *testing.T) {
	s := &render.Scene{
		Floor: render.Floor{SizeX: 20, SizeY: 14},
		Room:  render.Room{Margin: 5, Height: 5, Wall: mgl32.Vec3{0.36, 0.35, 0.33}, Ceiling: mgl32.Vec3{0.65, 0.65, 0.64}, Floor: mgl32.Vec3{0.17, 0.16, 0.15}},
	}
	l := render.DefaultLighting()
	l.LampElevation = 1.2
	s.Light, s.Carpet = l.Light(), mgl32.Vec3{0.03, 0.12, 0.04}
	r, err := New(s, render.Tracing{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x := r.newScene(&render.Batch{}, &s.Shading)
	f := light.NewField(s, &s.Shading)
	for _, c := range []struct {
		o, d rays.Vec
		grid *light.Grid
		node int // of the grid, on the ray
	}{
		{rays.V(0, 0, 1), rays.V(0, 0, -1), &f.Floor, f.Floor.Rows/2*f.Floor.Cols + f.Floor.Cols/2},
		{rays.V(-10, -8, 1), rays.V(0, 0, -1), &f.Floor, 4*f.Floor.Cols + 5},
		{rays.V(1, 1, 1), rays.V(0, 0, 1), &f.Ceiling, 13*f.Floor.Cols + 16},
		{rays.V(-13, 1, 1), rays.V(0, 0, 1), &f.Ceiling, 13*f.Floor.Cols + 2},
		{rays.V(-14, 1, 1), rays.V(0, 0, 1), &f.Ceiling, 13*f.Floor.Cols + 1},
	} {
		got := measure(10000, func(r *random) float64 { return luminanceOf(x.radiance(c.o, c.d, 0, x.tree, x.surfaces, r)) })
		albedo := x.carpet.Albedo(c.o.X, c.o.Y, &rays.Footprint{})
		if c.d.Z > 0 {
			albedo = x.ceiling
		}
		want := 0.0
		for _, of := range c.grid.Of {
			want += luminanceOf(rays.Vec32(of[c.node]).Times(albedo))
		}
		if got.misses(want, 0.015*want) {
			t.Errorf("at %v along %v: radiance %.4f ± %.4f, the field says %.4f", c.o, c.d, got.mean, got.sigma, want)
		}
	}
}

func luminanceOf(v rays.Vec) float64 { return float64(luminance(v)) }
