package gl

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// idealImage has smooth colours with random bytes and white patches, and records light above white if above is true.
func idealImage(w, h int, above bool) *render.Image {
	im, r := render.NewImage(w, h), rand.New(rand.NewPCG(1, uint64(w*h)))
	for i := range im.Pix {
		x, y := i/3%w, i/3/w
		switch im.Pix[i] = byte(x*255/w + i%3*y); {
		case r.IntN(4) == 0:
			im.Pix[i] = byte(r.Uint32())
		case x/11%3 == 1 && y/7%3 == 1:
			im.Pix[i] = 255
		}
	}
	if above {
		im.KeepAbove()
		for i := range im.Above {
			im.Above[i] = float32(i%7) / 3
		}
	}
	return im
}

// chipCases are chips with one fault each, and with many together.
func chipCases(w, h int) map[string]render.Chip {
	sensor := render.Chip{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	with := func(change func(c *render.Chip)) render.Chip {
		c := sensor
		change(&c)
		return c
	}
	dirt := make([]float32, w*h)
	for i := range dirt {
		dirt[i] = 1 - float32(i%5)/4
	}
	rows := render.Rows{Flicker: render.Flicker{Depth: 0.7, Frequency: 120, Waveform: render.RectifiedWave},
		Lamps: [3]float64{0.9, 0.5, 0.1}, Stamp: 5 * time.Millisecond, Exposure: time.Millisecond,
		Readout: 30 * time.Millisecond}
	fixed := render.FixedPattern{Key: 7, DSNU: 20, PRNU: 0.05, Row: 10, Column: 15, Hot: 0.02, HotSignal: 100}
	chromatic := min(1.5, 0.4*math.Hypot(float64(w-1), float64(h-1)))
	all := func(c *render.Chip) {
		c.Bayer, c.Chromatic, c.Glare, c.Fixed, c.Rows, c.Dirt = true, chromatic, 0.3, fixed, rows, dirt
		c.Sharpening = 0.5
	}
	return map[string]render.Chip{
		"noise": sensor,
		"ideal": {FullWell: 1e12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}},
		"dark":  {FullWell: 1e12, Exposure: 0, Gain: 0},
		"noisy": {FullWell: 100, ReadNoise: 100, Exposure: 64, Gain: 64, Balance: [3]float64{3, 1, 0.2}},
		"underexposed": {FullWell: 400, ReadNoise: 3, Exposure: 0.1, Gain: 12,
			Balance: [3]float64{0.5, 1, 4}},
		"bayer":      with(func(c *render.Chip) { c.Bayer = true }),
		"chromatic":  with(func(c *render.Chip) { c.Chromatic = chromatic }),
		"inwards":    with(func(c *render.Chip) { c.Chromatic = -chromatic }),
		"dirt":       with(func(c *render.Chip) { c.Dirt = dirt }),
		"fixed":      with(func(c *render.Chip) { c.Fixed = fixed }),
		"flicker":    with(func(c *render.Chip) { c.Rows = rows }),
		"glare":      with(func(c *render.Chip) { c.Glare = 0.3 }),
		"sharpening": with(func(c *render.Chip) { c.Sharpening = 1.5 }),
		"all":        with(all),
		"all, no mosaic": with(func(c *render.Chip) {
			all(c)
			c.Bayer = false
		}),
	}
}

// withChips runs a function on the thread of a renderer whose shaders apply chips.
func withChips(t *testing.T, run func(p *painter) error) {
	t.Helper()
	r := must.Get(New(&render.Scene{}))(t)
	defer r.Close()
	r.SetChipShaders(true)
	must.Do(t, r.thread.do(func() error { return run(r.painter) }))
}

// shown applies a view's chip to its image in a new target, and reads the image into the view.
func (p *painter) shown(v *render.View) error {
	if why := p.chips.onProcessor(v); why != "" {
		return fmt.Errorf("no shader applies the chip, since %s", why)
	}
	im := v.Color
	t, err := newTarget(int32(im.Width), int32(im.Height))
	if err != nil {
		return err
	}
	defer t.delete()
	bind(pictureUnit, t.color)
	gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, t.width, t.height, gl.RGB, gl.UNSIGNED_BYTE, gl.Ptr(im.Pix))
	if im.Above != nil {
		if err := t.addAbove(); err != nil {
			return err
		}
		bind(cellsUnit, t.above.cells)
		gl.TexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, t.above.cols, t.above.rows, gl.RGB, gl.FLOAT, gl.Ptr(im.Above))
	}
	if err := p.chips.apply(v, t, p.empty); err != nil {
		return err
	}
	p.read(v, t)
	return glError("reading")
}

