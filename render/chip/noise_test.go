package chip

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// shares returns the exact probability of each sum of four independent, uniform bytes: the Irwin-Hall distribution.
func shares() []float64 {
	sum := []float64{1}
	for range 4 {
		next := make([]float64, len(sum)+255)
		for i, p := range sum {
			for b := range 256 {
				next[i+b] += p / 256
			}
		}
		sum = next
	}
	return sum
}

// The first four moments of a noise number are those of a standard normal one, by enumeration.
func TestNormalHasTheMomentsOfANormal(t *testing.T) {
	for power, want := range []float64{1, 0, 1, 0, 3} {
		got := 0.0
		for sum, p := range shares() {
			got += p * math.Pow(float64(normal(uint32(sum))), float64(power))
		}
		must.Near(t, fmt.Sprintf("moment %d", power), got, want, 1e-6)
	}
	for sum := uint32(1); sum < steps; sum++ {
		if !(normal(sum) > normal(sum-1)) {
			t.Fatalf("the number of %d is not more than that of %d", sum, sum-1)
		}
	}
}

const drawn = 1 << 20

// numbers returns the noise numbers of a key for the drawn indices.
func numbers(k uint64) []float64 {
	x := make([]float64, drawn)
	for i := range x {
		x[i] = float64(normal(byteSum(newKey(k).bits(uint32(i)))))
	}
	return x
}

var keys = []uint64{0, 0x0123456789abcdef}

// χ² of counts of n kinds has the mean n − 1 and the variance 2(n − 1).
func TestNoiseIsDistributedAsItsSums(t *testing.T) {
	want := shares()
	for _, k := range keys {
		got, bytes := make([]float64, steps), make([]float64, 4*256)
		for i := range uint32(drawn) {
			bits := newKey(k).bits(i)
			got[byteSum(bits)]++
			for b := range 4 {
				bytes[b<<8|int(bits>>(8*b)&255)]++
			}
		}
		chi, kinds, rest, restWant := 0.0, 0, 0.0, 0.0
		for sum, p := range want {
			if p*drawn < 10 { // combine rare ones
				rest, restWant = rest+got[sum], restWant+p*drawn
				continue
			}
			chi, kinds = chi+math.Pow(got[sum]-p*drawn, 2)/(p*drawn), kinds+1
		}
		chi += math.Pow(rest-restWant, 2) / restWant
		if !scalar.EqualWithinAbs(chi, float64(kinds), 5*math.Sqrt(2*float64(kinds))) {
			t.Errorf("key %#x: sums: χ² = %v of %d", k, chi, kinds)
		}
		chi = 0
		for _, n := range bytes {
			chi += math.Pow(n-drawn/256, 2) / (drawn / 256)
		}
		if !scalar.EqualWithinAbs(chi, 4*255, 5*math.Sqrt(2*4*255)) {
			t.Errorf("key %#x: bytes: χ² = %v of %d", k, chi, 4*255)
		}
	}
}

// Numbers and their squares are uncorrelated between neighbours in a row (three colours apart), colours, rows, and
// images whose keys differ in one bit: |ρ| of n independent pairs is below 5/√n.
func TestNoiseIsIndependent(t *testing.T) {
	for _, k := range keys {
		x := numbers(k)
		check := func(name string, a, b []float64) {
			t.Helper()
			n := min(len(a), len(b))
			var product, squares []float64
			for i := range n {
				product, squares = append(product, a[i]*b[i]), append(squares, (a[i]*a[i]-1)*(b[i]*b[i]-1)/2)
			}
			for kind, p := range map[string][]float64{"numbers": product, "squares": squares} {
				must.Near(t, fmt.Sprintf("key %#x: %s of %s: correlation", k, kind, name), stat.Mean(p, nil), 0,
					5/math.Sqrt(float64(n)))
			}
		}
		for name, lag := range map[string]int{"colours": 1, "other colours": 2, "neighbours": 3, "rows of 640 px": 1920,
			"rows of 512 px": 1536, "rows of 4096 px": 12288, "the next but one": 6} {
			check(name, x, x[lag:])
		}
		for _, bit := range []int{0, 1, 20, 31, 32, 33, 52, 63} {
			check("another image", x, numbers(k^1<<bit))
		}
	}
}

// electrons returns the reading of each pixel and colour, computed back from an image.
func electrons(im *render.Image, c *render.Chip) []float64 {
	e := make([]float64, len(im.Pix))
	for i, b := range im.Pix {
		e[i] = render.Linear(float64(b)/255) * c.FullWell / c.Gain
	}
	return e
}

// stack returns the mean of several images of one grey value, and the variance of each pixel's value that remains after
// subtracting the images' noise, as EMVA 1288 (release 4.0, "Spatial nonuniformity") measures it from images alone.
func stack(c render.Chip, v byte, w, h int) (mean []float64, left float64) {
	const images = 24
	mean, squares := make([]float64, 3*w*h), make([]float64, 3*w*h)
	var p Processor
	for k := range images {
		im := grey(w, h, v)
		p.Apply(im, &c, uint64(k))
		for i, e := range electrons(im, &c) {
			mean[i] += e / images
			squares[i] += e * e
		}
	}
	for i, s := range squares {
		left += (s - images*mean[i]*mean[i]) / (images - 1) / images / float64(len(squares))
	}
	return mean, left
}

