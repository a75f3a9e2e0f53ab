package chip

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"math/cmplx"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// good is a chip with few faults.
func good() render.Chip {
	return render.Chip{FullWell: 1e6, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}}
}

func grey(w, h int, v byte) *render.Image {
	im := render.NewImage(w, h)
	for i := range im.Pix {
		im.Pix[i] = v
	}
	return im
}

// ramp contains all values, in a different order for each colour.
func ramp(w, h int) *render.Image {
	im := render.NewImage(w, h)
	for i := range im.Pix {
		im.Pix[i] = byte(i * (7 + i%3))
	}
	return im
}

func apply(im *render.Image, c render.Chip, k uint64) *render.Image {
	var p Processor
	p.Apply(im, &c, k)
	return im
}

// Every grey value keeps its mean in linear light and gets the variance of EMVA 1288's model.
func TestNoiseHasTheVarianceOfTheModel(t *testing.T) {
	for _, c := range []render.Chip{
		{FullWell: 2000, ReadNoise: 15, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}},
		{FullWell: 8000, ReadNoise: 15, Exposure: 0.25, Gain: 3, Balance: [3]float64{1, 1, 1}},
		// without tables
		{FullWell: 2000, ReadNoise: 15, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}, Chromatic: 1},
	} {
		for _, v := range []byte{60, 120, 180, 220} {
			pix := apply(grey(200, 100, v), c, 3).Pix
			var sum, sum2 float64
			for _, b := range pix {
				e := render.Linear(float64(b)/255) * c.FullWell / c.Gain
				sum, sum2 = sum+e, sum2+e*e
			}
			n := float64(len(pix))
			mean, variance := sum/n, sum2/n-sum*sum/n/n
			want := render.Linear(float64(v)/255) * c.FullWell * c.Exposure
			wantVar := want + c.ReadNoise*c.ReadNoise
			// Rounding to a grey value adds a twelfth of its width squared.
			delivered := math.Round(255 * render.Encoded(c.Gain*want/c.FullWell))
			width := (render.Linear((delivered+1)/255) - render.Linear((delivered-1)/255)) / 2 * c.FullWell / c.Gain
			wantVar += width * width / 12
			if !scalar.EqualWithinAbs(mean, want, 5*math.Sqrt(wantVar/n)+0.005*want) {
				t.Errorf("%+v: value %d: mean %v e, want %v", c, v, mean, want)
			}
			if !scalar.EqualWithinAbs(variance/wantVar, 1, 5*math.Sqrt(2/n)+0.02) {
				t.Errorf("%+v: value %d: variance %v e², want %v", c, v, variance, wantVar)
			}
		}
	}
}

// Tables and planes give the same bytes: a negligible aberration forces the second.
func TestTablesAndPlanesAgree(t *testing.T) {
	for _, c := range []render.Chip{
		{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}},
		{FullWell: 100, ReadNoise: 10_000, Exposure: 64, Gain: 64, Balance: [3]float64{3, 1, 0.2}},
		{FullWell: 300, Exposure: 0.1, Gain: 20, Balance: [3]float64{0.5, 1, 4}},
	} {
		for _, dirty := range []bool{false, true} {
			const w, h = 97, 61
			if c.Dirt = nil; dirty {
				c.Dirt = make([]float32, w*h)
				for i := range c.Dirt {
					c.Dirt[i] = float32(i%7) / 6
				}
			}
			c.Chromatic = 0
			want := apply(ramp(w, h), c, 77)
			c.Chromatic = 1e-12
			if got := apply(ramp(w, h), c, 77); !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("full well %v, dirty %v: other bytes by planes", c.FullWell, dirty)
			}
		}
	}
}

