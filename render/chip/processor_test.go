package chip

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
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

// Odd sizes and valid extreme numbers do not panic.
func TestAnySizeAndChip(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {2, 17}, {17, 2}, {3, 3}, {16, 16}, {31, 19}, {4096, 3}} {
		w, h := size[0], size[1]
		for _, c := range []render.Chip{
			{FullWell: 100, ReadNoise: 10_000, Exposure: 64, Gain: 64, Balance: [3]float64{8, 1, 8}},
			{FullWell: 1e12, Exposure: 0, Gain: 0, Balance: [3]float64{1, 1, 1}},
			{
				FullWell: 1, ReadNoise: 1e9, Exposure: 1e6, Gain: 1e6, Balance: [3]float64{1, 1, 1}, Glare: 1,
				Sharpening: 10, JPEGQuality: 1,
				Fixed: render.FixedPattern{DSNU: 1e9, PRNU: 0.2, Row: 1e9, Column: 1e9, Hot: 1, HotSignal: 1e9},
			},
			{FullWell: 1, ReadNoise: 1e9, Exposure: 1e6, Gain: 1e6, Balance: [3]float64{1e6, 0, 1e6}},
		} {
			for mode := range 4 {
				c.Bayer = mode&1 != 0
				if c.Chromatic = 0; mode&2 != 0 {
					c.Chromatic = -0.99 * math.Hypot(float64(w-1), float64(h-1)) / 2
				}
				for range 2 {
					c.Chromatic *= -1
					v := render.View{Model: optics.Pinhole{Width: w, Height: h}, Color: ramp(w, h), Chip: &c}
					if err := v.Validate(); err != nil {
						t.Fatal(err)
					}
					apply(v.Color, c, 1)
				}
			}
		}
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
			if got := float64(im.Pix[3*i+color]); !scalar.EqualWithinAbs(got, want, 1.2) {
				t.Errorf("of %v of the light there is %v, want %v", share, got, want)
			}
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
