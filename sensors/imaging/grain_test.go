package imaging

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// Every grey value keeps its mean in linear light and gets the variance of the camera model.
func TestGrainMatchesTheCameraModel(t *testing.T) {
	for _, chip := range []Imager{
		{FullWell: 2000, ReadNoise: 15, Exposure: 1, Gain: 1, WhiteBalance: render.White},
		{FullWell: 8000, ReadNoise: 15, Exposure: 0.25, Gain: 3, WhiteBalance: render.White},
	} {
		t.Run(fmt.Sprintf("gain %v", chip.Gain), func(t *testing.T) { grainMatches(t, chip) })
	}
}

func grainMatches(t *testing.T, chip Imager) {
	g := NewGrain(&chip)
	noise := random.New(1, "r", "s", 3)
	for _, v := range []uint8{60, 120, 180, 220} {
		pix := make([]byte, 60_000)
		for i := range pix {
			pix[i] = v
		}
		g.apply(pix, noise)
		var sum, sum2 float64
		for _, p := range pix {
			e := render.Linear(float64(p)/255) * chip.FullWell / chip.Gain
			sum, sum2 = sum+e, sum2+e*e
		}
		n := float64(len(pix))
		mean, variance := sum/n, sum2/n-sum*sum/n/n
		want := render.Linear(float64(v)/255) * chip.FullWell * chip.Exposure
		wantVar := want + chip.ReadNoise*chip.ReadNoise
		// Rounding to a grey value adds a twelfth of its width squared; the quantile table leaves out 0.5 % of the variance.
		delivered := math.Round(255 * render.Encoded(chip.Gain*want/chip.FullWell))
		width := (render.Linear((delivered+1)/255) - render.Linear((delivered-1)/255)) / 2 * chip.FullWell / chip.Gain
		wantVar += width * width / 12
		if !scalar.EqualWithinAbs(mean, want, 5*math.Sqrt(wantVar/n)+0.005*want) {
			t.Errorf("value %d: mean %v e, want %v", v, mean, want)
		}
		if !scalar.EqualWithinAbs(variance/wantVar, 1, 5*math.Sqrt(2/n)+0.02) {
			t.Errorf("value %d: variance %v e², want %v", v, variance, wantVar)
		}
	}
}

// What a lamp of 3000 K makes of white, a camera that is balanced to it shows as white.
func TestWhiteBalanceUndoesTheLight(t *testing.T) {
	chip := Imager{FullWell: 1e6, Exposure: 1, Gain: 1, WhiteBalance: 3000}
	lamp, white := render.BlackBody(3000), render.BlackBody(render.White)
	pix := make([]byte, 6000)
	for i := range pix {
		pix[i] = byte(math.Round(255 * render.Encoded(0.2*lamp[i%3]/white[i%3])))
	}
	NewGrain(&chip).apply(pix, random.New(1, "r", "s", 0))
	var sum [3]float64
	for i, p := range pix {
		sum[i%3] += render.Linear(float64(p)/255) / float64(len(pix)/3)
	}
	for c := range sum {
		if !scalar.EqualWithinAbs(sum[c]/sum[1], 1, 0.03) { // of which the rounding of a dark blue is most
			t.Errorf("channel %d: %.4f, green %.4f: must be equal", c, sum[c], sum[1])
		}
	}
}

func BenchmarkGrain640x480(b *testing.B) {
	g := NewGrain(&Imager{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, WhiteBalance: render.White})
	pix := make([]byte, 640*480*3)
	b.SetBytes(int64(len(pix)))
	b.ReportAllocs()
	for k := range b.N {
		g.apply(pix, random.New(1, "r", "s", uint64(k)))
	}
}
