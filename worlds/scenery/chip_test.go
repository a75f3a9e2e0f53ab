//go:build cgo

package scenery_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// The chip in the tile renderer works on unrounded light, package chip on a finished image, so their results differ by
// the rounding to 8 bits. One image alone, which all processors render together, and each of several, rendered
// concurrently, are equal.
func TestTileRendererAppliesChips(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r, err := backend.Tile(s.Scene)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	poses := s.Poses(now, nil)
	draw := func(views ...render.View) {
		t.Helper()
		must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: views}))
	}
	omni, front, left, _ := cameras(now, 0.331) // no size is a multiple of a tile's
	left.Depth = nil
	dust := make([]float32, len(omni.Color.Pix)/3)
	for i := range dust {
		dust[i] = 1 - 0.1*float32(i%3)
	}
	lamps := render.Rows{Flicker: render.Flicker{Depth: 0.8, Frequency: 100, Waveform: render.SineWave},
		Lamps: [3]float64{0.6, 0.5, 0.4}, Exposure: 2e6, Readout: 3e7}
	worn := render.FixedPattern{Key: 1e6, DSNU: 20, PRNU: 0.02, Row: 4, Column: 8, Hot: 0.001, HotSignal: 50}
	for _, view := range []render.View{omni, front, left} {
		w, h := view.Model.Size()
		view.Color = render.NewImage(w, h)
		draw(view)
		ideal := view.Color
		for _, c := range []render.Chip{{}, {Bayer: true}, {Chromatic: 3}, {Chromatic: -3, Bayer: true},
			{Dirt: dust[:w*h]}, {Dirt: dust[:w*h], Chromatic: 1, Bayer: true},
			{Fixed: worn}, {Glare: 0.2}, {Fixed: worn, Glare: 0.1, Bayer: true}, {Fixed: worn, Glare: 0.1,
				Chromatic: 2},
			{Rows: lamps}, {Rows: lamps, Bayer: true}, {Rows: lamps, Fixed: worn, Chromatic: 2},
			{Spill: 0.5, Smear: 0.01}, {Spill: 0.2, Bayer: true, Glare: 0.1}} {
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
			for range 5 { // the runtime itself sometimes allocates when goroutines wait
				least = min(least, testing.AllocsPerRun(3, func() { err = r.Render(f) }))
			}
			if least > 0 || err != nil {
				t.Errorf("%d×%d: a batch makes %v allocations, error %v", w, h, least, err)
			}
		}
	}
}

// A camera's processing applies to the tile renderer's images: to one alone, and to each of several, without
// allocations.
func TestTileRendererProcessesImages(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r, err := backend.Tile(s.Scene)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, front, _, _ := cameras(now, 0.331)
	w, h := front.Model.Size()
	c := render.Chip{FullWell: 4000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}, Bayer: true}
	finished := c
	finished.Sharpening, finished.JPEGQuality = 1, 50
	batch := &render.Batch{PosesWB: s.Poses(now, nil)}
	// an odd number, so that all processors render the last image together
	for i, c := range []*render.Chip{&c, &finished, &finished, &finished} {
		v := front
		v.Color, v.Chip, v.NoiseKey = render.NewImage(w, h), c, uint64(max(0, i-1))
		batch.Views = append(batch.Views, v)
	}
	for n := 2; n <= len(batch.Views); n++ {
		f := &render.Batch{PosesWB: batch.PosesWB, Views: batch.Views[:n]}
		least := math.Inf(1)
		for range 5 {
			least = min(least, testing.AllocsPerRun(1, func() { err = r.Render(f) }))
		}
		if least > 0 || err != nil {
			t.Errorf("a batch of %d makes %v allocations, error %v", n, least, err)
		}
	}
	want := &render.Image{Width: w, Height: h, Pix: bytes.Clone(batch.Views[0].Color.Pix)}
	var m chip.Memory
	if chip.Process(want, &finished, &m); !bytes.Equal(batch.Views[1].Color.Pix, want.Pix) {
		t.Error("the tile renderer's image is not one of the chip that is processed")
	}
}

// The cost of camera effects, for a frame of the front camera.
func BenchmarkEffects640x480(b *testing.B) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	r := must.Get(backend.Tile(s.Scene))(b)
	defer r.Close()
	_, front, _, _ := cameras(now, 1)
	for _, c := range []struct {
		name string
		chip render.Chip
	}{
		{"none", render.Chip{}}, {"hot pixels", render.Chip{Fixed: render.FixedPattern{Hot: 0.001, HotSignal: 20}}},
		{"dsnu, prnu, rows and columns", render.Chip{Fixed: render.FixedPattern{DSNU: 10, PRNU: 0.01, Row: 2,
			Column: 4}}},
		{"lamps that flicker", render.Chip{Rows: render.Rows{Flicker: render.Flicker{Depth: 0.4, Frequency: 100,
			Waveform: render.SineWave}, Lamps: [3]float64{0.5, 0.5, 0.5}, Exposure: 2e6, Readout: 3e7}}},
		{"blooming and smear", render.Chip{Spill: 0.1, Smear: 0.001}},
		{"glare", render.Chip{Glare: 0.05}}, {"sharpening", render.Chip{Sharpening: 1}},
		{"jpeg", render.Chip{JPEGQuality: 80}},
	} {
		for _, bayer := range []bool{false, true} {
			c.chip.FullWell, c.chip.ReadNoise, c.chip.Exposure, c.chip.Gain, c.chip.Balance, c.chip.Bayer = 1e4, 12, 1,
				1, [3]float64{1, 1, 1}, bayer
			w, h := front.Model.Size()
			front.Color, front.Chip = render.NewImage(w, h), &c.chip
			batch := &render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{front}}
			name := c.name
			if bayer {
				name += ", mosaic"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must.Do(b, r.Render(batch))
				}
			})
		}
	}
}
