package plots

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// A plot for a page is one element of XML, which shows each curve's name and marks on both sides of a gap, and 0 where all is positive.
func TestSVG(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		y     []float64
		marks int
		ticks string
	}{{[]float64{1, 2, nan, 4, nan}, 3, ">0<"}, {[]float64{0, 0, 0, 0, 0}, 5, ">1.0<"}, {[]float64{nan, nan, nan, nan, 3}, 1, ">0<"}, {[]float64{-8, 1, 2, 3, 4}, 5, ">-"}} {
		p := &experiment.Plot{XLabel: "distance, m", YLabel: "cm", Names: []string{"a", "b", "c", "d", "e"}, Curves: []experiment.Curve{{Name: "median", X: []float64{0, 1, 2, 3, 4}, Y: c.y}}}
		svg, err := SVG(p)
		if err != nil {
			t.Fatal(err)
		}
		text := string(svg)
		if err := xml.Unmarshal(svg, new(struct{})); err != nil || !strings.HasPrefix(text, "<svg") {
			t.Errorf("%v: %v, %.40s", c.y, err, text)
		}
		// A circle is a path with two arcs.
		if got := strings.Count(text, "fill:#D55E00"); got != c.marks {
			t.Errorf("%v: %d marks, want %d", c.y, got, c.marks)
		}
		for _, want := range []string{"distance, m", c.ticks} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: does not show %s\n%s", c.y, want, text)
			}
		}
	}
}
