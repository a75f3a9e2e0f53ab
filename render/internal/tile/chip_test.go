package tile

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
)

// picture has random bytes in the upper half, and all bytes in turn in the lower half.
func picture(w, h int) *render.Image {
	im, r := render.NewImage(w, h), rand.New(rand.NewPCG(1, uint64(w*h)))
	for i := range im.Pix {
		if im.Pix[i] = byte(i); i < len(im.Pix)/2 {
			im.Pix[i] = byte(r.Uint32())
		}
	}
	return im
}

// chips are an ordinary one, and some with extreme values.
var chips = []render.Chip{
	{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}},
	{FullWell: 100, ReadNoise: 10_000, Exposure: 64, Gain: 64, Balance: [3]float64{3, 1, 0.2}},
	{FullWell: 400, ReadNoise: 3, Exposure: 0.1, Gain: 12, Balance: [3]float64{0.5, 1, 4}},
	{FullWell: 1e12, Exposure: 0, Gain: 0},
	{FullWell: 1, ReadNoise: 1e9, Exposure: 1e6, Gain: 1e6, Balance: [3]float64{1e6, 0, 1e6}},
}

// further adds fixed pattern noise, scattered light or both, flicker, and processing in the camera to a chip; mode
// switches Bayer and chromatic aberration.
func further(c *render.Chip, mode int) {
	if mode%3 != 1 {
		c.Fixed = render.FixedPattern{Key: 7, DSNU: 20, PRNU: 0.05, Row: 10, Column: 15, Hot: 0.02, HotSignal: 100}
	}
	if mode%3 != 0 {
		c.Glare = 0.3
	}
	if mode%2 == mode/2%2 {
		c.Rows = render.Rows{Flicker: render.Flicker{Depth: 0.7, Frequency: 120, Waveform: render.RectifiedWave},
			Lamps: [3]float64{0.9, 0.5, 0.1}, Exposure: 1e6, Readout: 3e7}
	}
	if mode%4 > 1 {
		c.Spill, c.Smear = 0.3, 0.02
	}
	if mode >= 6 {
		c.Sharpening, c.JPEGQuality = 1.5, 70
	}
}

// Package chip is the oracle: every kernel gives the same bytes.
func TestKernelsApplyChipsAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	for _, k := range supportedKernels() {
		kernels := Chips{kernel: k}
		for _, size := range [][2]int{{2, 2}, {3, 2}, {2, 17}, {7, 5}, {16, 16}, {17, 33}, {31, 19}, {97, 61}, {640, 5},
			{1023, 3}, {1025, 3}, {2049, 2}, {4096, 3}} {
			w, h := size[0], size[1]
			corner := math.Hypot(float64(w-1), float64(h-1)) / 2
			for i, c := range chips {
				for mode := range 20 {
					c.Fixed, c.Rows, c.Spill, c.Smear = render.FixedPattern{}, render.Rows{}, 0, 0
					if c.Glare, c.Sharpening, c.JPEGQuality = 0, 0, 0; mode >= 12 {
						further(&c, mode-12)
					}
					c.Bayer = mode&1 != 0
					c.Chromatic = []float64{0, min(1.5, 0.9*corner), max(-10, -0.9*corner)}[mode>>1%3]
					if c.Dirt = nil; mode >= 6 && mode < 15 {
						c.Dirt = make([]float32, w*h)
						for i := range c.Dirt {
							c.Dirt[i] = 1 - float32(i%5)/4
						}
					}
					v := render.View{Model: optics.Pinhole{Width: w, Height: h}, Color: picture(w, h), Chip: &c}
					if err := v.Validate(); err != nil {
						t.Fatal(err)
					}
					want := picture(w, h)
					if mode%2 != 0 {
						want.KeepAbove()
						for i := range want.Above {
							want.Above[i] = float32(i%7) / 3
						}
						v.Color.Above = want.Above
					}
					oracle.Apply(want, &c, uint64(mode))
					kernels.Apply(v.Color, &c, uint64(mode))
					if !bytes.Equal(v.Color.Pix, want.Pix) {
						at := 0
						for v.Color.Pix[at] == want.Pix[at] {
							at++
						}
						t.Errorf("%s: chip %d, mode %d, %d×%d, Bayer %v, chromatic %v, dirt %v: byte %d of pixel "+
							"(%d, %d) is %d, want %d", nameOf(k), i, mode, w, h,
							c.Bayer, c.Chromatic, c.Dirt != nil, at%3, at/3%w, at/3/w, v.Color.Pix[at], want.Pix[at])
					}
				}
			}
		}
	}
}

func BenchmarkChip640x640(b *testing.B) {
	for _, mode := range []struct {
		name      string
		bayer     bool
		chromatic float64
	}{{"noise", false, 0}, {"bayer", true, 0}, {"chromatic", false, 1.5}, {"bayer and chromatic", true, 1.5}} {
		c := chips[0]
		c.Bayer, c.Chromatic = mode.bayer, mode.chromatic
		im := picture(640, 640)
		for _, k := range supportedKernels() {
			b.Run(fmt.Sprintf("%s/%s", mode.name, nameOf(k)), func(b *testing.B) {
				kernels := Chips{kernel: k}
				b.ReportAllocs()
				for b.Loop() {
					kernels.Apply(im, &c, uint64(b.N))
				}
			})
		}
		b.Run(mode.name+"/go", func(b *testing.B) {
			var p chip.Processor
			for b.Loop() {
				p.Apply(im, &c, uint64(b.N))
			}
		})
	}
}

// Sharpening and JPEG with any amount and quality equal those of package chip, also for noise, which has the largest
// numbers.
func TestKernelsProcessAsPackageChip(t *testing.T) {
	var memory chip.Memory
	var bytesOf []byte
	for _, k := range supportedKernels() {
		for _, size := range [][2]int{{2, 2}, {4, 3}, {5, 33}, {16, 16}, {61, 47}} {
			for quality := range 101 {
				c := chips[0]
				c.Sharpening, c.JPEGQuality = float64(quality%7)*0.7, quality
				want, got := picture(size[0], size[1]), picture(size[0], size[1])
				chip.Process(want, &c, &memory)
				process(k, got, &c, &bytesOf)
				if !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("%s: %v, sharpening %v, quality %d: other bytes", nameOf(k), size, c.Sharpening, quality)
				}
			}
		}
	}
}
