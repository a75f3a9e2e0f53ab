package chip

import (
	"bytes"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// A pixel n times as bright as white stays white until the exposure is less than 1/n. Other pixels do not change.
func TestWhatIsBrighterThanWhiteStaysWhite(t *testing.T) {
	const w, h = 40, 20 // the cells at the right and lower border are smaller
	for _, exposure := range []float64{1, 0.5, 0.25, 0.1} {
		im := grey(w, h, 100)
		im.KeepAbove()
		for x := 34; x < 36; x++ { // two of the 8 × 4 pixels of the last cell
			copy(im.Pix[3*(18*w+x):], []byte{255, 255, 255})
		}
		im.Above[len(im.Above)-2] = 3 * 2.0 / (8 * 4) // four times white, in green only
		c := good()
		c.FullWell, c.Exposure = 1e12, exposure
		apply(im, c, 1)
		at := func(x, y, color int) float64 { return float64(render.Decode8(im.Pix[3*(y*w+x)+color])) }
		for place, want := range map[[3]int]float64{{34, 18, 1}: min(1, 4*exposure), {35, 18, 1}: min(1, 4*exposure),
			{34, 18, 0}: exposure, {35, 18, 2}: exposure,
			{36, 18, 1}: exposure * float64(render.Decode8(100)), {3, 3, 1}: exposure * float64(render.Decode8(100))} {
			if got := at(place[0], place[1], place[2]); !scalar.EqualWithinAbs(got, want, 0.004) {
				t.Errorf("exposure %v: colour %d of pixel (%d, %d) is %v, want %v", exposure, place[2], place[0],
					place[1], got, want)
			}
		}
	}
}

// An image that records light above white, but has none, gives the same bytes as one that does not record it.
func TestNothingAboveWhiteChangesNothing(t *testing.T) {
	kept := ramp(64, 48)
	kept.KeepAbove()
	c := good()
	c.FullWell, c.ReadNoise, c.Exposure = 1000, 5, 0.8
	if !bytes.Equal(apply(kept, c, 3).Pix, apply(ramp(64, 48), c, 3).Pix) {
		t.Error("other bytes")
	}
}