// DSNU and PRNU, by EMVA 1288's formulas from images at two levels of light, equal the configured ones. The lower level
// is not dark, like the black level in the standard, so that nothing is clipped.
func TestFixedPatternHasTheNonuniformityAskedFor(t *testing.T) {
	const w, h = 160, 120
	for _, f := range []render.FixedPattern{{DSNU: 60}, {PRNU: 0.03}, {DSNU: 40, PRNU: 0.02}} {
		c := good()
		c.FullWell, c.ReadNoise, c.Fixed, c.Fixed.Key = 10_000, 10, f, 1000
		spread := func(v byte) (mean, variance float64) {
			all, left := stack(c, v, w, h)
			m, s2 := stat.MeanVariance(all, nil)
			return m, s2 - left
		}
		mean1, s1 := spread(70)
		mean2, s2 := spread(188)
		prnu2 := (s2 - s1) / (mean2*mean2 - mean1*mean1)
		dsnu2 := s1 - prnu2*mean1*mean1
		// The relative standard error of the variance of n numbers is √(2/n).
		err1, err2 := 5*math.Sqrt(2.0/(3*w*h))*s1+5, 5*math.Sqrt(2.0/(3*w*h))*s2+5
		wantPRNU2, wantDSNU2 := f.PRNU*f.PRNU, f.DSNU*f.DSNU
		must.Near(t, fmt.Sprintf("%+v: PRNU²", f), prnu2, wantPRNU2, (err1+err2)/(mean2*mean2)+0.03*wantPRNU2)
		must.Near(t, fmt.Sprintf("%+v: DSNU²", f), dsnu2, wantDSNU2, err1+err2*mean1*mean1/mean2/mean2+0.03*wantDSNU2)
	}
}

// The means of rows and columns differ as configured, and nothing else differs.
func TestRowsAndColumnsHaveTheirPatterns(t *testing.T) {
	const w, h = 300, 200
	for _, f := range []render.FixedPattern{{Row: 50}, {Column: 80}, {Row: 50, Column: 80}} {
		c := good()
		c.FullWell, c.ReadNoise, c.Fixed, c.Fixed.Key = 10_000, 10, f, 1000
		mean, _ := stack(c, 188, w, h)
		rows, columns := make([]float64, h), make([]float64, w)
		for i, e := range mean {
			rows[i/3/w] += e / (3 * w)
			columns[i/3%w] += e / (3 * h)
		}
		for _, k := range []struct {
			name  string
			means []float64
			want  float64
		}{{"rows", rows, f.Row}, {"columns", columns, f.Column}} {
			if got := stat.StdDev(k.means, nil); !scalar.EqualWithinAbs(got, k.want,
				5*k.want/math.Sqrt(2*float64(len(k.means)))+2) {
				t.Errorf("%+v: %s' means scatter by %.1f e, want %.1f", f, k.name, got, k.want)
			}
		}
	}
}

// hot returns which readings of a dark image exceed a number of electrons.
func hot(c render.Chip, key uint64, above float64) []int {
	var at []int
	for i, e := range electrons(apply(grey(640, 480, 0), c, key), &c) {
		if e > above {
			at = append(at, i)
		}
	}
	return at
}

// The fraction of readings above a dark signal falls with the signal's square root.
func TestHotPixelsHaveAHeavyTail(t *testing.T) {
	const n = 3 * 640 * 480
	c := good()
	c.FullWell, c.Fixed = 1e5, render.FixedPattern{Key: 3, Hot: 0.01, HotSignal: 250}
	for _, above := range []float64{500, 1000, 4000, 16_000, 64_000} {
		want := n * c.Fixed.Hot * math.Sqrt(c.Fixed.HotSignal/above)
		got := float64(len(hot(c, 1, above)))
		if !scalar.EqualWithinAbs(got, want, 5*math.Sqrt(want)+0.03*want) {
			t.Errorf("above %v e there are %v readings, want %.0f", above, got, want)
		}
	}
	c.Fixed.HotSignal *= 4 // collected for four times as long
	if got, want := float64(len(hot(c, 1, 4000))), n*c.Fixed.Hot/2; !scalar.EqualWithinAbs(got, want,
		5*math.Sqrt(want)) {
		t.Errorf("of hotter ones %v are above 4000 e, want %v", got, want)
	}
	c.Fixed.Hot = 0
	if n := len(hot(c, 1, 200)); n > 0 {
		t.Errorf("%d readings are hot of none", n)
	}
}

// Hot pixels are the same in all images, also on a mosaic; on another sensor they are elsewhere.
func TestHotPixelsStay(t *testing.T) {
	c := good()
	c.FullWell, c.ReadNoise = 1e5, 12
	for _, c.Bayer = range []bool{false, true} {
		c.Fixed = render.FixedPattern{Key: 3, Hot: 0.0005, HotSignal: 2e6}
		first := hot(c, 1, 10_000)
		if len(first) < 100 || !slices.Equal(first, hot(c, 2, 10_000)) {
			t.Errorf("Bayer %v: another image has other hot pixels than the first's %d", c.Bayer, len(first))
		}
		c.Fixed.Key = 4
		both := 0
		for _, i := range hot(c, 1, 10_000) {
			if _, ok := slices.BinarySearch(first, i); ok {
				both++
			}
		}
		if both > len(first)/20 {
			t.Errorf("Bayer %v: two chips share %d of %d hot readings", c.Bayer, both, len(first))
		}
	}
}

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
		must.Equal(t, l, want, "row %d", y)
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
		must.Equal(t, green(im, 8)[20], 0, "a neighbouring column receives")
	}
}
