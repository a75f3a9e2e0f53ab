//go:build cgo

package scenery_test

import (
	"fmt"
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

// glaringLight returns a multiple of a common hall's light, with lamps of another colour.
func glaringLight(scale float64) render.Light {
	l := render.DefaultLighting()
	l.Lamp, l.Ambient, l.LampTemperature = l.Lamp*scale, l.Ambient*scale, 4000
	return l.Light()
}

// glaring returns a natural hall with visible lamps and windows, and views of it: up from next to the robots, in a
// mirror, and through a fisheye.
func glaring(t testing.TB) (s *scenery.Scenery, batch func() *render.Batch) {
	t.Helper()
	scene, now := attack()
	s = scenery.Build(scene, []scenery.Appearance{{OmniFocusZ: 0.78, Mirror: scenery.DefaultMirror()}, {Keeper: true}})
	s.Scene.Light = glaringLight(1)
	s.Furnish(worlds.Hall{Hall: render.Hall{Sheen: 0.4}})
	s.Scene.Natural = true
	poses := s.Poses(now, nil)
	wide, err := optics.NewKannalaBrandt(optics.Pinhole{Width: 160, Height: 120, FX: 47, FY: 47, CX: 79.5, CY: 59.5},
		-0.02, 0.006, -0.004, 0.0006)
	if err != nil {
		t.Fatal(err)
	}
	omni, _, _, _ := cameras(now, 0.25)
	omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
	omni.Vignetting = 0.5
	up := now.Robots[1].PoseWB.Mul(mount(0.3, 0, 0.9, -0.6, 0))
	return s, func() *render.Batch {
		b := &render.Batch{PosesWB: poses, Views: []render.View{view(optics.PinholeFromFOV(203, 150, 1.2), up), omni,
			view(wide, up)}}
		for i := range b.Views {
			v := &b.Views[i]
			v.Color = render.NewImage(v.Model.Size())
			v.Color.KeepAbove()
			for k := range v.Color.Above { // as after another image
				v.Color.Above[k] = float32(math.NaN())
			}
		}
		return b
	}
}

// total returns the sum of an image's light above white, and the largest value of a cell.
func total(im *render.Image) (sum, most float64) {
	for _, l := range im.Above {
		sum, most = sum+float64(l), max(most, float64(l))
	}
	return sum, most
}

func TestLightAboveWhite(t *testing.T) {
	s, batch := glaring(t)
	tiles := must.Get(backend.Tile(s.Scene))(t)
	defer tiles.Close()
	rays, others := caster(t, s), map[string]render.Renderer{"OpenGL": renderer(t, s), "tiles": tiles}
	t.Run("less light", func(t *testing.T) { showsInLessLight(t, s, rays, batch) })
	t.Run("renderers", func(t *testing.T) { keepTheSame(t, rays, others, batch) })
	t.Run("chips", func(t *testing.T) { chipsSee(t, rays, others, batch) })
}

// showsInLessLight checks the light above white against an image with a sixteenth of the light, in which it is below
// white.
func showsInLessLight(t *testing.T, s *scenery.Scenery, rays render.Renderer, batch func() *render.Batch) {
	const scale = 1.0 / 16
	bright, dim := batch(), batch()
	must.Do(t, rays.Render(bright))
	dim.Shading = s.Scene.Shading.Clone()
	dim.Shading.Light = glaringLight(scale)
	must.Do(t, rays.Render(dim))
	im, low := bright.Views[0].Color, dim.Views[0].Color
	cols, rows := render.Cells(im.Width, im.Height)
	sum, most := total(im)
	if !(sum > 20) || !(most > 1) || len(im.Above) != 3*cols*rows {
		t.Fatalf("%d numbers, %v in all, %v at most: nothing glares", len(im.Above), sum, most)
	}
	if got, _ := total(low); !(got < sum/16) {
		t.Fatalf("with a sixteenth of the light %v glares", got)
	}
	for i := range 3 * cols * rows {
		x0, y0, want, n := i/3%cols*render.CellSize, i/3/cols*render.CellSize, 0.0, 0
		for y := y0; y < min(y0+render.CellSize, im.Height); y++ {
			for x := x0; x < min(x0+render.CellSize, im.Width); x++ {
				want, n = want+max(float64(render.Decode8(low.Pix[3*(y*im.Width+x)+i%3]))/scale-1, 0), n+1
			}
		}
		// For 8 bits of the dim image: 1 % of its light, and more for light that is nearly white.
		must.Near(t, fmt.Sprintf("cell %d: amount above white", i), float64(im.Above[i]), want/float64(n),
			0.03+0.03*want/float64(n))
	}
}

// keepTheSame checks that renderers find the same light above white as the ray caster. The bytes of an image do not
// depend on whether it is kept.
func keepTheSame(t *testing.T, rays render.Renderer, others map[string]render.Renderer, batch func() *render.Batch) {
	want := batch()
	must.Do(t, rays.Render(want))
	for name, r := range others {
		got := batch()
		plain := batch()
		for i := range plain.Views {
			plain.Views[i].Color.Above = nil
		}
		for _, b := range []*render.Batch{plain, got} {
			must.Do(t, r.Render(b))
		}
		for i := range got.Views {
			a, b := got.Views[i].Color, want.Views[i].Color
			sum, _ := total(b)
			off := 0.0
			for k, l := range a.Above {
				off += math.Abs(float64(l - b.Above[k]))
			}
			t.Logf("%s, view %d: %.1f above white, of which %.3f differs", name, i, sum, off)
			if i == 0 && !(sum > 20) || !(off <= 0.01*sum+1e-3) {
				t.Errorf("%s, view %d: of %v above white %v differs", name, i, sum, off)
			}
			if string(a.Pix) != string(plain.Views[i].Color.Pix) {
				t.Errorf("%s, view %d: keeping what is above white changes the image", name, i)
			}
		}
	}
}

// chipsSee checks that lamps and windows stay white when less light is collected, and that the chips of all renderers
// agree on them.
func chipsSee(t *testing.T, rays render.Renderer, others map[string]render.Renderer, batch func() *render.Batch) {
	lamps := render.Rows{Flicker: render.Flicker{Depth: 1, Frequency: 100, Waveform: render.SineWave},
		Lamps: [3]float64{0.6, 0.5, 0.4}, Readout: 3e7}
	for name, c := range map[string]render.Chip{
		"exposure": {Exposure: 0.3}, "mosaic": {Exposure: 0.3, Bayer: true}, "columns": {Exposure: 0.7, Spill: 0.1,
			Smear: 0.005},
		"glare": {Exposure: 0.5, Glare: 0.1}, "lens": {Exposure: 0.5, Chromatic: 2}, "flicker": {Exposure: 0.6,
			Rows: lamps},
	} {
		c.FullWell, c.Gain, c.Balance = 1e6, 1, [3]float64{1, 1, 1}
		draw := func(r render.Renderer, keep bool) *render.Image {
			b := batch()
			b.Views = b.Views[:1]
			if b.Views[0].Chip = &c; !keep {
				b.Views[0].Color.Above = nil
			}
			must.Do(t, r.Render(b))
			return b.Views[0].Color
		}
		want, without := draw(rays, true), draw(others["tiles"], false)
		for with, r := range others {
			got := draw(r, true)
			far := 0
			for i, x := range got.Pix {
				if y := want.Pix[i]; max(x, y)-min(x, y) > 8 {
					far++
				}
			}
			share := float64(far) / float64(len(got.Pix))
			t.Logf("%s by %s: %.3f %% of bytes are far from the ray caster's", name, with, 100*share)
			if !(share <= 0.002) {
				t.Errorf("%s by %s: %.3f %% of bytes are far from the ray caster's, want at most 0.2", name, with,
					100*share)
			}
			white, before := 0, 0
			for i := range got.Pix {
				if got.Pix[i] == 255 {
					white++
				}
				if without.Pix[i] == 255 {
					before++
				}
			}
			if !(white > len(got.Pix)/50) || before > white/3 {
				t.Errorf("%s by %s: %d bytes are white, and %d where light above white is not kept", name, with, white,
					before)
			}
		}
	}
}

// The cost of keeping the light above white, where lamps and windows are a third of the image.
func BenchmarkAboveWhite640x480(b *testing.B) {
	s, batch := glaring(b)
	tiles := must.Get(backend.Tile(s.Scene))(b)
	defer tiles.Close()
	for _, r := range []struct {
		name string
		with render.Renderer
	}{{"tile", tiles}, {"OpenGL", renderer(b, s)}} {
		for _, keep := range []bool{false, true} {
			all := batch()
			all.Views = all.Views[:1]
			v := &all.Views[0]
			v.Model, v.Color = optics.PinholeFromFOV(640, 480, 1.2), render.NewImage(640, 480)
			if keep {
				v.Color.KeepAbove()
			}
			b.Run(fmt.Sprintf("%s/kept %v", r.name, keep), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must.Do(b, r.with.Render(all))
				}
			})
		}
	}
}
