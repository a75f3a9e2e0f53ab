package page

import (
	"encoding/xml"
	"html/template"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/series"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A page has its title, the shared parts and its plots, with texts escaped. It loads nothing from the network.
func TestPage(t *testing.T) {
	charts, err := Charts([]experiment.Plot{{Name: "p", Title: "a < b", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "<c>", X: []float64{0, 1}, Y: []float64{1, 2}},
			{Name: "d", X: []float64{0, 1}, Y: []float64{1, 2}}}}})
	must.Do(t, err)
	var out strings.Builder
	err = New(`{{template "head" "one & two"}}{{twice .}}{{template "charts" .}}{{template "foot"}}`,
		template.FuncMap{"twice": func(c []Chart) int { return 2 * len(c) }}).Execute(&out, charts)
	must.Do(t, err)
	text := out.String()
	for _, want := range []string{"<!doctype html>", "<title>one &amp; two</title>", "prefers-color-scheme: dark",
		"@media print", "\n2<div", "<figcaption>a &lt; b</figcaption>",
		`aria-label="a &lt; b: y over x, of &lt;c&gt;, d"`, "&lt;c&gt;<", "</main>\n</body>\n</html>\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, bad := range []string{"<c>", "ZgotmplZ", "src=", "url(", "@import", "<script"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if at := regexp.MustCompile(`https?://[^"]*`).FindAllString(text, -1); strings.Join(at,
		" ") != "http://www.w3.org/2000/svg http://www.w3.org/1999/xlink" {
		t.Errorf("the page contains the URLs %v", at)
	}
}

func one(name, unit string, values ...float64) *series.Series {
	s := &series.Series{Number: series.Number{Name: name, Unit: unit}, Value: values}
	for i := range values {
		s.Time = append(s.Time, float64(i))
	}
	return s
}

// There is one plot per unit; series without a unit join it if it is the only one. An angle's curve is interrupted
// where it wraps, any curve where values are missing for a while.
func TestOverTime(t *testing.T) {
	nan := math.NaN()
	yaw, paused := one("a.yaw", "rad", 3, -3, -2), one("a.x", "m", 1, 2, 3)
	paused.Time, paused.Period = []float64{0, 1, 5}, 1
	for name, c := range map[string]struct {
		files []File
		want  []experiment.Plot
	}{
		"two units": {[]File{{"m", []*series.Series{one("a.x", "m", 1, 2), yaw, one("/t.x", "", 5, 6)}}},
			[]experiment.Plot{
				{Title: "m", XLabel: "time, s", YLabel: "m",
					Curves: []experiment.Curve{{Name: "a.x", X: []float64{0, 1}, Y: []float64{1, 2}}}},
				{Title: "m", XLabel: "time, s", YLabel: "rad",
					Curves: []experiment.Curve{{Name: "a.yaw", X: []float64{0, 1, 1, 2},
						Y: []float64{3, nan, -3, -2}}}},
				{Title: "m", XLabel: "time, s", Curves: []experiment.Curve{{Name: "/t.x", X: []float64{0, 1},
					Y: []float64{5, 6}}}},
			}},
		"switched off for a while": {[]File{{"m", []*series.Series{paused}}}, []experiment.Plot{
			{Title: "m", XLabel: "time, s", YLabel: "m",
				Curves: []experiment.Curve{{Name: "a.x", X: []float64{0, 1, 5, 5}, Y: []float64{1, 2, nan, 3}}}},
		}},
		"two files": {[]File{{"m", []*series.Series{one("a.x", "m", 1)}},
			{"n", []*series.Series{one("a.x", "m", 2), one("/t.x", "", 3)}}}, []experiment.Plot{
			{Title: "m, n", XLabel: "time, s", YLabel: "m", Curves: []experiment.Curve{
				{Name: "m: a.x", X: []float64{0}, Y: []float64{1}}, {Name: "n: a.x", X: []float64{0}, Y: []float64{2}},
				{Name: "n: /t.x", X: []float64{0}, Y: []float64{3}},
			}},
		}},
	} {
		sameNumbers := cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })
		if diff := cmp.Diff(c.want, OverTime(c.files), sameNumbers); diff != "" {
			t.Errorf("%s: differs (-want +got)\n%s", name, diff)
		}
	}
}

// A table has a row for each time of any series, with all digits.
func TestWriteCSV(t *testing.T) {
	slow := &series.Series{Number: series.Number{Name: "slow"}, Time: []float64{0, 1.5},
		Value: []float64{0.30000000000000004, math.Inf(1)}}
	var out strings.Builder
	must.Do(t, WriteCSV(&out, []File{{"m", []*series.Series{one("a.x", "m", 1, -2), slow}}}))
	must.Equal(t, out.String(), "time_s,a.x,slow\n0,1,0.30000000000000004\n1,-2,\n1.5,,+Inf\n", "output")
}

// Nothing is drawn where a curve has a NaN, and both sides of it are drawn.
func TestCurvesEndWhereTheyHaveNoNumber(t *testing.T) {
	p := &experiment.Plot{Title: "t", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "c", X: []float64{0, 1, 2, 3, 4, 5}, Y: []float64{0, 0, math.NaN(),
			math.Inf(1), 1, 1}}}}
	img := drawn(t, p)
	inThird := func(i int) int {
		return pixels(img, image.Rect(left*i/3, 0, left*(i+1)/3, img.Bounds().Dy()), looks[0].color, 60)
	}
	if a, gap, b := inThird(0), inThird(1), inThird(2); a < 60 || gap > a/4 || b < 60 {
		t.Errorf("%d, %d and %d pixels in the left, middle and right third", a, gap, b)
	}
}

// Plots are stacked over a common axis, in PNG and in SVG.
func TestStackedPlots(t *testing.T) {
	all := []experiment.Plot{
		{Title: "t", XLabel: "x", YLabel: "m", Curves: []experiment.Curve{{Name: "upper", X: []float64{0, 1},
			Y: []float64{1, 1}}}},
		{Title: "t", XLabel: "x", YLabel: "rad", Curves: []experiment.Curve{{Name: "lower", X: []float64{0, 2},
			Y: []float64{1, 1}}}},
	}
	path := filepath.Join(t.TempDir(), "p.svg")
	must.Do(t, Write(path, all))
	text, err := os.ReadFile(path)
	must.Do(t, err)
	for d := xml.NewDecoder(strings.NewReader(string(text))); err == nil; {
		_, err = d.Token()
	}
	if err != io.EOF {
		t.Error(err)
	}
	for _, want := range []string{">upper<", ">lower<", ">m<", ">rad<"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%s occurs %d times", want, strings.Count(string(text), want))
		}
	}
	path = filepath.Join(t.TempDir(), "p.png")
	must.Do(t, Write(path, all))
	img := decoded(t, path)
	half := img.Bounds().Dy() / 2
	upper := pixels(img, image.Rect(0, 0, left, half), looks[0].color, 100)
	lower := pixels(img, image.Rect(0, half, left, 2*half), looks[0].color, 100)
	if !(upper > lower/3 && upper < 2*lower/3+60) { // half the length
		t.Errorf("the upper curve has %d pixels, the lower, twice as long, %d", upper, lower)
	}
	must.Fail(t, Write("p.gif", all), "must end with .png or .svg")
}
