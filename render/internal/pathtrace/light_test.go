package pathtrace

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// hall is a closed grey box, 8 m × 6 m × 3 m; tests add its lamps.
func hall(grey float32) *scene {
	carpet := rays.NewCarpet(&render.Scene{Room: render.Room{Floor: mgl32.Vec3{grey, grey, grey}}})
	c := one.Mul(grey)
	return &scene{tree: rays.NewTree(nil), carpet: &carpet, half: [2]float32{4, 3}, height: 3, wall: c, ceiling: c}
}

// irradiance estimates the irradiance over π of a matt point: from directions about the normal, and from lamps
// directly.
func (t *scene) irradiance(p, normal rays.Vec, r *random) rays.Vec {
	x, here := matter{color: one}, newBasis(normal)
	out, total := rays.V(0, 0, 1), t.weights(p, normal)
	sum := t.direct(&x, &here, p, out, normal, total, r)
	in, _, density := x.sample(out, r)
	d := here.out(in)
	// One bounce of radiance, whose first lamp has its share.
	met := t.follow(p, d, 0, t.tree, t.surfaces)
	light := t.radiance(p, d, 0, t.tree, t.surfaces, r)
	if met.lamp >= 0 {
		l := &t.lamps[met.lamp]
		before := bounce{p, normal, density, total, true}
		light = light.Sub(l.radiance.Mul(1 - before.lampWeight(t, l, d, met.distance)))
	}
	return sum.Add(light)
}

// The oracle is the closed form for a rectangle directly above (Siegel and Howell, configuration B-4), and for a disc
// instead of a sphere.
func TestIrradianceUnderLamps(t *testing.T) {
	black := hall(0)
	a, b, h := 1.5, 0.5, 3.0
	black.addPanel(newPanel(&light.Panel{CentreW: mgl64.Vec3{0, 0, h}, U: mgl64.Vec3{a, 0, 0}, V: mgl64.Vec3{0, -b, 0},
		Radiance: mgl64.Vec3{2, 2, 2}}))
	corner := func(x, y float64) float64 {
		return (x/math.Sqrt(1+x*x)*math.Atan(y/math.Sqrt(1+x*x)) +
			y/math.Sqrt(1+y*y)*math.Atan(x/math.Sqrt(1+y*y))) / (2 * math.Pi)
	}
	want := 2 * 4 * corner(a/h, b/h)
	got := measure(20000, func(r *random) float64 {
		return float64(black.irradiance(rays.V(0, 0, 0), rays.V(0, 0, 1),
			r).Y)
	})
	if got.misses(want, 1e-4) || !(got.sigma < 0.02*want) {
		t.Errorf("below a rectangle: %.5f ± %.5f, want %.5f", got.mean, got.sigma, want)
	}
	ball := hall(0)
	ball.lamps = []lamp{newBulb(&light.Bulb{PosW: mgl64.Vec3{0, 0, 2}, Radius: 0.4, Radiance: mgl64.Vec3{5, 5, 5}},
		&light.Illumination{HalfX: 4, HalfY: 3, Height: 3})}
	ball.bulbs = []int32{0}
	want = 5 * 0.04
	got = measure(20000, func(r *random) float64 {
		return float64(ball.irradiance(rays.V(0, 0, 0), rays.V(0, 0, 1),
			r).Y)
	})
	if got.misses(want, 1e-4) || !(got.sigma < 0.02*want) {
		t.Errorf("below a sphere: %.5f ± %.5f, want %.5f", got.mean, got.sigma, want)
	}
}

