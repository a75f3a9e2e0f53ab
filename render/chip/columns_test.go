package chip

import (
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// lit returns a dark image with a white rectangle of whole cells. In green it is brighter than white by above.
func lit(w, h, col, row, cols, rows int, above float32) *render.Image {
	im := grey(w, h, 0)
	im.KeepAbove()
	across, _ := render.Cells(w, h)
	for y := row * 16; y < (row+rows)*16; y++ {
		for x := col * 16; x < (col+cols)*16; x++ {
			copy(im.Pix[3*(y*w+x):], []byte{255, 255, 255})
			im.Above[3*(y/16*across+x/16)+1] = above
		}
	}
	return im
}

// green returns the green light of a column of an image.
func green(im *render.Image, x int) (light []float64) {
	for y := range im.Height {
		light = append(light, float64(render.Decode8(im.Pix[3*(y*im.Width+x)+1])))
	}
	return light
}

// Charge beyond the full wells is found in equal parts in the wells above and below, and nowhere else.
func TestChargeThatSpillsIsKept(t *testing.T) {
	const w, h = 64, 160
	for _, c := range []struct {
		above           float32
		spill, exposure float64
	}{{1, 1, 1}, {3, 0.5, 1}, {0, 1, 2}, {2, 1, 0.5}} {
		chip := good()
		chip.FullWell, chip.Exposure, chip.Spill = 1e12, c.exposure, c.spill
		im := apply(lit(w, h, 1, 4, 1, 1, c.above), chip, 1)
		full := 1 / c.exposure
		each := max(1+float64(c.above)-full, 0) * c.spill / full * 16 / 2 // full wells upwards, and as many downwards
		column := green(im, 20)
		var up, down float64
		for y, l := range column {
			switch {
			case y < 64:
				up += l
			case y >= 80:
				down += l
			case !scalar.EqualWithinAbs(l, min(1, (1+float64(c.above))/full), 1e-6):
				t.Errorf("%+v: row %d of the light is %v", c, y, l)
			}
		}
		// the last well has 8-bit precision
		if !scalar.EqualWithinAbs(up, each, 0.01) || !scalar.EqualWithinAbs(down, each, 0.01) {
			t.Errorf("%+v: %v wells are filled above the light and %v below, want %v", c, up, down, each)
		}
		for y := 64 - int(each); y < 80+int(each); y++ {
			if each > 0 && column[y] != 1 {
				t.Errorf("%+v: a well in row %d has room", c, y)
			}
		}
		for _, x := range []int{15, 32} {
			for y, l := range green(im, x) {
				if l != 0 {
					t.Fatalf("%+v: charge passes a channel stop, to column %d, row %d: %v", c, x, y, l)
				}
			}
		}
		if red := float64(render.Decode8(im.Pix[3*(60*w+20)])); c.above > 0 && c.exposure <= 1 && red != 0 {
			t.Errorf("%+v: red is %v where green alone is brighter than white", c, red)
		}
	}
	// Without Spill no charge spills.
	if im := apply(lit(w, h, 1, 4, 1, 1, 5), good(), 1); green(im, 20)[60] != 0 {
		t.Error("charge spills that goes into the drain")
	}
}

// At the end of a column charge is lost; before that it passes full wells.
func TestChargeFlowsPastFullWells(t *testing.T) {
	const w, h = 16, 96
	chip := good()
	chip.FullWell, chip.Spill = 1e12, 1
	im := lit(w, h, 0, 1, 1, 1, 2)
	for y := 32; y < 48; y++ { // as full as the lamp's wells, without room
		for i := range 3 * w {
			im.Pix[3*w*y+i] = 255
		}
	}
	column := green(apply(im, chip, 1), 3)
	for y, l := range column {
		want := 0.0
		if y < 64 { // 16 wells below, behind the full ones; all 16 above
			want = 1
		}
		if l != want {
			t.Errorf("row %d is %v, want %v", y, l, want)
		}
	}
}

// A white patch a tenth as high as the image adds its smear to all of its columns; a patch n times as bright adds n
// times as much.
func TestSmearIsThatOfTheDataSheet(t *testing.T) {
	const w, h, smear = 48, 160, 0.02
	for _, above := range []float32{0, 9} {
		chip := good()
		chip.FullWell, chip.Smear, chip.Gain = 1e12, smear, 4 // 8 bits resolve little near black
		im := apply(lit(w, h, 1, 3, 1, 1, above), chip, 1)
		want := min(4*smear*(1+float64(above)), 1)
		for y, l := range green(im, 24) {
			if y >= 48 && y < 64 {
				continue
			}
			if !scalar.EqualWithinRel(l, want, 0.02) {
				t.Fatalf("%v above white: row %d gets %v, want %v", above, y, l, want)
			}
		}
		if beside := green(im, 8)[20]; beside != 0 {
			t.Errorf("a neighbouring column receives %v", beside)
		}
	}
}
