package page

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

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
		if err != nil {
			t.Fatal(err)
		}
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
		if err := xml.Unmarshal(svg, &head); err != nil {
			t.Fatal(err)
		}
		var x, y, width float64
		if _, err := fmt.Sscan(head.ViewBox, &x, &y, &width, &height); err != nil {
			t.Fatal(err)
		}
		return height, strings.Count(text, "stroke:#808080;stroke-width:0.25")
	}
	low, a := grid(two)
	high, b := grid(nine)
	if a != b || a == 0 || high < low+7*9 {
		t.Errorf("%d grid lines and height %d with two curves, %d and %d with nine", a, low, b, high)
	}
}
