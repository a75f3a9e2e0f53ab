package chip

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// A bright edge across a corner's radius appears farther out in red and farther in in blue, by the configured amount.
func TestChromaticShift(t *testing.T) {
	const w, h, shift = 640, 480, 2.0
	im := grey(w, h, 10)
	edge := 560.0
	for y := range h {
		for x := int(edge) - 5; x < w; x++ { // ten pixels wide, as through a soft lens
			share := math.Min(1, (float64(x)-edge+5)/10)
			v := byte(math.Round(255 *
				render.Encoded(render.Linear(10/255.0)*(1-share)+render.Linear(230/255.0)*share)))
			copy(im.Pix[3*(y*w+x):], []byte{v, v, v})
		}
	}
	before := bytes.Clone(im.Pix)
	c := good()
	c.FullWell, c.Chromatic = 1e12, shift
	apply(im, c, 1)
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
	share := (edge - 320) / math.Hypot(319.5, 239.5) // fraction of the corner's shift, on the edge in the middle row
	for c, want := range [3]float64{shift * share, 0, -shift * share} {
		if got := crossing(im.Pix, c) - crossing(before, c); !scalar.EqualWithinAbs(got, want, 0.05) {
			t.Errorf("channel %d is shifted by %.3f px, want %.3f", c, got, want)
		}
	}
}