// In a closed box whose ceiling and walls all emit E and reflect ρ, the radiance of a surface is E/(1 − ρ) everywhere.
func TestClosedBoxOfOneGlow(t *testing.T) {
	const grey, glow = 0.6, 0.5
	x := hall(grey)
	e := mgl64.Vec3{glow, glow, glow}
	for _, p := range []light.Panel{
		{CentreW: mgl64.Vec3{0, 0, 3}, U: mgl64.Vec3{4, 0, 0}, V: mgl64.Vec3{0, -3, 0}},
		{CentreW: mgl64.Vec3{-4, 0, 1.5}, U: mgl64.Vec3{0, 3, 0}, V: mgl64.Vec3{0, 0, 1.5}},
		{CentreW: mgl64.Vec3{4, 0, 1.5}, U: mgl64.Vec3{0, -3, 0}, V: mgl64.Vec3{0, 0, 1.5}},
		{CentreW: mgl64.Vec3{0, -3, 1.5}, U: mgl64.Vec3{-4, 0, 0}, V: mgl64.Vec3{0, 0, 1.5}},
		{CentreW: mgl64.Vec3{0, 3, 1.5}, U: mgl64.Vec3{4, 0, 0}, V: mgl64.Vec3{0, 0, 1.5}},
	} {
		p.Radiance = e
		x.addPanel(newPanel(&p))
	}
	// The floor must be equally bright: it reflects ρ·L, and L·ρ + E is L. So its reflectance must be 1.
	carpet := rays.NewCarpet(&render.Scene{Room: render.Room{Floor: mgl32.Vec3{1, 1, 1}}})
	x.carpet = &carpet
	want := glow / (1 - grey)
	got := measure(3000, func(r *random) float64 {
		return float64(x.radiance(rays.V(1, 0.5, 1), rays.V(0.3, -0.2, 0.5).Unit(), 0, x.tree, nil, r).Y)
	})
	// The bare floor's grain changes its reflectance by up to 4 %, in the mean by less than 1 %.
	if got.misses(want, 0.02*want) {
		t.Errorf("radiance %.4f ± %.4f, want %.4f", got.mean, got.sigma, want)
	}
}

// A box hides one half of a rectangular lamp from the floor next to it. The oracle is the closed form of the visible
// half, over the edge of a wall that is almost as high as the lamp.
func TestSoftShadowOfAnEdge(t *testing.T) {
	x := hall(0)
	h, a, b := 3.0, 1.0, 0.5
	x.addPanel(newPanel(&light.Panel{CentreW: mgl64.Vec3{0, 0, h}, U: mgl64.Vec3{a, 0, 0}, V: mgl64.Vec3{0, -b, 0},
		Radiance: mgl64.Vec3{3, 3, 3}}))
	// A screen 1 m high at x = 0, long in y: a point at x = −0.2 sees the lamp beyond the point where the ray over the
	// edge meets the ceiling.
	s := around([]render.Material{{}}, shapes.Transform(shapes.Box(0.01, 5.9, 1),
		spatial.Translation(mgl64.Vec3{0.005, 0, 0.5})))
	with := prepared(t, s)
	x.tree, x.surfaces, x.materials = with.tree, with.surfaces, with.materials
	corner := func(x, y float64) float64 { // from below a corner, with the signs of x and y
		return (x/math.Sqrt(1+x*x)*math.Atan(y/math.Sqrt(1+x*x)) +
			y/math.Sqrt(1+y*y)*math.Atan(x/math.Sqrt(1+y*y))) / (2 * math.Pi)
	}
	for _, at := range []float64{-0.05, -0.2, -0.3, -0.6} {
		// the ray over the edge (0, 1) meets the ceiling there; the rest is hidden
		edge := min(at+h*(0-at)/1, a)
		lo, hi := (-a-at)/h, (edge-at)/h
		want := 3 * 2 * (corner(hi, b/h) - corner(lo, b/h))
		got := measure(20000, func(r *random) float64 {
			return float64(x.irradiance(rays.V(float32(at), 0, 0),
				rays.V(0, 0, 1), r).Y)
		})
		if got.misses(want, 2e-3*want) {
			t.Errorf("at %v m: %.5f ± %.5f, want %.5f", at, got.mean, got.sigma, want)
		}
	}
}
