package imaging

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

func grey(w, h int, v byte) *render.Image {
	im := render.NewImage(w, h)
	for i := range im.Pix {
		im.Pix[i] = v
	}
	return im
}

// An interpolated colour is a mean of independent readings, so its variance is that of one by their number: of green
// between four others a quarter, of red and blue a half between two and a quarter between four.
func TestBayerNoiseIsCorrelated(t *testing.T) {
	const w, h, v = 400, 300, 128
	im := grey(w, h, v)
	// So few electrons that a grey value is a quarter of the noise's standard deviation.
	chip := Imager{FullWell: 1000, Exposure: 1, Gain: 1, WhiteBalance: render.White}
	bayer(im, NewGrain(&chip), random.New(1, "r", "s", 0))
	mean := render.Linear(v/255.0) * chip.FullWell
	for _, c := range []struct {
		name     string
		row, col int
		channel  int
		readings float64
	}{
		{"red at red", 0, 0, 0, 1}, {"green at red", 0, 0, 1, 4}, {"blue at red", 0, 0, 2, 4},
		{"red at green", 0, 1, 0, 2}, {"green at green", 0, 1, 1, 1}, {"blue at green", 0, 1, 2, 2}, {"green at blue", 1, 1, 1, 4},
	} {
		var sum, sum2, n float64
		for y := 2 + c.row; y < h-2; y += 2 {
			for x := 2 + c.col; x < w-2; x += 2 {
				e := render.Linear(float64(im.Pix[3*(y*w+x)+c.channel])/255) * chip.FullWell
				sum, sum2, n = sum+e, sum2+e*e, n+1
			}
		}
		got, want := sum2/n-sum*sum/n/n, mean/c.readings
		width := (render.Linear((v+1)/255.0) - render.Linear((v-1)/255.0)) / 2 * chip.FullWell
		want += width * width / 12 * (1 + 1/c.readings) // rounded as a reading and as a result
		// Five standard deviations of a variance of n values, of which neighbours share readings.
		if !scalar.EqualWithinAbs(got/want, 1, 5*math.Sqrt(2/n)*math.Sqrt(c.readings)+0.02) {
			t.Errorf("%s: variance %.0f e², want %.0f", c.name, got, want)
		}
		if !scalar.EqualWithinAbs(sum/n/mean, 1, 0.005) {
			t.Errorf("%s: mean %.1f e, want %.1f", c.name, sum/n, mean)
		}
	}
}

// A white line has coloured edges through a mosaic, and none without.
func TestBayerColoursEdges(t *testing.T) {
	im := grey(40, 40, 20)
	for y := range 40 {
		for x := 20; x < 40; x++ {
			copy(im.Pix[3*(y*40+x):], []byte{220, 220, 220})
		}
	}
	chip := Imager{FullWell: 1e6, Exposure: 1, Gain: 1, WhiteBalance: render.White}
	bayer(im, NewGrain(&chip), random.New(1, "r", "s", 0))
	at := func(x int) (r, g, b int) {
		p := im.Pix[3*(10*40+x):]
		return int(p[0]), int(p[1]), int(p[2])
	}
	if r, g, b := at(20); max(r, g, b)-min(r, g, b) < 20 {
		t.Errorf("the edge is %d, %d, %d: want colour", r, g, b)
	}
	if r, g, b := at(5); max(r, g, b)-min(r, g, b) > 3 {
		t.Errorf("grey became %d, %d, %d", r, g, b)
	}
}

// A bright edge across a corner's radius is seen farther out in red and farther in in blue, by what the key says there.
func TestChromaticShift(t *testing.T) {
	const w, h, shift = 640, 480, 2.0
	im := grey(w, h, 10)
	edge := 560.0
	for y := range h {
		for x := int(edge) - 5; x < w; x++ { // ten pixels wide, as through a soft lens
			share := math.Min(1, (float64(x)-edge+5)/10)
			v := byte(math.Round(255 * render.Encoded(render.Linear(10/255.0)*(1-share)+render.Linear(230/255.0)*share)))
			copy(im.Pix[3*(y*w+x):], []byte{v, v, v})
		}
	}
	before := bytes.Clone(im.Pix)
	chromatic(im, shift)
	crossing := func(pix []byte, c int) float64 {
		y := 240
		low, high := render.Linear(10/255.0), render.Linear(230/255.0)
		for x := 500; x < 620; x++ {
			a, b := render.Linear(float64(pix[3*(y*w+x)+c])/255), render.Linear(float64(pix[3*(y*w+x+1)+c])/255)
			if level := (low + high) / 2; a < level && b >= level {
				return float64(x) + (level-a)/(b-a)
			}
		}
		return math.NaN()
	}
	share := (edge - 320) / math.Hypot(319.5, 239.5) // of the corner's shift, on the edge in the middle row
	for c, want := range [3]float64{shift * share, 0, -shift * share} {
		if got := crossing(im.Pix, c) - crossing(before, c); !scalar.EqualWithinAbs(got, want, 0.05) {
			t.Errorf("channel %d is shifted by %.3f px, want %.3f", c, got, want)
		}
	}
}

func BenchmarkBayer640x480(b *testing.B) {
	im := grey(640, 480, 100)
	g := NewGrain(&Imager{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, WhiteBalance: render.White})
	b.ReportAllocs()
	for k := range b.N {
		bayer(im, g, random.New(1, "r", "s", uint64(k)))
	}
}

func BenchmarkChromatic640x480(b *testing.B) {
	im := grey(640, 480, 100)
	b.ReportAllocs()
	for b.Loop() {
		chromatic(im, 1.5)
	}
}
