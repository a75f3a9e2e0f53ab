package output

import (
	"image"
	"image/color"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestPlanShowsAreas checks that the picture from above shows the borders of the world's own areas as dots.
func TestPlanShowsAreas(t *testing.T) {
	w, err := worlds.Parse("w.toml", []byte(`name = "w"
[[robot]]
name = "cyan1"
model = "differential"
[[area]]
name = "prison"
circle = { x_m = 6, radius_m = 2 }
[[area]]
name = "wing"
rectangle = { x_m = [-7, -2], y_m = [3, 5] }
`))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	pictures, err := Moment(sim, nil)
	if err != nil {
		t.Fatal(err)
	}
	view := viewFromAbove(sim)
	p := plan{pictures[0].Image.(*image.NRGBA), view.Model, view.PoseWC.Inverse()}
	for i, want := range [][][2]float64{{{8, 0}, {4, 0}, {6, 2}, {6, -2}}, {{-7, 3}, {-2, 3}, {-2, 5}, {-7, 5}}} {
		for _, c := range want {
			at, ok := p.pixelOf([3]float64{c[0], c[1], 0})
			if got := p.m.NRGBAAt(at.X, at.Y); !ok || got != borderColor {
				t.Errorf("%s: at %v m is %v, want %v", w.Areas[i].Name, c, got, borderColor)
			}
		}
	}
}

// TestTextsStayInThePicture checks that a text is completely inside the picture, whatever its position.
func TestTextsStayInThePicture(t *testing.T) {
	written := func(x, y int) (pixels int) {
		p := plan{m: image.NewNRGBA(image.Rect(0, 0, 100, 40))}
		p.write(image.Pt(x, y), "chaser4")
		for i := range 100 * 40 {
			if p.m.NRGBAAt(i%100, i/100) == (color.NRGBA{255, 255, 255, 255}) {
				pixels++
			}
		}
		return pixels
	}
	want := written(20, 20)
	for _, at := range [][2]int{{95, 20}, {-30, 20}, {20, 0}, {20, 60}, {200, -9}} {
		if got := written(at[0], at[1]); got != want || want == 0 {
			t.Errorf("at %v: %d pixels, want %d", at, got, want)
		}
	}
}
