package pathtrace

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// estimate is a mean and its standard error.
type estimate struct{ mean, sigma float64 }

// measure returns the mean of n numbers.
func measure(n int, of func(r *random) float64) estimate {
	var sum, squares float64
	for i := range n {
		r := newRandom(7, 0, uint64(i))
		x := of(&r)
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / float64(n)
	return estimate{mean, math.Sqrt(max(squares/float64(n)-mean*mean, 0) / float64(n-1))}
}

// misses reports whether an estimate differs from want by more than 4σ plus a tolerance.
func (e estimate) misses(want, tolerance float64) bool {
	return !(math.Abs(e.mean-want) <= 4*e.sigma+tolerance)
}

// In uniform light of 1, a white matt surface and a lossless mirror reflect 1 with any layer over them, and nothing
// reflects more. The oracle is the conservation of energy.
func TestSurfacesReflectNoMoreThanTheyGet(t *testing.T) {
	const n = 4000
	for _, roughness := range []float32{0, 0.02, 0.1, 0.3, 0.6, 1} {
		table := newAlbedos(roughness)
		for _, cos := range []float32{0.02, 0.2, 0.5, 0.9, 1} {
			out := rays.V(rays.Sqrt(1-cos*cos), 0, cos)
			furnace := func(m matter) estimate {
				return measure(n, func(r *random) float64 {
					_, weight, _ := m.sample(out, r)
					return float64(weight.Y)
				})
			}
			name := fmt.Sprintf("roughness %v, cosine %v", roughness, cos)
			// The table's interpolation is within 0.004, and its integral within 0.01 at grazing angles.
			white := furnace(matter{color: one, f0: one.Mul(0.04), roughness: roughness, albedos: table})
			if white.misses(1, 0.015) {
				t.Errorf("%s: white below a layer sends back %.4f ± %.4f of 1", name, white.mean, white.sigma)
			}
			metal := furnace(matter{f0: one, roughness: roughness, albedos: table})
			least := 0.0 // light that is scattered twice is lost, on rough metal and at grazing angles
			if roughness <= 0.1 && cos >= 0.5 {
				least = 0.97
			}
			if !(metal.mean <= 1+4*metal.sigma+1e-5) || !(metal.mean >= least) || roughness == 0 &&
				metal.misses(1, 1e-5) {
				t.Errorf("%s: metal without loss sends back %.4f ± %.4f of 1", name, metal.mean, metal.sigma)
			}
			scale, bias := table.scaleBias(cos)
			if metal.misses(float64(scale+bias), 0.01) {
				t.Errorf("%s: metal sends back %.4f ± %.4f, by its table %.4f", name, metal.mean, metal.sigma,
					scale+bias)
			}
		}
	}
	for _, cos := range []float32{0.02, 0.1, 0.3, 0.7, 1} {
		out := rays.V(rays.Sqrt(1-cos*cos), 0, cos)
		for _, share := range []float32{0.4, 1} { // of the light that a carpet's tips intercept
			m := matter{color: one, f0: one.Mul(share), albedos: pileAlbedos()}
			back := measure(4*n, func(r *random) float64 {
				_, weight, _ := m.sample(out, r)
				return float64(weight.Y)
			})
			if back.misses(1, 0.01) {
				t.Errorf("cosine %v: a white carpet whose tips scatter %v sends back %.4f ± %.4f of 1", cos, share,
					back.mean, back.sigma)
			}
		}
	}
	matt := matter{color: one}
	r := newRandom(1, 2, 3)
	if _, weight, _ := matt.sample(rays.V(0, 0, 1), &r); !(weight.Sub(one).Len() <= 1e-5) {
		t.Errorf("white matt sends back %v of 1", weight)
	}
}

// The densities of directions match how they are drawn: they integrate to 1, except for directions below the surface.
// Light reflects alike in both directions (Helmholtz).
func TestReflectionsAreReciprocal(t *testing.T) {
	reciprocal(t, matter{color: rays.V(0.3, 0.5, 0.7), f0: one.Mul(0.04), roughness: 0.4, albedos: newAlbedos(0.4)})
	reciprocal(t, matter{color: rays.V(0.03, 0.2, 0.05), f0: one.Mul(0.5), albedos: pileAlbedos()})
}

func reciprocal(t *testing.T, m matter) {
	t.Helper()
	r := newRandom(4, 5, 6)
	for range 200 {
		a, b := cosine(r.next(), r.next()), cosine(r.next(), r.next())
		if a.Z < 0.01 || b.Z < 0.01 {
			continue
		}
		there, _ := m.reflect(a, b)
		back, _ := m.reflect(b, a)
		if d := there.Mul(1 / b.Z).Sub(back.Mul(1 / a.Z)).Len(); !(d <= 1e-3*there.Mul(1/b.Z).Len()) {
			t.Fatalf("from %v to %v: %v, back %v", a, b, there.Mul(1/b.Z), back.Mul(1/a.Z))
		}
	}
	out := rays.V(0.6, 0, 0.8)
	total := measure(20000, func(r *random) float64 {
		in := cosine(r.next(), r.next())
		_, density := m.reflect(out, in)
		return float64(density) * math.Pi / float64(in.Z)
	})
	lost := measure(20000, func(r *random) float64 {
		if in, _, _ := m.sample(out, r); in.Z <= 0 {
			return 1
		}
		return 0
	})
	if !(math.Abs(total.mean+lost.mean-1) <= 4*(total.sigma+lost.sigma)+1e-5) {
		t.Errorf("densities add up to %.4f ± %.4f, and %.4f of the draws are lost", total.mean, total.sigma, lost.mean)
	}
}

// around is a scene without a hall in uniform light of 1.
func around(materials []render.Material, meshes ...render.Mesh) *render.Scene {
	s := &render.Scene{Shading: render.Shading{Materials: materials,
		Light: render.Light{Background: mgl32.Vec3{1, 1, 1}}}}
	for i, m := range meshes {
		s.Meshes = append(s.Meshes, m)
		s.Bodies = append(s.Bodies,
			render.Body{Parts: []render.Part{{Mesh: i, Material: i, PoseBP: spatial.Identity()}}})
	}
	return s
}

// prepared returns a scene prepared for paths, with all of its bodies at the origin.
func prepared(t testing.TB, s *render.Scene) *scene {
	t.Helper()
	r := must.Get(New(s, render.Tracing{Samples: 1}))(t)
	t.Cleanup(r.Close)
	poses := make([]spatial.Pose, len(s.Bodies))
	for i := range poses {
		poses[i] = spatial.Identity()
	}
	return r.newScene(&render.Batch{PosesWB: poses}, &s.Shading)
}

// A white box in uniform light cannot be distinguished from the light, whatever path the light takes between its faces
// and the floor.
func TestWhiteIsUnseenInItsOwnLight(t *testing.T) {
	s := around([]render.Material{{Color: mgl32.Vec3{1, 1, 1}}}, shapes.Transform(shapes.Box(1, 1, 1),
		spatial.Translation(mgl64.Vec3{0, 0, 0.5})))
	s.Floor, s.Carpet = render.Floor{SizeX: 6, SizeY: 6, LineColor: mgl32.Vec3{1, 1, 1}}, mgl32.Vec3{1, 1, 1}
	x := prepared(t, s)
	for _, d := range []rays.Vec{rays.V(1, 0.1, -0.2), rays.V(1, 0, -1), rays.V(0.3, 0.2, -1)} {
		got := measure(400, func(r *random) float64 {
			return float64(x.radiance(rays.V(-2, 0, 1.5), d.Unit(), near, x.tree, x.surfaces, r).Y)
		})
		// The carpet's grain changes its reflectance by a few percent about 1.
		if got.misses(1, 0.1) {
			t.Errorf("along %v: %.4f ± %.4f of 1", d, got.mean, got.sigma)
		}
	}
}
