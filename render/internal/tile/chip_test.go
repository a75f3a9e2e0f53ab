package tile

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
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
					must.Do(t, v.Validate())
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
		columns   float64 // blooming and smear
	}{{"noise", false, 0, 0}, {"bayer", true, 0, 0}, {"chromatic", false, 1.5, 0},
		{"bayer and chromatic", true, 1.5, 0}, {"blooming and smear", false, 0, 0.05}} {
		c := chips[0]
		c.Bayer, c.Chromatic, c.Spill, c.Smear = mode.bayer, mode.chromatic, mode.columns, mode.columns
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
				c.Denoise, c.Contrast = float64(quality%3)*10, float64(quality%2)
				want, got := picture(size[0], size[1]), picture(size[0], size[1])
				chip.Process(want, &c, &memory)
				process(k, got, &c, &bytesOf)
				if !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("%s: %v, sharpening %v, quality %d: other bytes", nameOf(k), size, c.Sharpening, quality)
				}
				if quality == 0 {
					continue
				}
				chip.Process(want, &render.Chip{JPEGQuality: quality}, &memory)
				kernels := Chips{kernel: k}
				if kernels.Compress(got, quality); !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("%s: %v, quality %d: other bytes after compression", nameOf(k), size, quality)
				}
			}
		}
	}
}

// rangings are those of both Kinects, and some with extreme values.
var rangings = []render.Ranging{
	{Min: 0.5, Max: 8, Axial: [3]float64{0.0015, -0.0005, 0.0003}, Slant: [2]float64{0, 0.0001},
		Lateral: [2]float64{0, 0.0016}, Flying: 0.4, Dropout: 0.2},
	{Min: 0.5, Max: 5, Axial: [3]float64{0.0015, -0.0015, 0.0019}, Slant: [2]float64{0.0001, 0},
		Lateral: [2]float64{0.8, 0}, Dropout: 0.5, Baseline: 0.075, Step: 2.85e-3},
	{Min: 0, Max: 100, Axial: [3]float64{0.12, -0.15, 0.19}, Slant: [2]float64{0.01, 0.01},
		Lateral: [2]float64{80, 0.16}, Flying: 1, Baseline: 1},
	{Min: 0.1, Max: 1e4, Axial: [3]float64{-1e6, 1e6, 1e6}, Slant: [2]float64{1e6, 1e6}, Lateral: [2]float64{1e6, 1e6},
		Dropout: 1, Baseline: 1e3, Step: 1e3},
	{Min: 0.5, Max: 5, Axial: [3]float64{0.0015, -0.0015, 0.0019}, Slant: [2]float64{0.0001, 0},
		Lateral: [2]float64{0.8, 0}, Dropout: 0.5, Baseline: 0.075, Step: 2.85e-3, DarkRange: 1, SignalNoise: 0.2,
		Margin: 8},
	{Min: 0, Max: 30, DarkRange: 1e3, SignalNoise: 1, Margin: 1 << 30},
	{Min: 0, Max: 30, Flying: 0.5, DarkRange: 1e-3, SignalNoise: 1, Margin: 1},
	{Min: 0, Max: 3},
	{Min: 1, Max: 3, Exact: true},
}

// lensOf is a lens for images of a size, with an off-centre axis.
func lensOf(w, h int) optics.Pinhole {
	return optics.Pinhole{Width: w, Height: h, FX: 0.7 * float64(w), FY: 0.8 * float64(w), CX: 0.4 * float64(w),
		CY: 0.6 * float64(h)}
}

// room is a slanted floor with steps, holes, nothing, and random depths.
func room(w, h int) *render.Depth {
	d, r := render.NewDepth(w, h), rand.New(rand.NewPCG(2, uint64(w*h)))
	for i := range d.Z {
		u, v := i%w, i/w
		switch z := 0.4 + 0.01*float32(v) + 0.003*float32(u); {
		case (u/13+v/11)%5 == 0:
			d.Z[i] = z + float32(u/13%7)
		case (u/9+v/17)%7 == 0:
			d.Z[i] = float32(math.Inf(1))
		case (u/19+v/15)%6 == 0:
			d.Z[i] = 20 * r.Float32() * r.Float32()
		case r.IntN(200) == 0:
			d.Z[i] = []float32{0, 1e-6, 0.01, 1e4, 1e30}[r.IntN(5)]
		default:
			d.Z[i] = z
		}
	}
	d.KeepReflectance()
	for i := range d.Reflectance {
		d.Reflectance[i] = float32(i%w/5%11) / 10
	}
	return d
}

