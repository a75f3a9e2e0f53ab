//go:build cgo

package scenery_test

import (
	"bytes"
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

// A renderer that changes to another light and other colours renders the same bits as one whose scene had them from the
// start.
func TestShadingIsWhatTheSceneWouldHave(t *testing.T) {
	model, now := attack()
	start := render.DefaultLighting()
	start.Spots = []render.Spot{{X: 5, Y: 2, Z: 4, Amount: 0.8, Temperature: 3000}, {X: 2, Y: -3, Z: 6, Amount: 0.5,
		Temperature: 6500}}
	type look struct {
		light        render.Lighting
		ball, carpet render.Color
	}
	changed := func(change func(*look)) look {
		l := look{light: start}
		l.light.Spots = append([]render.Spot(nil), start.Spots...)
		change(&l)
		return l
	}
	looks := []struct {
		name string
		look
	}{
		{"start", changed(func(*look) {})},
		{"dim", changed(func(l *look) { l.light.Lamp, l.light.Ambient, l.light.AmbientTemperature = 0.2, 0.3, 9000 })},
		{"evening", changed(func(l *look) {
			l.light.LampElevation, l.light.LampAzimuth, l.light.LampTemperature = 0.6,
				2, 2500
		})},
		{"colours", changed(func(l *look) { l.ball, l.carpet = "#d03010", "#203a80" })},
		{"lamps", changed(func(l *look) {
			l.light.Spots[0].X, l.light.Spots[1].Amount, l.ball, l.carpet = 3, 2, "#d03010", "#203a80"
		})},
		{"dark", changed(func(l *look) {
			l.light.Lamp, l.light.Ambient, l.light.Spots[0].Amount, l.light.Spots[1].Amount = 0, 0, 0, 0
		})},
		{"start again", changed(func(*look) {})},
	}
	build := func() *scenery.Scenery {
		s := scenery.Build(model, nil)
		s.Light(start)
		s.Furnish(worlds.Hall{Hall: render.Hall{Spectators: true, Wear: 0.4}})
		return s
	}
	for name, make := range map[string]func(testing.TB, *scenery.Scenery) render.Renderer{
		"opengl": func(t testing.TB, s *scenery.Scenery) render.Renderer { return renderer(t, s) },
		"rays":   func(t testing.TB, s *scenery.Scenery) render.Renderer { return caster(t, s) },
	} {
		t.Run(name, func(t *testing.T) {
			s := build()
			r := make(t, s)
			before := render.NewImage(1, 1)
			for i, l := range looks {
				if i > 0 {
					s.SetLight(l.light)
				}
				if l.ball != "" {
					must.Do(t, s.PaintBall(l.ball))
					must.Do(t, s.PaintCarpet(l.carpet))
				}
				fresh := build()
				fresh.Light(l.light)
				fresh.Paint(l.ball, l.carpet)
				shading := s.Shading()
				if l.name == "start again" {
					shading = nil
				}
				draw := func(r render.Renderer, s *scenery.Scenery, shading *render.Shading) []render.View {
					omni, front, _, _ := cameras(now, 0.3)
					views := []render.View{omni, front}
					must.Do(t, r.Render(&render.Batch{PosesWB: s.Poses(now, nil), Shading: shading, Views: views}))
					return views
				}
				got, want := draw(r, s, shading), draw(make(t, fresh), fresh, nil)
				for k := range got {
					if !bytes.Equal(got[k].Color.Pix, want[k].Color.Pix) {
						t.Errorf("%s: view %d: the image is not that of a scene with this light from the start", l.name,
							k)
					}
				}
				black := bytes.Count(got[0].Color.Pix, []byte{0}) == len(got[0].Color.Pix)
				must.Equal(t, black, l.name == "dark", "%s: the image is black", l.name)
				if bytes.Equal(got[1].Color.Pix, before.Pix) {
					t.Errorf("%s: the image is the one before", l.name)
				}
				before = got[1].Color
			}
		})
	}
}

// No material reflects more than it receives: each colour is a share, and metals have no other.
func TestMaterialsAreShares(t *testing.T) {
	w, err := worlds.Load("spectators") // with props from glTF files
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range scenery.New(w, w.Model()).Scene.Materials {
		for c := range 3 {
			for _, share := range []float32{m.Color[c], m.Color2[c], m.F0[c], m.Roughness} {
				if !(share >= 0 && share <= 1) {
					t.Errorf("material %d: %+v", i, m)
				}
			}
		}
		if m.Metal && !(m.F0[1] > 0.2) {
			t.Errorf("material %d is a metal that reflects %v", i, m.F0)
		}
	}
}

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
	// A brighter colour sends back more light. Of materials that differ only in colours, the brightest in each channel
	// is enough.
	paints, worldOf := map[render.Material]render.Material{}, map[render.Material]string{}
	for m, world := range seen {
		kind := m
		kind.Color, kind.Color2 = mgl32.Vec3{}, mgl32.Vec3{}
		paint, ok := paints[kind]
		if !ok {
			paint = kind
		}
		for i := range 3 {
			for _, share := range []float32{m.Color[i], m.Color2[i], m.F0[i], m.Gloss} {
				if !(share >= 0 && share <= 1) {
					t.Errorf("%s: a share of light must be 0 to 1: %+v", world, m)
				}
			}
			paint.Color[i], paint.Color2[i] = max(paint.Color[i], m.Color[i]), max(paint.Color2[i], m.Color2[i])
		}
		paints[kind], worldOf[kind] = paint, world
	}
	brightest := 0.0
	for kind, m := range paints {
		world := worldOf[kind]
		most, sigma := furnace(t, m)
		brightest = math.Max(brightest, most)
		// Tables of the reflectance of layers are accurate to 0.01.
		if !(most > 0 && most <= 1+4*sigma+0.01) {
			t.Errorf("%s: sends back %.4f ± %.4f of 1: %+v", world, most, sigma, m)
		}
	}
	t.Logf("%d materials of %d kinds; the brightest sends back %.3f", len(seen), len(paints), brightest)
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
	must.Do(t, r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()}, Views: []render.View{v}}))
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
