package tile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// crowded is a field with a wall, and with moving balls, boxes, posts and a net.
func crowded() *render.Scene {
	s := &render.Scene{
		Floor: render.Floor{SizeX: 20, SizeY: 13},
		Shading: render.Shading{
			Materials: []render.Material{{Color: mgl32.Vec3{1, 1, 1}}, {Color: mgl32.Vec3{1, 1, 1},
				Pattern: render.Net}},
			Light: render.DefaultLighting().Light(),
		},
		Meshes: []render.Mesh{shapes.Box(0.2, 12, 1), shapes.Sphere(0.4, 4), shapes.BevelledBox(0.5, 0.5, 0.8, 0.05),
			shapes.Cylinder(0.06, 5, 12), shapes.Box(2, 0.02, 1)},
	}
	for i := range s.Meshes {
		body := render.Body{Parts: []render.Part{{Mesh: i, PoseBP: spatial.Identity()}}, Static: i == 0}
		if i == 4 {
			body.Parts[0].Material = 1
		}
		s.Bodies = append(s.Bodies, body)
		if i > 0 {
			s.Bodies = append(s.Bodies, body) // twice, so that bodies share baked parts
		}
	}
	return s
}

// scattered returns poses for the bodies of crowded: on the floor and in it, in the air, upside down, at the map's
// edges and beyond.
func scattered(rnd *rand.Rand, n int) []spatial.Pose {
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{-9, 0, 0.5})}
	for len(poses) < n {
		at := mgl64.Vec3{22 * (rnd.Float64() - 0.5), 15 * (rnd.Float64() - 0.5), 1.5 * rnd.Float64()}
		poses = append(poses, spatial.RPY(at, 6*rnd.Float64(), 6*rnd.Float64(), 6*rnd.Float64()))
	}
	return poses
}

func renderer(t *testing.T, s *render.Scene) *Renderer {
	t.Helper()
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// shade draws the shadows of a scene's bodies.
func shade(t *testing.T, r *Renderer, with *render.Shading, posesWB []spatial.Pose) {
	t.Helper()
	view := render.View{Color: render.NewImage(8, 8), Model: optics.Pinhole{Width: 8, Height: 8, FX: 8, FY: 8, CX: 4,
		CY: 4}, PoseWC: spatial.Identity()}
	if err := r.Render(&render.Batch{PosesWB: posesWB, Shading: with, Views: []render.View{view}}); err != nil {
		t.Fatal(err)
	}
}

// maps returns the heights, and the fractions of light of both kinds, of each texel.
func (m *shadows) maps() (heights, light []uint16) {
	stride := int(m.kernel.stride)
	for y := range m.Height {
		for x := range m.Width {
			heights, light = append(heights, uint16(m.heights[y*stride+x])), append(light, uint16(m.light[y*stride+x]))
		}
	}
	return heights, light
}

// Heights equal those of a simple computation, and light equals that of the filter.
func TestShadowsAreThoseOfPlainComputations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := crowded()
	r, filter := renderer(t, s), render.Softening()
	for range 3 {
		poses := scattered(rnd, len(s.Bodies))
		shade(t, r, nil, poses)
		m := r.scene.shadows
		heights, light := m.maps()
		want := plainHeights(m, r.scene.geometry, poses)
		covered, off, most := 0, 0, 0.0
		for i, h := range heights {
			if want[i] > 0 {
				covered++
			}
			d := math.Abs(float64(h)/math.MaxUint16*raster.LightHeight - want[i])
			if !(d <= 5e-4) { // at steep sides, which OpenGL moves by up to 1/512 of a texel
				off++
			}
			most = math.Max(most, d)
		}
		if covered < 3000 || !(float64(off) <= 0.01*float64(covered)) {
			t.Errorf("of %d covered texels %d have other heights, by up to %g m", covered, off, most)
		}
		for i, got := range light {
			lamp, sky := plainLight(m, filter, heights, i%m.Width, i/m.Width)
			if d := [2]float64{float64(got&255) - 255*lamp, float64(got>>8) - 255*sky}; !(math.Abs(d[0]) <= 0.53 &&
				math.Abs(d[1]) <= 0.53) {
				t.Fatalf("light of texel (%d, %d) is %d, %d of 255, want %g, %g", i%m.Width, i/m.Width, got&255, got>>8,
					255*lamp, 255*sky)
			}
		}
	}
}

