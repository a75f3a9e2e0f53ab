package page

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

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
