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
	"github.com/omnipitch/omnipitch/testdata/must"
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
		light = light.Sub(l.radiance.Mul(1 - before.lampWeight(l, d, met.distance)))
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
		return float64(black.irradiance(rays.V(0, 0, 0), rays.V(0, 0, 1), r).Y)
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
		return float64(ball.irradiance(rays.V(0, 0, 0), rays.V(0, 0, 1), r).Y)
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
			return float64(x.irradiance(rays.V(float32(at), 0, 0), rays.V(0, 0, 1), r).Y)
		})
		if got.misses(want, 2e-3*want) {
			t.Errorf("at %v m: %.5f ± %.5f, want %.5f", at, got.mean, got.sigma, want)
		}
	}
}

// furnished returns a hall with bodies, and its light.
func furnished(t *testing.T, spots []render.Spot, bodies ...render.Body) (*render.Scene, *scene, *light.Field,
	[]spatial.Pose) {
	t.Helper()
	s := &render.Scene{
		Floor: render.Floor{SizeX: 20, SizeY: 14},
		Room: render.Room{Margin: 5, Height: 5, Wall: mgl32.Vec3{0.36, 0.35, 0.33}, Ceiling: mgl32.Vec3{0.65, 0.65,
			0.64}, Floor: mgl32.Vec3{0.17, 0.16, 0.15}},
		Meshes: []render.Mesh{shapes.Sphere(0.11, 4), shapes.Box(0.5, 0.4, 0.8), shapes.Box(0.5, 0.5, 0.3),
			shapes.Box(0.2, 0.3, 0.4),
			shapes.Box(0.1, 2, 0.3), shapes.Box(0.125, 0.125, 1), shapes.Box(0.125, 2.25, 0.125)},
		Bodies: bodies,
		Shading: render.Shading{Carpet: mgl32.Vec3{0.03, 0.12, 0.04},
			Materials: []render.Material{{Color: mgl32.Vec3{0.5, 0.3, 0.02}}, {Color: mgl32.Vec3{0.03, 0.03, 0.03}}}},
	}
	l := render.DefaultLighting()
	l.LampElevation, l.Spots = 1.2, spots
	s.Light = l.Light()
	r := must.Get(New(s, render.Tracing{}))(t)
	t.Cleanup(r.Close)
	poses := make([]spatial.Pose, len(bodies))
	for i := range poses {
		poses[i] = spatial.Identity()
	}
	return s, r.newScene(&render.Batch{PosesWB: poses}, &s.Shading), light.NewField(s, &s.Shading), poses
}

// Where a ball or a robot stands on the floor, the map of package light blocks as much light as path tracing finds
// missing: within 15 % where most is missing, and within 2 % of all light elsewhere.
func TestContactShadowsAreAsDeep(t *testing.T) {
	shadowsAreAsDeep(t, nil, []float64{-1, 1})
}

// The same next to a nearby lamp, along the shadow away from it. The lamp gives most of the light.
func TestShadowsOfSpotsAreAsDeep(t *testing.T) {
	shadowsAreAsDeep(t, []render.Spot{{X: 2.5, Z: 3.5, Amount: 2, Temperature: render.White}}, []float64{-1})
}