func TestProcessorDoesSeveralImagesAtATime(t *testing.T) {
	var p Processor
	c := good()
	c.FullWell = 1000
	lens := optics.Pinhole{Width: 64, Height: 48, FX: 60, FY: 60, CX: 31.5, CY: 23.5}
	distances := func() *render.Depth {
		d := render.NewDepth(64, 48)
		for i := range d.Z {
			d.Z[i] = 1 + float32(i%7)/3
		}
		return d
	}
	var views []render.View
	for k := range 8 {
		views = append(views, render.View{Color: ramp(64, 48), Chip: &c, Model: lens, Depth: distances(),
			Ranging: &devices[k%2].cfg, NoiseKey: uint64(k)})
	}
	all := func() {
		for i := range views {
			p.Start(&views[i])
		}
		p.Start(&render.View{Chip: &c})
		p.Start(&render.View{Color: views[0].Color, Depth: views[0].Depth})
		p.Wait()
	}
	all()
	for i, v := range views {
		if want := apply(ramp(64, 48), c, uint64(i)); !bytes.Equal(v.Color.Pix, want.Pix) {
			t.Errorf("image %d differs from that of Apply", i)
		}
		want := distances()
		if p.Measure(want, v.Ranging, lens, uint64(i)); !slices.Equal(v.Depth.Z, want.Z) {
			t.Errorf("distances %d differ from those of Measure", i)
		}
	}
	if bytes.Equal(views[0].Color.Pix, views[1].Color.Pix) {
		t.Error("two keys have the same noise")
	}
	least := math.Inf(1)
	for range 3 { // the runtime itself sometimes allocates when goroutines wait
		least = min(least, testing.AllocsPerRun(20, all))
	}
	if least > 0 {
		t.Errorf("%v allocations", least)
	}
}

func TestDirtDims(t *testing.T) {
	c := good()
	c.Dirt = []float32{1, 0.5, 0.25, 0}
	im := apply(grey(2, 2, 200), c, 0)
	for i, share := range c.Dirt {
		want := 255 * render.Encoded(render.Linear(200.0/255)*float64(share))
		for color := range 3 {
			// rounding, and noise of less than 0.2
			must.Near(t, fmt.Sprintf("of %v of the light there", share), float64(im.Pix[3*i+color]), want, 1.2)
		}
	}
}

func ExampleProcessor() {
	im := render.NewImage(4, 4)
	for i := range im.Pix {
		im.Pix[i] = 128
	}
	var p Processor
	p.Apply(im, &render.Chip{FullWell: 1e12, Exposure: 0.5, Gain: 1, Balance: [3]float64{1, 1, 2}}, 1)
	fmt.Println(im.Pix[:3])
	// Output: [92 92 128]
}

// processed returns an image after processing in the camera.
func processed(im *render.Image, sharpening float64, quality int) *render.Image {
	c := good()
	c.Sharpening, c.JPEGQuality = sharpening, quality
	var memory Memory
	Process(im, &c, &memory)
	return im
}

// On either side of an edge the binomial filter leaves 5/16 of its height, then 1/16. Sharpening overshoots by these
// amounts, up to the ends of the range.
func TestSharpeningOvershootsEdges(t *testing.T) {
	const w, h, edge = 24, 16, 11
	for _, c := range []struct {
		low, high byte
		amount    float64
	}{{100, 148, 1}, {100, 148, 2}, {90, 250, 3}, {10, 200, 0.5}} {
		for _, upright := range []bool{true, false} {
			im := grey(w, h, c.low)
			side := func(i int) int { // distance beyond the edge
				if upright {
					return i/3%w - edge
				}
				return i/3/w - edge
			}
			for i := range im.Pix {
				if side(i) >= 0 {
					im.Pix[i] = c.high
				}
			}
			processed(im, c.amount, 0)
			height := float64(c.high) - float64(c.low)
			for i, got := range im.Pix {
				over := map[int]float64{0: 5, 1: 1, -1: -5, -2: -1}[side(i)] / 16
				want := float64(c.low) + c.amount*height*over
				if side(i) >= 0 {
					want += height
				}
				if want = max(0, min(255, want)); !(max(want-float64(got), float64(got)-want) <= 0.51) {
					t.Fatalf("%+v, upright %v: %d pixels beyond the edge there is %d, want %.1f", c, upright, side(i),
						got, want)
				}
			}
		}
	}
}