// Package chip is the oracle: shaders give the same bytes, but for rounding.
func TestShadersApplyChipsAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	withChips(t, func(p *painter) error {
		for _, size := range [][2]int{{2, 2}, {3, 17}, {97, 61}} {
			w, h := size[0], size[1]
			for name, c := range chipCases(w, h) {
				for _, above := range []bool{false, true} {
					v := render.View{Model: optics.Pinhole{Width: w, Height: h}, Color: idealImage(w, h, above),
						Chip: &c, NoiseKey: 1<<40 + 3}
					must.Do(t, v.Validate())
					want := idealImage(w, h, above)
					oracle.Apply(want, &c, v.NoiseKey)
					if err := p.shown(&v); err != nil {
						return err
					}
					others, off, far := 0, 0, 0
					for i, b := range v.Color.Pix {
						d := int(b) - int(want.Pix[i])
						d = max(d, -d)
						if d > 0 {
							others++
						}
						if far = max(far, d); d > 1 {
							off++
						}
					}
					all := float64(len(want.Pix))
					t.Logf("%s, %d×%d, above %v: %.3f %% of the bytes differ, the largest difference is %d", name, w, h,
						above, 100*float64(others)/all, far)
					// sharpening by 1.5 multiplies differences by up to 2.5
					if !(float64(others) <= 0.002*all) || far > 3 || !(float64(off) <= 0.001*all) {
						t.Errorf("%s, %d×%d, above %v: %d of %d bytes differ, %d by more than 1, the largest "+
							"difference is %d: want at most 0.2 %%, 0.1 %% and 3", name, w, h, above, others,
							len(want.Pix), off, far)
					}
				}
			}
		}
		return nil
	})
}

// An image depends neither on the images before it nor on the memory that they left.
func TestShadersForgetImages(t *testing.T) {
	withChips(t, func(p *painter) error {
		first := map[string][]byte{}
		for turn := range 2 {
			names := slices.Sorted(maps.Keys(chipCases(97, 61)))
			rand.New(rand.NewPCG(uint64(turn), 1)).Shuffle(len(names), func(i, j int) {
				names[i], names[j] = names[j], names[i]
			})
			for i, name := range names {
				// other sizes, until none is left of the first's memory
				for k := range 2 * maxChipPlanes * (i % 4 / 3) {
					c := chipCases(10+k, 10)["all"]
					v := render.View{Model: optics.Pinhole{Width: 10 + k, Height: 10}, Chip: &c,
						Color: idealImage(10+k, 10, false)}
					if err := p.shown(&v); err != nil {
						return err
					}
				}
				c := chipCases(97, 61)[name]
				v := render.View{Model: optics.Pinhole{Width: 97, Height: 61}, Color: idealImage(97, 61, true),
					Chip: &c, NoiseKey: 9}
				if err := p.shown(&v); err != nil {
					return err
				}
				if turn == 0 {
					first[name] = v.Color.Pix
				} else if !bytes.Equal(v.Color.Pix, first[name]) {
					t.Errorf("%s: other bytes in turn %d", name, turn)
				}
			}
		}
		return nil
	})
}

// Faults that no shader knows are left to the processor, and so are all chips where OpenGL is software.
func TestChipsThatShadersDoNotKnowAreLeftToTheProcessor(t *testing.T) {
	c := render.Chip{FullWell: 10_000, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	view := func(change func(*render.Chip)) *render.View {
		of := c
		change(&of)
		return &render.View{Color: render.NewImage(4, 4), Chip: &of}
	}
	cs := chips{on: true}
	must.Equal(t, cs.onProcessor(view(func(*render.Chip) {})), "", "why the processor applies a plain chip")
	for name, change := range map[string]func(*render.Chip){
		"JPEG":     func(c *render.Chip) { c.JPEGQuality = 90 },
		"blooming": func(c *render.Chip) { c.Spill = 0.1 },
		"smear":    func(c *render.Chip) { c.Smear = 0.1 },
	} {
		if cs.onProcessor(view(change)) == "" {
			t.Errorf("a shader applies %s", name)
		}
	}
	for _, v := range []*render.View{{Color: render.NewImage(4, 4)}, {Chip: &c}} {
		if cs.onProcessor(v) == "" {
			t.Errorf("a shader applies the chip %v to the image %v", v.Chip, v.Color)
		}
	}
	if cs.on = false; cs.onProcessor(view(func(*render.Chip) {})) == "" {
		t.Error("a shader applies a chip though OpenGL is software")
	}
}
