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
	r := must.Get(NewGrouped(&render.Scene{}))(t)
	defer r.Close()
	must.Do(t, r.thread.do(func() error { return run(r.painter) }))
}

// apply applies the chips of views of the same size to their images in a new texture, and reads the images into the
// views.
func (p *painter) apply(views []render.View) error {
	first := views[0].Color
	im := images{extent: extent{int32(first.Width), int32(first.Height), int32(len(views))}}
	var plane plane
	if err := plane.init(pictureUnit, gl.SRGB8_ALPHA8, im.width, im.height, im.n); err != nil {
		return err
	}
	im.color, im.colorFBO = plane.texture, plane.fbo
	defer gl.DeleteTextures(1, &im.color)
	defer gl.DeleteFramebuffers(1, &im.colorFBO)
	var indices []int
	cols, rows := render.Cells(first.Width, first.Height)
	cells := make([]float32, 3*cols*rows*len(views))
	for i := range views {
		if why := p.chips.onProcessor(&views[i]); why != "" && views[i].Chip != nil {
			return fmt.Errorf("no shader applies the chip, since %s", why)
		}
		indices = append(indices, i)
		gl.TexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, int32(i), im.width, im.height, 1, gl.RGB, gl.UNSIGNED_BYTE,
			gl.Ptr(views[i].Color.Pix))
		copy(cells[3*cols*rows*i:], views[i].Color.Above)
	}
	im.cells = newTexture(cellsUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, int32(cols), int32(rows)*im.n, 0, gl.RGB, gl.FLOAT, gl.Ptr(cells))
	if err := p.chips.apply(views, indices, &im); err != nil {
		return err
	}
	for i := range views {
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, im.colorFBO)
		gl.FramebufferTextureLayer(gl.READ_FRAMEBUFFER, gl.COLOR_ATTACHMENT0, im.color, 0, int32(i))
		gl.ReadPixels(0, 0, im.width, im.height, gl.RGB, gl.UNSIGNED_BYTE, gl.Ptr(views[i].Color.Pix))
	}
	return glError("reading")
}

// viewsOf are views of a size, one for each of the cases' chips with and without light above white, and one without a
// chip.
func viewsOf(w, h int) (views []render.View, names []string) {
	cases := chipCases(w, h)
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		for _, above := range []bool{false, true} {
			views = append(views, render.View{Model: optics.Pinhole{Width: w, Height: h},
				Color: idealImage(w, h, above), Chip: &c, NoiseKey: 1<<40 + uint64(i)})
			names = append(names, fmt.Sprintf("%s, %d×%d, above %v", name, w, h, above))
		}
	}
	return append(views, render.View{Model: optics.Pinhole{Width: w, Height: h}, Color: idealImage(w, h, false)}),
		append(names, "none")
}

// Package chip is the oracle: shaders give the same bytes, but for rounding.
func TestShadersApplyChipsAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	withChips(t, func(p *painter) error {
		for _, size := range [][2]int{{2, 2}, {3, 17}, {97, 61}} {
			views, names := viewsOf(size[0], size[1])
			if err := p.apply(views); err != nil {
				return err
			}
			for i, v := range views {
				must.Do(t, v.Validate())
				want := idealImage(size[0], size[1], v.Color.Above != nil)
				oracle.Apply(want, v.Chip, v.NoiseKey)
				others, off, far := 0, 0, 0
				for i, b := range v.Color.Pix {
					d := int(b) - int(want.Pix[i])
					if d = max(d, -d); d > 0 {
						others++
					}
					if far = max(far, d); d > 1 {
						off++
					}
				}
				all := float64(len(want.Pix))
				t.Logf("%s: %d of %d bytes differ, %d by more than 1, the largest difference is %d", names[i], others,
					len(want.Pix), off, far)
				// sharpening by 1.5 multiplies differences by up to 2.5
				if !(float64(others) <= 0.002*all) || !(float64(off) <= 0.001*all) || far > 3 {
					t.Errorf("%s: %d of %d bytes differ, %d by more than 1, the largest difference is %d: want at "+
						"most 0.2 %%, 0.1 %% and 3", names[i], others, len(want.Pix), off, far)
				}
			}
		}
		return nil
	})
}

// An image depends neither on the images with it, nor on how many are drawn at once, nor on those before it.
func TestShadersDrawImagesIndependently(t *testing.T) {
	withChips(t, func(p *painter) error {
		together, names := viewsOf(97, 61)
		if err := p.apply(together); err != nil {
			return err
		}
		p.chips.atOnce = 2
		fewer, _ := viewsOf(97, 61)
		if err := p.apply(fewer); err != nil {
			return err
		}
		for k := range maxPlanes { // other sizes, until no memory is left of the first
			other, _ := viewsOf(10+k, 10)
			if err := p.apply(other[20:21]); err != nil {
				return err
			}
		}
		alone, _ := viewsOf(97, 61)
		for i := range alone {
			i = len(alone) - 1 - i
			if err := p.apply(alone[i : i+1]); err != nil {
				return err
			}
			if !bytes.Equal(alone[i].Color.Pix, together[i].Color.Pix) {
				t.Errorf("%s: alone, the image has other bytes than together with others", names[i])
			}
			if !bytes.Equal(fewer[i].Color.Pix, together[i].Color.Pix) {
				t.Errorf("%s: in twos, the images have other bytes than together", names[i])
			}
		}
		return nil
	})
}

// Faults that no shader knows are left to the processor.
func TestChipsThatShadersDoNotKnowAreLeftToTheProcessor(t *testing.T) {
	c := render.Chip{FullWell: 10_000, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
	view := func(change func(*render.Chip)) *render.View {
		of := c
		change(&of)
		return &render.View{Color: render.NewImage(4, 4), Chip: &of}
	}
	var cs chips
	must.Equal(t, cs.onProcessor(view(func(*render.Chip) {})), "", "why the processor applies a plain chip")
	for name, change := range map[string]func(*render.Chip){
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
}
