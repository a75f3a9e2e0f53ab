//go:build cgo

package scenery_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

func caster(t testing.TB, s *scenery.Scenery) render.Renderer {
	t.Helper()
	r := must.Get(backend.RayCaster(s.Scene))(t)
	t.Cleanup(r.Close)
	return r
}

// Rasterisers and the ray caster share the scene and no code. Away from edges their images only differ by what
// rasterisers compute at the corners of triangles: light on posts and rods.
func TestRenderersAgree(t *testing.T) {
	t.Run("common", func(t *testing.T) { agree(t, func(*scenery.Scenery) {}) })
	t.Run("shadowless", func(t *testing.T) {
		agree(t, func(s *scenery.Scenery) {
			l := render.DefaultLighting()
			l.Shadows = false
			s.Light(l)
		})
	})
	t.Run("furnished", func(t *testing.T) {
		agree(t, func(s *scenery.Scenery) {
			l := render.DefaultLighting()
			l.Lamp, l.Ambient, l.AmbientTemperature = 0.4, 0.6, 9000
			l.Spots = []render.Spot{{X: 5, Y: 2, Z: 4, Amount: 1.2, Temperature: 3000}, {X: 2, Y: -3, Z: 6, Amount: 0.7,
				Temperature: 6500}}
			s.Light(l)
			s.Furnish(worlds.Hall{Hall: render.Hall{Spectators: true, Wear: 0.4}})
		})
	})
	for _, p := range []render.FloorPattern{render.Concrete, render.Tiles, render.Planks, render.PlainFloor} {
		t.Run(string(p), func(t *testing.T) { // which two cameras show enough of
			agreeIn(t, 2, func(s *scenery.Scenery) { s.Scene.Floor.Pattern = p })
		})
	}
	t.Run("solid", func(t *testing.T) { // depth images show the walls
		agree(t, func(s *scenery.Scenery) { s.Scene.Room.Margin, s.Scene.Room.Solid = 0.2, true })
	})
	t.Run("natural", func(t *testing.T) {
		agree(t, func(s *scenery.Scenery) {
			l := render.DefaultLighting()
			l.Spots = []render.Spot{{X: 5, Y: 2, Z: 4, Amount: 0.6, Temperature: 3000}}
			s.Light(l)
			s.Furnish(worlds.Hall{Hall: render.Hall{Spectators: true, Wear: 0.6, Sheen: 0.5, Roll: 2, Seams: 1,
				LineWear: 1}})
			s.Scene.Natural = true
		})
	})
}

func agree(t *testing.T, furnish func(*scenery.Scenery)) { agreeIn(t, len(agreeing), furnish) }

// agreeing are the cameras whose images are compared.
var agreeing = []string{"omni", "front", "left", "right", "fisheye"}

// agreeIn compares the images of the first n cameras.
func agreeIn(t *testing.T, n int, furnish func(*scenery.Scenery)) {
	scene, now := attack()
	s := scenery.Build(scene, []scenery.Appearance{{OmniFocusZ: 0.78, Mirror: scenery.DefaultMirror()}, {Keeper: true}})
	furnish(s)
	tiles := must.Get(backend.Tile(s.Scene))(t)
	defer tiles.Close()
	rays := caster(t, s)
	poses := s.Poses(now, nil)
	views := func() []render.View {
		omni, front, left, right := cameras(now, 1)
		omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
		omni.Vignetting = 0.5
		wide := must.Get(optics.NewKannalaBrandt(optics.Pinhole{Width: 640, Height: 480, FX: 190, FY: 190, CX: 319.5,
			CY: 239.5}, -0.02, 0.006, -0.004, 0.0006))(t)
		// The robot itself is behind the lens, partly outside the lens's view.
		fisheye := view(wide, front.PoseWC)
		return []render.View{omni, front, left, right, fisheye}[:n]
	}
	b := views()
	must.Do(t, rays.Render(&render.Batch{PosesWB: poses, Views: b}))
	for name, rasteriser := range map[string]render.Renderer{"OpenGL": renderer(t, s), "tiles": tiles} {
		a := views()
		must.Do(t, rasteriser.Render(&render.Batch{PosesWB: poses, Views: a}))
		t.Run(name, func(t *testing.T) { near(t, a, b) })
	}
}

// near compares views with those of the ray caster.
func near(t *testing.T, a, b []render.View) {
	for i, name := range agreeing[:len(a)] {
		inside, all, share := difference(a[i].Color, b[i].Color)
		t.Logf("%s: mean difference %.2f/255 away from edges (%.0f %% of the picture), %.2f everywhere", name, inside,
			100*share, all)
		if !(inside <= 2) {
			t.Errorf("%s: mean difference %.2f/255 away from edges, want at most 2", name, inside)
		}
		if a[i].Depth != nil {
			off, n := depths(a[i].Depth, b[i].Depth)
			t.Logf("%s: %d of %d depths differ by more than a millimetre", name, off, n)
			if off > n/200 { // outlines, where each renderer has its own sample positions
				t.Errorf("%s: %d of %d depths differ by more than a millimetre, want at most 1 in 200", name, off, n)
			}
		}
	}
}

// difference returns the mean difference of two images' bytes, away from edges and everywhere, and the share of the
// image away from edges. A pixel is away from edges if no neighbour in either image differs by more than 12.
func difference(a, b *render.Image) (away, all, share float64) {
	w, h := a.Width, a.Height
	n := 0
	diff := func(x, y byte) float64 { return math.Abs(float64(x) - float64(y)) }
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			i := 3 * (y*w + x)
			d, edge := 0.0, false
			for c := range 3 {
				d += diff(a.Pix[i+c], b.Pix[i+c]) / 3
				for _, j := range [4]int{i - 3, i + 3, i - 3*w, i + 3*w} {
					edge = edge || diff(a.Pix[i+c], a.Pix[j+c]) > 12 || diff(b.Pix[i+c], b.Pix[j+c]) > 12
				}
			}
			all += d
			if !edge {
				away += d
				n++
			}
		}
	}
	pixels := float64((w - 2) * (h - 2))
	return away / float64(n), all / pixels, float64(n) / pixels
}

func depths(a, b *render.Depth) (off, n int) {
	for i := range a.Z {
		if x, y := float64(a.Z[i]), float64(b.Z[i]); x != y && !(math.Abs(x-y) < 1e-3) {
			off++
		}
	}
	return off, len(a.Z)
}