func shadowsAreAsDeep(t *testing.T, spots []render.Spot, sides []float64) {
	t.Helper()
	robot := render.Body{Name: "robot", Parts: []render.Part{
		{Mesh: 2, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.15})},
		{Mesh: 3, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.5})},
		{Mesh: 0, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.8})},
	}}
	for _, c := range []struct {
		name   string
		body   render.Body
		x, y   float64
		beside []float64 // metres from the middle, along x
	}{
		{"ball", render.Body{Name: "ball",
			Parts: []render.Part{{Mesh: 0, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.11})}}}, 0, 0,
			[]float64{0.06, 0.1, 0.15, 0.25}},
		{"box", render.Body{Name: "box", Parts: []render.Part{{Mesh: 1, Material: 1,
			PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.4})}}}, 0, 0, []float64{0.28, 0.35, 0.5, 1}},
		{"robot", robot, 0, 0, []float64{0.3, 0.45, 0.6, 0.9}},
		{"board", render.Body{Name: "board", Static: true,
			Parts: []render.Part{{Mesh: 4, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.15})}}}, 0, 0,
			[]float64{0.08, 0.15, 0.3, 0.5}},
		// A goal's frame: the post at y = 0 with the bar.
		{"goal", render.Body{Name: "goal", Static: true, Parts: []render.Part{
			{Mesh: 5, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.5})},
			{Mesh: 5, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 2.125, 0.5})},
			{Mesh: 6, Material: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 1.0625, 1.0625})},
		}}, 0, 0, []float64{0.1, 0.15, 0.3, 0.5}},
	} {
		s, x, f, poses := furnished(t, spots, c.body)
		_, empty, _, _ := furnished(t, spots)
		m := light.NewShadowMap(s, f)
		m.Draw(poses)
		for _, side := range sides {
			for _, d := range c.beside {
				at := rays.V(float32(side*d), 0, 0.0005)
				seen := func(in *scene) estimate {
					return measure(2500, func(r *random) float64 {
						return luminanceOf(in.radiance(at, rays.V(0, 0, -1), 0, in.tree, in.surfaces, r))
					})
				}
				lit, full := seen(x), seen(empty)
				want, sigma := 1-lit.mean/full.mean, (lit.sigma+full.sigma)/full.mean
				i, j := int(side*d/m.Texel+float64(m.Width)/2), m.Height/2
				var sum, of float64
				for k, grid := range f.Floor.Of {
					arrives := float64(render.Luminance(grid[f.Floor.Rows/2*f.Floor.Cols+f.Floor.Cols/2]))
					sum, of = sum+arrives*float64(m.Pix[2*(j*m.Width+i)+k])/255, of+arrives
				}
				if got := 1 - sum/of; !(math.Abs(got-want) <= 0.15*want+0.02+3*sigma) {
					t.Errorf("%s, %+.2f m: %.3f of the light is taken, paths say %.3f ± %.3f", c.name, side*d, got,
						want, sigma)
				}
			}
		}
	}
}

// In an empty hall, the light on the floor, the walls and the ceiling equals the result of package light.
func TestEmptyHallIsLitAsTheFieldSays(t *testing.T) {
	_, x, f, _ := furnished(t, nil)
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
		got := measure(10000, func(r *random) float64 {
			return luminanceOf(x.radiance(c.o, c.d, 0, x.tree, x.surfaces, r))
		})
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

// A carpet's sheen, seen along the floor from all around, equals the result of package light within 4 %, or 8 % at the
// most grazing angles, where the light at a place differs from the mean.
func TestCarpetShinesAsTheFieldSays(t *testing.T) {
	_, x, _, _ := furnished(t, nil)
	s, _, _, _ := furnished(t, nil)
	s.Floor.Sheen = 0.5
	f := light.NewField(s, &s.Shading)
	x.sheen, x.pile = 0.5, pileAlbedos()
	node := f.Floor.Rows/2*f.Floor.Cols + f.Floor.Cols/2
	white := luminanceOf(rays.Vec32(f.Floor.Of[light.Lamps][node]).Add(rays.Vec32(f.Floor.Of[light.Windows][node])))
	albedo := luminanceOf(x.carpet.Albedo(0, 0, &rays.Footprint{}))
	for cos, tolerance := range map[float32]float64{0.04: 0.08, 0.1: 0.08, 0.25: 0.04, 0.6: 0.04, 1: 0.04} {
		got := measure(20000, func(r *random) float64 {
			sin, round := math.Sincos(2 * math.Pi * float64(r.next()))
			side := rays.Sqrt(1 - cos*cos)
			d := rays.V(side*float32(round), side*float32(sin), -cos)
			return luminanceOf(x.radiance(d.Mul(-0.2), d, 0, x.tree, x.surfaces, r))
		})
		share := float64(f.Sheen.At(cos * cos))
		want := white * (albedo + share*(1-albedo))
		if got.misses(want, tolerance*want) || !(share >= 0.01) {
			t.Errorf("cosine %v: radiance %.4f ± %.4f, the field says %.4f, of which sheen is %.3f", cos, got.mean,
				got.sigma, want, share*white)
		}
	}
}

func luminanceOf(v rays.Vec) float64 { return float64(luminance(v)) }
