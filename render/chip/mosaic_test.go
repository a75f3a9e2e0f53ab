package chip

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// An interpolated colour is a mean of n independent readings, so its variance is 1/n of a reading's: a quarter for
// green between four readings, a half for red and blue between two, and a quarter between four.
func TestBayerNoiseIsCorrelated(t *testing.T) {
	const w, h, v = 400, 300, 128
	c := good()
	// So few electrons that a grey value is a quarter of the noise's standard deviation.
	c.FullWell, c.Bayer = 1000, true
	im := apply(grey(w, h, v), c, 1)
	mean := render.Linear(v/255.0) * c.FullWell
	for _, c := range []struct {
		name     string
		row, col int
		channel  int
		readings float64
	}{
		{"red at red", 0, 0, 0, 1}, {"green at red", 0, 0, 1, 4}, {"blue at red", 0, 0, 2, 4},
		{"red at green", 0, 1, 0, 2}, {"green at green", 0, 1, 1, 1}, {"blue at green", 0, 1, 2, 2},
		{"red at the other green", 1, 0, 0, 2}, {"green at the other green", 1, 0, 1, 1}, {"blue at the other green", 1,
			0, 2, 2},
		{"red at blue", 1, 1, 0, 4}, {"green at blue", 1, 1, 1, 4}, {"blue at blue", 1, 1, 2, 1},
	} {
		var sum, sum2, n float64
		for y := 2 + c.row; y < h-2; y += 2 {
			for x := 2 + c.col; x < w-2; x += 2 {
				e := render.Linear(float64(im.Pix[3*(y*w+x)+c.channel])/255) * 1000
				sum, sum2, n = sum+e, sum2+e*e, n+1
			}
		}
		got, want := sum2/n-sum*sum/n/n, mean/c.readings
		width := (render.Linear((v+1)/255.0) - render.Linear((v-1)/255.0)) / 2 * 1000
		want += width * width / 12 // rounding
		// Five standard deviations of a variance of n values, of which neighbours share readings.
		if !scalar.EqualWithinAbs(got/want, 1, 5*math.Sqrt(2/n)*math.Sqrt(c.readings)+0.02) {
			t.Errorf("%s: variance %.0f e², want %.0f", c.name, got, want)
		}
		if !scalar.EqualWithinAbs(sum/n/mean, 1, 0.005) {
			t.Errorf("%s: mean %.1f e, want %.1f", c.name, sum/n, mean)
		}
	}
}

// Each colour of an image of one colour comes from readings of that colour only, up to the border.
func TestBayerKeepsAPlainColour(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {3, 5}, {16, 9}} {
		im := render.NewImage(size[0], size[1])
		for i := range im.Pix {
			im.Pix[i] = []byte{200, 100, 30}[i%3]
		}
		c := good()
		c.FullWell, c.Bayer = 1e12, true
		for i, b := range apply(im, c, 1).Pix {
			if want := []byte{200, 100, 30}[i%3]; b != want {
				t.Fatalf("%v: byte %d is %d, want %d", size, i, b, want)
			}
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
	c := good()
	c.Bayer = true
	apply(im, c, 1)
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