// equal returns the first index at which the bits of two images' distances differ, −1 if none do.
func equal(a, b *render.Depth) int {
	for i, z := range a.Z {
		if math.Float32bits(z) != math.Float32bits(b.Z[i]) {
			return i
		}
	}
	return -1
}

// Package chip is the oracle: every kernel gives the same measurements.
func TestKernelsMeasureAsPackageChip(t *testing.T) {
	var oracle chip.Processor
	for _, k := range supportedKernels() {
		kernels := Chips{kernel: k}
		for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 70}, {7, 5}, {16, 16}, {17, 33}, {31, 19}, {64, 3}, {97, 61},
			{512, 40}, {1023, 3}, {1025, 33}} {
			w, h := size[0], size[1]
			for i := range rangings {
				v := render.View{Model: lensOf(w, h), Depth: room(w, h), Ranging: &rangings[i]}
				must.Do(t, v.Validate())
				want := room(w, h)
				oracle.Measure(want, &rangings[i], lensOf(w, h), uint64(i))
				kernels.Measure(v.Depth, &rangings[i], lensOf(w, h), uint64(i))
				if at := equal(v.Depth, want); at >= 0 {
					t.Errorf("%s: ranging %d, %d×%d: at pixel (%d, %d) %v m are measured, want %v m", nameOf(k), i, w,
						h, at%w, at/w, v.Depth.Z[at], want.Z[at])
				}
			}
		}
	}
}

// A Kinect v1's image, with and without the light that surfaces return.
func BenchmarkRanging640x480(b *testing.B) {
	kernels := must.Get(NewChips())(b)
	for _, c := range []struct {
		name string
		dark float64
	}{{"plain", 0}, {"light", 3.2}} {
		b.Run(c.name, func(b *testing.B) {
			r, d := rangings[1], room(640, 480)
			for i := range d.Z {
				d.Z[i] = 1 + float32(i/640)/200
			}
			r.DarkRange, r.SignalNoise = c.dark, 0.1
			truth := slices.Clone(d.Z)
			b.ReportAllocs()
			for b.Loop() {
				copy(d.Z, truth)
				kernels.Measure(d, &r, lensOf(640, 480), 1)
			}
		})
	}
}

// Distances that are measured while they are drawn equal those of package chip, whichever workers draw the rows.
func TestDrawnDistancesAreMeasured(t *testing.T) {
	var oracle chip.Processor
	drew := false
	for seed := range uint64(6) {
		r := newRandom(300 + seed)
		s := r.scene()
		poses := r.poses(len(s.Bodies))
		var views, plain []render.View
		for i := range rangings {
			for _, size := range [][2]int{{17, 33}, {90, 70}} {
				v := render.View{Model: lensOf(size[0], size[1]), PoseWC: r.pose(4), Depth: render.NewDepth(size[0],
					size[1]), NoiseKey: r.Uint64()}
				if rangings[i].DarkRange > 0 {
					v.Depth.KeepReflectance()
				}
				v.PoseWC.Pos[2] = math.Abs(v.PoseWC.Pos[2])
				v.Color = render.NewImage(size[0], size[1])
				plain = append(plain, v)
				v.Ranging = &rangings[i]
				views = append(views, v)
			}
		}
		for _, workers := range []int{1, 2, 5} {
			with := rendererOf(t, s, int(seed)%len(supportedKernels()), workers)
			want := drawn(t, with, poses, plain)
			for k := range views {
				oracle.Measure(want[k].Depth, views[k].Ranging, views[k].Model.(optics.Pinhole), views[k].NoiseKey)
			}
			check := func(how string, k int, got *render.Depth) {
				t.Helper()
				if at := equal(got, want[k].Depth); at >= 0 {
					t.Errorf("seed %d, %d workers, ranging %d, %s: at pixel %d %v m are measured, want %v m", seed,
						workers, k/2, how, at, got.Z[at], want[k].Depth.Z[at])
				}
				for _, z := range got.Z {
					drew = drew || z > 0 && z < 10
				}
			}
			for k, v := range drawn(t, with, poses, views) {
				check("in company", k, v.Depth)
				alone := drawn(t, with, poses, views[k:k+1])
				check("alone", k, alone[0].Depth)
			}
			with.Close()
		}
	}
	if !drew {
		t.Error("nothing was measured")
	}
}
