package chip

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/render"
)

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
		if want := f.PRNU * f.PRNU; !scalar.EqualWithinAbs(prnu2, want, (err1+err2)/(mean2*mean2)+0.03*want) {
			t.Errorf("%+v: PRNU² is %.3g, want %.3g", f, prnu2, want)
		}
		if want := f.DSNU * f.DSNU; !scalar.EqualWithinAbs(dsnu2, want, err1+err2*mean1*mean1/mean2/mean2+0.03*want) {
			t.Errorf("%+v: DSNU² is %.1f e², want %.1f", f, dsnu2, want)
		}
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
