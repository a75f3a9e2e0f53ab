package chip

import (
	"bytes"
	"math"
	"math/rand/v2"
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

// The weights of the blurs along rows and columns give the same scattered light as the recursive filters of Scatter.
func TestWeightsScatterAsTheFilters(t *testing.T) {
	for _, size := range [][2]int{{2, 2}, {97, 61}, {640, 40}, {17, 300}} {
		w, h := size[0], size[1]
		g := NewGlare(w, h)
		memory, r := make([]float32, g.Room()), rand.New(rand.NewPCG(3, uint64(w)))
		cells := make([]float32, g.Cols*g.Rows) // of one colour; the others are black
		for i := range cells {
			cells[i] = r.Float32() * 5
			memory[g.index(i%g.Cols, i/g.Cols)] = cells[i]
		}
		ofRows, ofColumns := g.Weights(w, h)
		g.Scatter(memory, w, h, 0.4)
		for i := range cells {
			col, row, got := i%g.Cols, i/g.Cols, 0.0
			for k := range Blurs {
				for y := range g.Rows {
					for x := range g.Cols {
						got += float64(ofRows[(k*g.Cols+col)*g.Cols+x]) *
							float64(ofColumns[(k*g.Rows+row)*g.Rows+y]) * float64(cells[y*g.Cols+x]) * 0.4 / Blurs
					}
				}
			}
			if want := float64(memory[g.index(col, row)]); !(math.Abs(got-want) <= 1e-5*want) {
				t.Errorf("%d×%d: cell (%d, %d) gets the light %v, want %v", w, h, col, row, got, want)
			}
		}
	}
}
