//go:build cgo

package scenery_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// No material of any shipped world reflects more light than it receives: in uniform light of 1 a ball of it is nowhere
// brighter than 1. The oracle is the conservation of energy.
func TestNoMaterialReflectsMoreThanItGets(t *testing.T) {
	seen := map[render.Material]string{}
	for _, f := range worlds.Shipped() {
		if f.Kind != "world" {
			continue
		}
		w := must.Get(worlds.Load(f.Name))(t)
		s := scenery.New(w, w.Model()).Scene
		for _, m := range s.Materials {
			seen[m] = f.Name
		}
		for _, c := range []mgl32.Vec3{s.Carpet, s.Floor.LineColor, s.Room.Floor, s.Room.Wall, s.Room.Ceiling} {
			seen[render.Material{Color: c}] = f.Name
		}
	}
	if len(seen) < 20 {
		t.Fatalf("only %d materials", len(seen))
	}
	brightest := 0.0
	for m, world := range seen {
		for i := range 3 {
			for _, share := range []float32{m.Color[i], m.Color2[i], m.F0[i], m.Gloss} {
				if !(share >= 0 && share <= 1) {
					t.Errorf("%s: a share of light must be 0 to 1: %+v", world, m)
				}
			}
		}
		most, sigma := furnace(t, m)
		brightest = math.Max(brightest, most)
		// Tables of the reflectance of layers are accurate to 0.01.
		if !(most > 0 && most <= 1+4*sigma+0.01) {
			t.Errorf("%s: sends back %.4f ± %.4f of 1: %+v", world, most, sigma, m)
		}
	}
	t.Logf("%d materials; the brightest sends back %.3f", len(seen), brightest)
}

// furnace returns the largest radiance of a ball of a material in uniform light of 1, over its colour channels, and its
// standard error.
func furnace(t *testing.T, m render.Material) (most, sigma float64) {
	t.Helper()
	s := &render.Scene{
		Shading: render.Shading{Materials: []render.Material{m}, Light: render.Light{Background: mgl32.Vec3{1, 1, 1}}},
		Meshes:  []render.Mesh{shapes.Sphere(1, 4)},
		Bodies:  []render.Body{{Parts: []render.Part{{PoseBP: spatial.Identity()}}}},
	}
	r := must.Get(backend.PathTracer(render.Tracing{Samples: 32})(s))(t)
	defer r.Close()
	const side = 12
	// the ball fills the image
	v := view(optics.PinholeFromFOV(side, side, 0.5),
		spatial.Translation(mgl64.Vec3{-2, 0, 0}).Mul(spatial.BodyToOptical()))
	v.Color, v.Radiance = nil, render.NewRadiance(side, side)
	if err := r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()},
		Views: []render.View{v}}); err != nil {
		t.Fatal(err)
	}
	for c := range 3 {
		sum, variance := 0.0, 0.0
		for i := c; i < len(v.Radiance.Light); i += 3 {
			sum, variance = sum+float64(v.Radiance.Light[i]), variance+math.Pow(float64(v.Radiance.Error[i]), 2)
		}
		if mean := sum / (side * side); !(mean <= most) {
			most, sigma = mean, math.Sqrt(variance)/(side*side)
		}
	}
	return most, sigma
}
