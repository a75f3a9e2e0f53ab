package page

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/vgimg"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// drawn draws a plot and returns the image.
func drawn(t *testing.T, p *experiment.Plot) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plot.png")
	if err := Write(path, []experiment.Plot{*p}); err != nil {
		t.Fatal(err)
	}
	return decoded(t, path)
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// left is the width of the plot in pixels; the legend is to its right.
const left = int(plotWidth / 72 * vgimg.DefaultDPI)

// pixels counts the pixels within a rectangle whose colour is near the wanted one.
func pixels(img image.Image, in image.Rectangle, want color.Color, off int) (n int) {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if near(img.At(x, y), want, off) {
				n++
			}
		}
	}
	return n
}

// near reports whether two colours differ by at most off of 255 in each channel. Edges are antialiased.
func near(a, b color.Color, off int) bool {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	between := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(between(p.R, q.R), between(p.G, q.G), between(p.B, q.B)) <= off
}

// alikes returns a plot of n identical curves.
func alikes(n int, names ...string) *experiment.Plot {
	p := &experiment.Plot{Name: "p", Title: "title", XLabel: "x", YLabel: "y", Names: names, LogY: true}
	for i := range n {
		p.Curves = append(p.Curves, experiment.Curve{Name: "curve " + string(rune('a'+i)), X: []float64{0, 1, 2},
			Y: []float64{2, 2, 8}, Steps: len(names) == 0})
	}
	return p
}

// Each of several identical curves is visible: as marks side by side, and in rows, where all have the first colour.
func TestPlotsShowEveryCurve(t *testing.T) {
	beside, below := alikes(6, "one", "two", "three"), alikes(3)
	img := drawn(t, beside)
	for i := range beside.Curves {
		if n := pixels(img, image.Rect(0, 0, left, img.Bounds().Dy()), looks[i].color, 24); n < 60 {
			t.Errorf("curve %d has %d pixels of its colour", i, n)
		}
	}
	below.Rows = true
	img = drawn(t, below)
	for i := range below.Curves {
		height := img.Bounds().Dy() / len(below.Curves)
		if n := pixels(img, image.Rect(0, i*height, left, (i+1)*height), looks[0].color, 100); n < 300 {
			t.Errorf("row %d has %d pixels of its curve's colour", i, n)
		}
	}
}

// The legend covers nothing: the plot is the same whatever the legend contains.
func TestLegendsCoverNothing(t *testing.T) {
	short, long := alikes(9, "one", "two", "three"), alikes(9, "one", "two", "three")
	for i := range long.Curves {
		long.Curves[i].Name += strings.Repeat(" of a long name", 3)
	}
	a, b := drawn(t, short), drawn(t, long)
	if b.Bounds().Dx() <= a.Bounds().Dx() || a.Bounds().Dy() != b.Bounds().Dy() {
		t.Fatalf("%v with short names, %v with long ones", a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range left {
			if a.At(x, y) != b.At(x, y) {
				t.Fatalf("at %d, %d: %v with short names, %v with long ones", x, y, a.At(x, y), b.At(x, y))
			}
		}
	}
}

// A curve of steps holds each value until the next one: between two values it has the height of the first.
func TestPlotsDrawSteps(t *testing.T) {
	p := &experiment.Plot{Name: "p", Title: "t", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "c", X: []float64{0, 1}, Y: []float64{0, 1}, Steps: true}}}
	rows := func(steps bool) (rows int) {
		p.Curves[0].Steps = steps
		img := drawn(t, p)
		for y := range img.Bounds().Dy() {
			if pixels(img, image.Rect(left/3, y, 2*left/3, y+1), looks[0].color, 24) > 0 {
				rows++
			}
		}
		return rows
	}
	if joined, held := rows(false), rows(true); held < 1 || held > 3 || joined < 50 {
		t.Errorf("a curve of steps covers %d rows in the middle, a line %d", held, joined)
	}
}

// A curve of very many steps looks the same when it is thinned.
func TestThinCurvesLookTheSame(t *testing.T) {
	c := experiment.Curve{Name: "c", Steps: true}
	for i := range 50_000 {
		c.Add(float64(i), float64(i%97))
	}
	c.Y[20_000], c.Y[30_000] = 300, -100 // single extremes stay visible
	few := thin(c)
	if n := len(few.X); n > 4*(columns+1) || few.X[0] != c.X[0] || few.X[n-1] != c.X[49_999] ||
		slices.Max(few.Y) != 300 || slices.Min(few.Y) != -100 {
		t.Errorf("%d values from %v to %v, between %v and %v", n, few.X[0], few.X[n-1], slices.Min(few.Y),
			slices.Max(few.Y))
	}
	if !slices.IsSorted(few.X) || len(few.X) != len(few.Y) {
		t.Errorf("%d values of x and %d of y, or not sorted", len(few.X), len(few.Y))
	}
}

// Of up to four coincident lines each is visible, straight or in steps. A line that coincides with no other is solid.
func TestLinesThatCoincideAreSeen(t *testing.T) {
	for _, steps := range []bool{false, true} {
		p := &experiment.Plot{Name: "p", Title: "title", XLabel: "x", YLabel: "y"}
		for i := range 5 {
			c := experiment.Curve{Name: "c", Steps: steps}
			for x := range 100 {
				y := float64(x*x) / 1000
				if i == 4 {
					y = 8 - y
				}
				c.Add(float64(x), y)
			}
			p.Curves = append(p.Curves, c)
		}
		img := drawn(t, p)
		all := image.Rect(0, 0, left, img.Bounds().Dy())
		alone := pixels(img, all, looks[4].color, 24)
		for i := range 4 {
			if n := pixels(img, all, looks[i].color, 24); n < alone/16 || n > alone/2 {
				t.Errorf("steps %v: one of four coincident curves, %d, has %d pixels; one alone has %d", steps, i, n,
					alone)
			}
		}
	}
}

// Marks without lines are shown at their values, and the axes include them.
func TestMarksAlone(t *testing.T) {
	p := &experiment.Plot{Name: "p", Title: "title", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "c", Marks: true, X: []float64{3, 4, 5, 6}, Y: []float64{20, -10, 30, 25}}}}
	img := drawn(t, p)
	one := pixels(drawn(t, &experiment.Plot{Name: "p", Names: []string{"a"},
		Curves: []experiment.Curve{{Name: "c", X: []float64{0}, Y: []float64{1}}}}),
		image.Rect(0, 0, left, img.Bounds().Dy()), looks[0].color, 24)
	// edges are antialiased
	if n := pixels(img, image.Rect(0, 0, left, img.Bounds().Dy()), looks[0].color, 24); one < 20 || n < 3*one ||
		n > 5*one {
		t.Errorf("%d pixels of four marks, %d of one", n, one)
	}
}
