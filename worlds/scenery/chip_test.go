//go:build cgo

package scenery_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/tile"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// The tile renderer's chip takes light as it is, that of package chip a finished image: what they make of a scene differs by the rounding to 8 bits. One
// image alone, which all processors draw together, and each of several, drawn side by side, are the same.
func TestTileRendererAppliesChips(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r, err := tile.New(s.Scene)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	poses := s.Poses(now, nil)
	draw := func(views ...render.View) {
		t.Helper()
		if err := r.Render(&render.Batch{PosesWB: poses, Views: views}); err != nil {
			t.Fatal(err)
		}
	}
	omni, front, left, _ := cameras(now, 0.331) // no size is a multiple of a tile's
	left.Depth = nil
	dust := make([]float32, len(omni.Color.Pix)/3)
	for i := range dust {
		dust[i] = 1 - 0.1*float32(i%3)
	}
	for _, view := range []render.View{omni, front, left} {
		w, h := view.Model.Size()
		view.Color = render.NewImage(w, h)
		draw(view)
		ideal := view.Color
		for _, c := range []render.Chip{{}, {Bayer: true}, {Chromatic: 3}, {Chromatic: -3, Bayer: true}, {Dirt: dust[:w*h]}, {Dirt: dust[:w*h], Chromatic: 1, Bayer: true}} {
			c.FullWell, c.ReadNoise, c.Exposure, c.Gain, c.Balance = 4000, 12, 0.9, 1.1, [3]float64{1.1, 1, 0.9}
			var views []render.View
			for key := range 3 {
				v := view
				v.Color, v.Chip, v.NoiseKey = render.NewImage(w, h), &c, uint64(key)
				views = append(views, v)
			}
			draw(views...)
			for key, v := range views {
				want := &render.Image{Width: w, Height: h, Pix: bytes.Clone(ideal.Pix)}
				var p chip.Processor
				p.Apply(want, &c, uint64(key))
				off, worst := 0, 0
				for i, b := range v.Color.Pix {
					d := max(int(b), int(want.Pix[i])) - min(int(b), int(want.Pix[i]))
					if worst = max(worst, d); d > 1 {
						off++
					}
				}
				if share := float64(off) / float64(3*w*h); worst > 3 || !(share <= 0.002) {
					t.Errorf("%d×%d, Bayer %v, chromatic %v, dirt %v: %.3f %% of bytes differ by more than 1, one by %d", w, h, c.Bayer, c.Chromatic, c.Dirt != nil, 100*share, worst)
				}
			}
			alone := views[0]
			alone.Color = render.NewImage(w, h)
			draw(alone)
			if !bytes.Equal(alone.Color.Pix, views[0].Color.Pix) {
				t.Errorf("%d×%d, Bayer %v, chromatic %v: drawn alone it is another image", w, h, c.Bayer, c.Chromatic)
			}
			f := &render.Batch{PosesWB: poses, Views: views}
			least := math.Inf(1)
			for range 5 { // the runtime itself allocates now and then where goroutines wait
				least = min(least, testing.AllocsPerRun(3, func() { err = r.Render(f) }))
			}
			if least > 0 || err != nil {
				t.Errorf("%d×%d: a batch makes %v allocations, error %v", w, h, least, err)
			}
		}
	}
}
