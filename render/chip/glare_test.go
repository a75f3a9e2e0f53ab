package chip

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// veil returns the light in the middle of an image for a white or black square there on a white background.
func veil(w, h, side int, share float64) float64 {
	im := grey(w, h, 255)
	for y := h/2 - side/2; y < h/2+side/2; y++ {
		clear(im.Pix[3*(y*w+w/2-side/2):][:3*side])
	}
	c := good()
	c.FullWell, c.Glare = 1e12, share
	apply(im, c, 1)
	return render.Linear(float64(im.Pix[3*(h/2*w+w/2)]) / 255)
}

// A small black square on white receives the veiling glare index of the lens, except for the light that would come from
// itself; a large one receives less.
func TestBlackGetsTheVeilingGlareIndex(t *testing.T) {
	for _, share := range []float64{0.05, 0.2} {
		if got := veil(640, 480, 4, share); !scalar.EqualWithinRel(got, share, 0.03) {
			t.Errorf("a small black square gets %.4f of white, want %v", got, share)
		}
		// For a large square, a quarter of the glare comes evenly from the image, nearly half of which is white, and
		// little from nearby.
		if got := veil(640, 480, 400, share); !(got > 0.12*share) || !(got < 0.3*share) {
			t.Errorf("a large black square gets %.4f of white, want an eighth to a third of %v", got, share)
		}
	}
}

// A cell that is n times as bright as white, in the dark, scatters n times as much light. Far away its haze follows the
// closed form.
func TestGlareOfWhatIsBrighterThanWhite(t *testing.T) {
	const w, h, share = 640, 480, 0.1
	haze := func(above float32) (near, far float64) {
		im := grey(w, h, 0)
		for y := h / 2; y < h/2+GlareCell; y++ {
			for i := 3 * (y*w + w/2); i < 3*(y*w+w/2+GlareCell); i++ {
				im.Pix[i] = 255
			}
		}
		if im.KeepAbove(); above == 0 {
			im.Above = nil
		} else {
			cols, _ := render.Cells(w, h)
			for k := range 3 {
				im.Above[3*(h/2/GlareCell*cols+w/2/GlareCell)+k] = above
			}
		}
		c := good()
		c.FullWell, c.Glare, c.Gain = 1e12, share, 20 // 8 bits resolve little near black
		apply(im, c, 1)
		at := func(x, y int) float64 { return float64(render.Decode8(im.Pix[3*(y*w+x)+1])) / c.Gain }
		return at(w/2+60, h/2+8), at(4, 4)
	}
	white, corner := haze(0)
	lamp, lampCorner := haze(39) // forty times white
	if !(white > 0.0003) || !scalar.EqualWithinRel(lamp, 40*white, 0.1) {
		t.Errorf("forty times white scatters %.5f, white %.5f", lamp, white)
	}
	// In a corner little arrives except the even quarter.
	if want := 40 * share / 4 * GlareCell * GlareCell / (w * h); !(lampCorner > want) || !(lampCorner < 1.5*want) ||
		!(corner < lampCorner/20) {
		t.Errorf("in a corner there is %.5f, and of white %.5f, want %.5f or little more", lampCorner, corner, want)
	}
}

// Glare does not change an image of one colour.
func TestGlareKeepsAPlainImage(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {17, 5}, {160, 120}, {97, 61}} {
		im := grey(size[0], size[1], 180)
		c := good()
		c.FullWell, c.Glare = 1e12, 0.5
		if want := bytes.Clone(im.Pix); !bytes.Equal(apply(im, c, 1).Pix, want) {
			t.Errorf("%v: other bytes", size)
		}
	}
}

// Around a small light, glare falls off with the square of the distance over a decade. It is equal in all directions
// within a factor of 2: at 45° a recursive filter reaches less far. Its sum is the fraction that is scattered.
func TestGlareFallsOffWithTheSquareOfTheDistance(t *testing.T) {
	const w, h, share = 1600, 1600, 0.1
	g := NewGlare(w, h)
	memory := make([]float32, g.Room())
	middle := g.Cols / 2
	memory[g.index(middle, middle)] = 1
	g.Scatter(memory, w, h, share)
	even := share / 4 / float64(g.Cols*g.Rows)
	at := func(dx, dy int) float64 { return float64(memory[g.index(middle+dx, middle+dy)]) - even }
	sum := 0.0
	for row := range g.Rows {
		for col := range g.Cols {
			sum += float64(memory[g.index(col, row)])
		}
	}
	if !scalar.EqualWithinRel(sum, share, 0.05) { // pixels beyond the border repeat the border
		t.Errorf("%.4f of the light is scattered, want %v", sum, share)
	}
	near, far := at(3, 0), at(30, 0)
	if slope := math.Log10(near / far); !scalar.EqualWithinAbs(slope, 2, 0.3) {
		t.Errorf("over a decade of distance glare falls by 10^%.2f, want 10^2", slope)
	}
	for _, d := range []int{5, 10, 20} {
		along, across := at(d, 0), at(int(math.Round(float64(d)*math.Sqrt2/2)),
			int(math.Round(float64(d)*math.Sqrt2/2)))
		if !(across > along/2) || !(across < along*2) {
			t.Errorf("%d cells away there is %.3g along a row and %.3g at 45°", d, along, across)
		}
		if expected := at(10, 0) * 100 / float64(d*d); !(along > expected/2) || !(along < expected*2) {
			t.Errorf("%d cells away there is %.3g, want %.3g", d, along, expected)
		}
	}
}