// The response to a point is that of the filter, in all directions.
func TestSharpeningOfAPoint(t *testing.T) {
	im := grey(9, 9, 100)
	for color := range 3 {
		im.Pix[3*(4*9+4)+color] = 200
	}
	processed(im, 1, 0)
	binomial := [5]float64{1, 4, 6, 4, 1}
	for y := range 9 {
		for x := range 9 {
			want := 100.0
			if x >= 2 && x < 7 && y >= 2 && y < 7 {
				want -= 100 * binomial[x-2] * binomial[y-2] / 256
			}
			if x == 4 && y == 4 {
				want += 200 - 100
				want += 100
			}
			want = min(255, want)
			if got := float64(im.Pix[3*(9*y+x)]); !(max(got-want, want-got) <= 0.51) {
				t.Errorf("at (%d, %d) there is %v, want %.1f", x, y, got, want)
			}
		}
	}
}

// drawnPicture is an image with gradients, edges and colours, computed with integers only.
func drawnPicture(w, h int) *render.Image {
	im := render.NewImage(w, h)
	for i := range im.Pix {
		x, y, c := i/3%w, i/3/w, i%3
		v := x*x/9 + y*(3+c)*5
		if (x/11+y/7)%3 == c {
			v = 255 - x
		}
		im.Pix[i] = byte(v)
	}
	return im
}

// The oracle is OpenCV 4.6 with libjpeg-turbo: encoding and decoding the same images gives the same bytes.
// cv2.imdecode(cv2.imencode(".jpg", …)).
func TestJPEGIsThatOfOpenCV(t *testing.T) {
	for _, c := range []struct {
		w, h, quality int
		want          uint32
	}{
		{16, 16, 20, 0xd23be8eb}, {16, 16, 90, 0x37840119}, {17, 16, 20, 0x2643ad4c}, {17, 16, 90, 0x81bbcdc9},
		{33, 35, 20, 0x1cb9da38},
		{33, 35, 90, 0x71205b61}, {65, 47, 20, 0x82556119}, {65, 47, 90, 0x99533889}, {100, 3, 20, 0x9c970064},
		{100, 3, 90, 0x69b8ae81},
		{3, 40, 20, 0x9dc6ee10}, {3, 40, 90, 0xf8d8d800}, {4, 9, 20, 0xb3ad7b6e}, {4, 9, 90, 0x78a07ecc},
		{160, 120, 1, 0x70be62a6},
		{160, 120, 30, 0xdf5e508f}, {160, 120, 75, 0x535fe116}, {160, 120, 95, 0x1258820f}, {160, 120, 100, 0xf06f3380},
	} {
		im := processed(drawnPicture(c.w, c.h), 0, c.quality)
		must.Equal(t, crc32.ChecksumIEEE(im.Pix), c.want, "%d×%d, quality %d: checksum", c.w, c.h, c.quality)
	}
}

// No combination of effects allocates memory after the first image, and all sizes work.
func TestEffectsAllocateNothing(t *testing.T) {
	c := good()
	c.Bayer, c.Glare, c.Denoise, c.Contrast, c.Sharpening, c.JPEGQuality = true, 0.1, 10, 0.5, 1, 80
	c.Fixed = render.FixedPattern{DSNU: 10, PRNU: 0.01, Row: 3, Column: 4, Hot: 0.001, HotSignal: 100}
	var p Processor
	for _, size := range [][2]int{{97, 61}, {2, 2}, {16, 3}, {3, 40}} {
		im := ramp(size[0], size[1])
		least := 1.0
		for range 3 {
			least = min(least, testing.AllocsPerRun(5, func() { p.Apply(im, &c, 1) }))
		}
		if least > 0 {
			t.Errorf("%v: %v allocations", size, least)
		}
	}
}

// rowsOf returns the linear light of each row of a grey image in flickering light: green, of the first pixel.
func rowsOf(r render.Rows, height int) (light []float64) {
	c := good()
	c.FullWell, c.ReadNoise, c.Rows = 1e12, 0, r
	im := apply(grey(4, height, 150), c, 1)
	for y := range height {
		light = append(light, float64(render.Decode8(im.Pix[3*4*y+1])))
	}
	return light
}