// plainHeights returns up to which heights bodies block the lamp's rays, metres.
func plainHeights(m *shadows, g *raster.Geometry, posesWB []spatial.Pose) []float64 {
	heights := make([]float64, m.Width*m.Height)
	for i := range g.Bodies {
		for k := range g.Bodies[i].Parts {
			p := &g.Bodies[i].Parts[k]
			if p.Pattern == render.Net {
				continue
			}
			l := &p.Levels[0]
			for at := l.First; at < l.First+l.Count; at += 3 {
				var c [3]mgl64.Vec3 // x and y in texels
				for j := range c {
					q := posesWB[i].Apply(spatial.Vec64(g.Vertices[g.Indices[int(at)+j]].Pos))
					x := (q[0]-q[2]*m.Slope[0])*float64(m.Place[0]) + float64(m.Place[2])
					y := (q[1]-q[2]*m.Slope[1])*float64(m.Place[1]) + float64(m.Place[3])
					c[j] = mgl64.Vec3{math.Round(256*x*float64(m.Width)) / 256,
						math.Round(256*y*float64(m.Height)) / 256, q[2]}
				}
				plainTriangle(heights, m.Width, m.Height, c)
			}
		}
	}
	return heights
}

func plainTriangle(heights []float64, width, height int, c [3]mgl64.Vec3) {
	cross := func(p, q mgl64.Vec3, x, y float64) float64 { return (q[0]-p[0])*(y-p[1]) - (q[1]-p[1])*(x-p[0]) }
	area := cross(c[0], c[1], c[2][0], c[2][1])
	if !(area > 0) {
		return
	}
	for y := max(0, int(min(c[0][1], c[1][1], c[2][1]))); y <= min(height-1, int(max(c[0][1], c[1][1], c[2][1]))); y++ {
		for x := max(0, int(min(c[0][0], c[1][0], c[2][0]))); x <= min(width-1,
			int(max(c[0][0], c[1][0], c[2][0]))); x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			w := mgl64.Vec3{cross(c[1], c[2], px, py), cross(c[2], c[0], px, py), cross(c[0], c[1], px, py)}
			if w[0] < 0 || w[1] < 0 || w[2] < 0 {
				continue
			}
			if h := w.Dot(mgl64.Vec3{c[0][2], c[1][2], c[2][2]}) / area; h <= raster.LightHeight {
				heights[y*width+x] = math.Max(heights[y*width+x], h)
			}
		}
	}
}

// plainLight returns the fractions of the lamp's and of the ambient light that reach a texel.
func plainLight(m *shadows, filter []render.Tap, heights []uint16, x, y int) (lamp, sky float64) {
	lamp, sky = 1, 1
	for _, t := range filter {
		at := min(max(y+t.DY, 0), m.Height-1)*m.Width + min(max(x+t.DX, 0), m.Width-1)
		if float64(heights[at])/math.MaxUint16*raster.LightHeight > render.FloorStep {
			lamp -= float64(t.Lamp)
			sky -= float64(t.Ambient) * (1 - render.UnderShadow)
		}
	}
	return lamp, sky
}

