package chip

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// refined returns an image after Refine.
func refined(im *render.Image, denoise, contrast float64) *render.Image {
	c := good()
	c.Denoise, c.Contrast = denoise, contrast
	var memory []byte
	Refine(im, &c, &memory)
	return im
}

// Noise much smaller than sigma is filtered as by the binomial filter, which leaves 70/256 of its standard deviation:
// the root of the sum of the squares of its weights, (70/256)² in two dimensions. An edge much higher than sigma stays.
func TestDenoiseKeepsEdges(t *testing.T) {
	const w, h, edge, low, high, noise = 200, 120, 100, 90, 170, 4
	im := render.NewImage(w, h)
	random := rand.New(rand.NewPCG(5, 1))
	for i := range im.Pix {
		level := float64(low)
		if i/3%w >= edge {
			level = high
		}
		im.Pix[i] = byte(math.Round(level + noise*random.NormFloat64()))
	}
	refined(im, 20, 0)
	for _, side := range []struct {
		from, to int
		want     float64
	}{{2, edge, low}, {edge, w - 2, high}} {
		var left []float64
		for y := 2; y < h-2; y++ {
			for x := side.from; x < side.to; x++ {
				left = append(left, float64(im.Pix[3*(y*w+x)+1]))
			}
		}
		mean, deviation := stat.MeanStdDev(left, nil)
		must.Near(t, fmt.Sprintf("mean of the side of %v", side.want), mean, side.want, 0.1)
		// Rounding adds a twelfth, and the pixels at the edge have fewer neighbours.
		want := math.Sqrt(math.Pow(noise*70./256, 2) + 1./12)
		if !(math.Abs(deviation/want-1) <= 0.15) {
			t.Errorf("noise on the side of %v: %v, want %.2f ± 15 %%", side.want, deviation, want)
		}
	}
}

// A direct computation in floating point of the filter's definition gives the same levels, but for rounding.
func TestDenoiseIsABilateralFilter(t *testing.T) {
	const w, h = 37, 23
	for _, sigma := range []float64{1, 8, 50} {
		im := drawnPicture(w, h)
		before := slices.Clone(im.Pix)
		refined(im, sigma, 0)
		binomial := [5]float64{1, 4, 6, 4, 1}
		for i, got := range im.Pix {
			x, y, c := i/3%w, i/3/w, i%3
			sum, weights := 0.0, 0.0
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					u, v := x+dx, y+dy
					if u < 0 || v < 0 || u >= w || v >= h {
						continue
					}
					squares := 0.0
					for k := range 3 {
						squares += math.Pow(float64(before[3*(v*w+u)+k])-float64(before[3*(y*w+x)+k]), 2) / 3
					}
					if weight := math.Exp(-squares / 2 / sigma / sigma); squares <= 9*sigma*sigma {
						weight *= binomial[dx+2] * binomial[dy+2]
						sum, weights = sum+weight*float64(before[3*(v*w+u)+c]), weights+weight
					}
				}
			}
			if want := sum / weights; !(math.Abs(float64(got)-want) <= 1.2) {
				t.Fatalf("sigma %v, at (%d, %d), colour %d: %d, want %.1f", sigma, x, y, c, got, want)
			}
		}
	}
}

// The curve is 3v² − 2v³ by the amount of contrast, rises everywhere, and keeps black and white.
func TestContrastIsSmoothstep(t *testing.T) {
	for _, amount := range []float64{0, 0.3, 1} {
		im := render.NewImage(256, 1)
		for i := range im.Pix {
			im.Pix[i] = byte(i / 3)
		}
		refined(im, 0, amount)
		for i, got := range im.Pix {
			v := float64(i/3) / 255
			want := 255 * ((1-amount)*v + amount*(3*v*v-2*v*v*v))
			if !(math.Abs(float64(got)-want) <= 0.52) {
				t.Errorf("contrast %v: %v becomes %v, want %.2f", amount, i/3, got, want)
			}
		}
	}
}