// A rolling shutter makes bands. Their period is the number of rows read during a period of the lamps, and their depth
// is that of the mean over an exposure.
func TestRollingShutterMakesBands(t *testing.T) {
	const rows = 480
	base := float64(render.Decode8(150))
	for _, c := range []struct {
		frequency, depth, lamps float64
		readout, exposure       time.Duration
	}{
		{100, 0.4, 1, 40 * time.Millisecond, 2 * time.Millisecond},
		{120, 0.4, 0.5, 50 * time.Millisecond, 5 * time.Millisecond},
		{100, 1, 0.25, 20 * time.Millisecond, 0},
		{100, 0.4, 1, 30 * time.Millisecond, 13 * time.Millisecond},
	} {
		light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: c.depth, Frequency: c.frequency,
			Waveform: render.SineWave}, Lamps: [3]float64{c.lamps, c.lamps, c.lamps},
			Stamp: 123 * time.Millisecond, Exposure: c.exposure, Readout: c.readout}, rows)
		perRow := c.frequency * c.readout.Seconds() / rows // periods
		length := c.frequency * c.exposure.Seconds()
		sinc := 1.0
		if length > 0 {
			sinc = math.Abs(math.Sin(math.Pi*length) / (math.Pi * length))
		}
		// Readout takes a whole number of periods, so that the image has a single harmonic, with the amplitude of the
		// closed form.
		if periods := math.Round(perRow * rows); !scalar.EqualWithinAbs(periods, perRow*rows, 1e-9) {
			t.Fatalf("%v periods", perRow*rows)
		}
		for harmonic := 1; harmonic <= 20; harmonic++ {
			want, sum := 0.0, complex128(0)
			if harmonic == int(math.Round(perRow*rows)) {
				want = base * c.depth * c.lamps * sinc
			}
			for y, l := range light {
				sum += complex(l, 0) * cmplx.Rect(1, 2*math.Pi*float64(harmonic*y)/rows)
			}
			if got := cmplx.Abs(sum) * 2 / rows; !scalar.EqualWithinAbs(got, want, 0.0015) { // 8 bits
				t.Errorf("%+v: the harmonic of %d bands is %.4f high, want %.4f", c, harmonic, got, want)
			}
		}
	}
}

// Exposures of whole periods have no bands.
func TestWholePeriodsHaveNoBands(t *testing.T) {
	for _, form := range []render.Waveform{render.SineWave, render.RectifiedWave} {
		for _, exposure := range []time.Duration{10, 20, 30} {
			light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: 1, Frequency: 100, Waveform: form},
				Lamps:    [3]float64{1, 1, 1},
				Exposure: exposure * time.Millisecond, Readout: 33 * time.Millisecond}, 200)
			for y, l := range light {
				if want := float64(render.Decode8(150)); l != want {
					t.Fatalf("%s, %v ms: row %d is %v, want %v", form, int(exposure), y, l, want)
				}
			}
		}
	}
}

// With a global shutter, all rows get the lamps' light at the stamp.
func TestGlobalShutterBeatsWithTheLamps(t *testing.T) {
	base := float64(render.Decode8(150))
	for frame := range 12 {
		stamp := time.Duration(float64(frame) / 30 * float64(time.Second))
		light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: 0.5, Frequency: 100, Waveform: render.SineWave},
			Lamps: [3]float64{1, 1, 1}, Stamp: stamp}, 16)
		// 100 Hz lamps at 30 Hz: ten cycles in three frames
		want := base * (1 - 0.5*math.Cos(2*math.Pi*float64(frame)/3))
		for y, l := range light {
			if !scalar.EqualWithinAbs(l, want, 0.004) {
				t.Fatalf("frame %d: row %d is %v, want %v", frame, y, l, want)
			}
		}
	}
}

// If lamps and daylight have different colours, bands are coloured.
func TestBandsHaveTheLampsColour(t *testing.T) {
	c := good()
	c.FullWell, c.ReadNoise = 1e12, 0
	c.Rows = render.Rows{Flicker: render.Flicker{Depth: 0.8, Frequency: 100, Waveform: render.SineWave},
		Lamps: [3]float64{0.8, 0.4, 0}}
	im := apply(grey(2, 2, 150), c, 1) // at the least light
	base := float64(render.Decode8(150))
	for color, want := range [3]float64{base * (1 - 0.64), base * (1 - 0.32), base} {
		must.Near(t, fmt.Sprintf("colour %d", color), float64(render.Decode8(im.Pix[color])), want, 0.004)
	}
}