// Earlier poses, NaN poses and earlier lamp directions leave no trace.
func TestShadowsDependOnTheInstantAlone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	s := crowded()
	r := renderer(t, s)
	low := s.Shading
	low.Light.DirectionW = mgl32.Vec3{-0.5, 0.6, 0.7}.Normalize()
	for i, with := range []*render.Shading{nil, &low, &low, nil, nil} {
		poses := scattered(rnd, len(s.Bodies))
		poses[1].Pos[0] = []float64{math.NaN(), math.Inf(1), 1e12, 0, -1e30}[i]
		shade(t, r, with, poses)
		fresh := renderer(t, s)
		shade(t, fresh, with, poses)
		heights, light := r.scene.shadows.maps()
		wantHeights, wantLight := fresh.scene.shadows.maps()
		if !slices.Equal(heights, wantHeights) || !slices.Equal(light, wantLight) {
			t.Errorf("instant %d: other shadows than those that a new renderer draws", i)
		}
	}
}

// AVX-512 and AVX2 give the same light to the last bit, for any number of goroutines.
func TestShadowsAreTheSameOnEveryMachine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	s := crowded()
	poses := scattered(rnd, len(s.Bodies))
	var heights, light []uint16
	for _, k := range supportedKernels() {
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s by %d", nameOf(k), workers), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
				r, err := newRenderer(s, k)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				shade(t, r, nil, poses)
				h, l := r.scene.shadows.maps()
				if heights == nil {
					heights, light = h, l
				}
				off := 0
				for i := range h {
					if h[i] != heights[i] || l[i] != light[i] {
						off++
					}
				}
				// without fused multiply-add, rounding differs
				if off > 0 && (nameOf(k) != "base" || off > len(h)/1000) {
					t.Errorf("%d of %d texels differ from those of %s by one goroutine", off, len(h),
						nameOf(supportedKernels()[0]))
				}
			})
		}
	}
}

// A scene without shadows is fully lit.
func TestShadowlessScenesAreLit(t *testing.T) {
	s := crowded()
	s.Light.Shadowless = true
	r := renderer(t, s)
	shade(t, r, nil, scattered(rand.New(rand.NewPCG(7, 8)), len(s.Bodies)))
	heights, light := r.scene.shadows.maps()
	for i := range heights {
		if heights[i] != 0 || light[i] != math.MaxUint16 {
			t.Fatalf("texel %d has height %d and light %#x", i, heights[i], light[i])
		}
	}
}

// Images of shadows on the floor and on bodies equal OpenGL's.
func TestShadowsAreOpenGLs(t *testing.T) {
	s := crowded()
	s.Carpet = mgl32.Vec3{0.3, 0.5, 0.3}
	opengl, err := gl.New(s)
	if err != nil {
		t.Fatal(err)
	}
	defer opengl.Close()
	shadowless := *s
	shadowless.Light.Shadowless = true
	ours, lit := renderer(t, s), renderer(t, &shadowless)
	poses := scattered(rand.New(rand.NewPCG(9, 10)), len(s.Bodies))
	picture := func(r render.Renderer) []uint8 {
		im := render.NewImage(320, 240)
		above := spatial.RPY(mgl64.Vec3{0, 0, 9}, math.Pi, 0, 0)
		view := render.View{Color: im, Model: optics.Pinhole{Width: 320, Height: 240, FX: 150, FY: 150, CX: 160,
			CY: 120}, PoseWC: above}
		if err := r.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}}); err != nil {
			t.Fatal(err)
		}
		return im.Pix
	}
	want, got, without := picture(opengl), picture(ours), picture(lit)
	off, large, shaded := 0, 0, 0
	for i := range want {
		switch d := max(want[i], got[i]) - min(want[i], got[i]); {
		case d > 8:
			large++
			fallthrough
		case d > 1:
			off++
		}
		if int(without[i])-int(got[i]) > 8 {
			shaded++
		}
	}
	if n := len(want); off > n/1000 || large > n/3000 || shaded < n/100 {
		t.Errorf("of %d bytes, %d of them shaded, %d differ from OpenGL's by more than 1, %d by more than 8", n, shaded,
			off, large)
	}
}
