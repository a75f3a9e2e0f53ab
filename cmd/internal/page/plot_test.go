package page

import (
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// drawn draws a plot and returns the image.
func drawn(t *testing.T, p *experiment.Plot) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plot.png")
	must.Do(t, Write(path, []experiment.Plot{*p}))
	return decoded(t, path)
}

func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	file, err := os.Open(path)
	must.Do(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	must.Do(t, err)
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

// Bars are as high as their values and have error bars in front. A NaN has no bar.
func TestBars(t *testing.T) {
	p := &experiment.Plot{Name: "p", Title: "title", YLabel: "y", Names: []string{"one", "two"}, Bars: true,
		Curves: []experiment.Curve{
			{Name: "low and high", X: []float64{0, 1}, Y: []float64{25, 100}},
			{Name: "half and none", X: []float64{0, 1}, Y: []float64{50, math.NaN()}, Low: []float64{25, 0},
				High: []float64{75, 0}},
		}}
	img := drawn(t, p)
	all := image.Rect(0, 0, left, img.Bounds().Dy())
	first, second := pixels(img, all, looks[0].color, 2), pixels(img, all, looks[1].color, 2)
	// All bars are equally wide. One colour fills 125 % of the axis, the other 50 % less the part that half of an error
	// bar hides.
	if share := float64(first) / float64(second); !(share > 2.45 && share < 2.65) {
		t.Errorf("%d and %d pixels, ratio %.3f; want 2.5 or a little more", first, second, share)
	}
	black := pixels(img, all, color.Black, 2)
	p.Curves[1].Low, p.Curves[1].High = nil, nil
	if n := pixels(drawn(t, p), all, color.Black, 2); black < n+100 {
		t.Errorf("%d black pixels with an error bar, %d without", black, n)
	}
	p.Curves[0].Y[0], p.Curves[0].Y[1] = math.NaN(), math.Inf(1) // no value remains
	if svg, err := SVG(p); err != nil || len(svg) < 1000 {
		t.Errorf("%d bytes, %v", len(svg), err)
	}
}

// A plot for a page is one XML element. It shows each curve's name and the marks on both sides of a gap. Its axis
// starts at 0 where no value is negative.
func TestSVG(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		y     []float64
		marks int
		ticks string
	}{{[]float64{1, 2, nan, 4, nan}, 3, ">0<"}, {[]float64{0, 0, 0, 0, 0}, 5, ">1.0<"},
		{[]float64{nan, nan, nan, nan, 3}, 1, ">0.0<"}, {[]float64{-8, 1, 2, 3, 4}, 5, ">-"}} {
		p := &experiment.Plot{XLabel: "distance, m", YLabel: "cm", Names: []string{"a", "b", "c", "d", "e"},
			Curves: []experiment.Curve{{Name: "median", X: []float64{0, 1, 2, 3, 4}, Y: c.y}}}
		svg, err := SVG(p)
		must.Do(t, err)
		text := string(svg)
		if err := xml.Unmarshal(svg, new(struct{})); err != nil || !strings.HasPrefix(text, "<svg") {
			t.Errorf("%v: %v, %.40s", c.y, err, text)
		}
		// A circle is a path with two arcs.
		must.Equal(t, strings.Count(text, "fill:#D55E00"), c.marks, "%v: marks", c.y)
		for _, want := range []string{"distance, m", c.ticks} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %s is missing in\n%s", c.y, want, text)
			}
		}
	}
}

// The legend of a plot on a page is below the axes: their size does not depend on the number of curves. The ARIA label
// names all curves.
func TestSVGLegendsStandBelow(t *testing.T) {
	two, nine := alikes(2), alikes(9)
	two.LogY, nine.LogY = false, false
	grid := func(p *experiment.Plot) (height, lines int) {
		svg, err := SVG(p)
		must.Do(t, err)
		text := string(svg)
		for _, c := range p.Curves {
			if strings.Count(text, ">"+c.Name+"<") != 1 {
				t.Errorf("%s occurs %d times", c.Name, strings.Count(text, ">"+c.Name+"<"))
			}
		}
		if !strings.Contains(text, `aria-label="title: y over x, of curve a, curve b`) {
			t.Errorf("%.200s", text)
		}
		var head struct {
			ViewBox string `xml:"viewBox,attr"`
		}
		must.Do(t, xml.Unmarshal(svg, &head))
		var x, y, width float64
		must.Get(fmt.Sscan(head.ViewBox, &x, &y, &width, &height))(t)
		return height, strings.Count(text, "stroke:#808080;stroke-width:0.25")
	}
	low, a := grid(two)
	high, b := grid(nine)
	if a != b || a == 0 || high < low+7*9 {
		t.Errorf("%d grid lines and height %d with two curves, %d and %d with nine", a, low, b, high)
	}
}

// labels joins the labels of ticks.
func labels(all []plot.Tick) string {
	var texts []string
	for _, tick := range all {
		if tick.Label != "" {
			texts = append(texts, tick.Label)
		}
	}
	return strings.Join(texts, " ")
}

// Labels of ticks differ from their neighbours' and equal the values.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        string
	}{{0, 6, "0 1 2 3 4 5 6"}, {1.985, 2.02, "1.99 2.00 2.01 2.02"}, {-0.1, 0.1, "-0.10 -0.05 0.00 0.05 0.10"},
		{0, 40000, "0 10000 20000 30000 40000"}, {-0.05, 0.95, "0.0 0.2 0.4 0.6 0.8"}, {7, 7, "7"}} {
		must.Equal(t, labels(ticks(c.least, c.most)), c.want, "from %v to %v", c.least, c.most)
	}
}

// A logarithmic axis has enough labels to be read, but not too many.
func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		least, most float64
		want        string
	}{{4, 60, "5 10 20 50"}, {0.9, 110, "1 10 100"}, {20, 80, "20 50"}, {0.02, 0.3, "0.02 0.05 0.1 0.2"},
		{0.001, 1000, "0.001 0.01 0.1 1 10 100 1000"}} {
		must.Equal(t, labels(logTicks(c.least, c.most)), c.want, "from %v to %v", c.least, c.most)
	}
}
