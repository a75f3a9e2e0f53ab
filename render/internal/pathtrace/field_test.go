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
	r, err := New(s, render.Tracing{})
	if err != nil {
		t.Fatal(err)
	}
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
			return luminanceOf(x.radiance(c.o, c.d, 0, x.tree, x.surfaces,
				r))
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
