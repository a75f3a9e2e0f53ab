package output

import (
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// meanColor returns the mean of each channel, 0 to 255.
func meanColor(m image.Image) (mean [3]float64) {
	b := m.Bounds()
	n := float64(b.Dx() * b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := m.At(x, y).RGBA()
			for i, c := range []uint32{r, g, b} {
				mean[i] += float64(c>>8) / n
			}
		}
	}
	return mean
}

// TestMomentHasTheLightOfTheMoment checks that pictures of a moment have its light and its colours at every level of a
// camera.
func TestMomentHasTheLightOfTheMoment(t *testing.T) {
	w, err := worlds.Parse("w.toml", []byte(`name = "w"
include = ["nubot-attack"]
[[robot]]
name = "cyan1"
sensor = [
  { name = "omni", level = "objects", image = { width_px = 64, height_px = 64 } },
  { name = "front", level = "ideal", image = { width_px = 64, height_px = 48 } },
  { name = "spare", kind = "camera", level = "features", image = { width_px = 64, height_px = 48, fov_deg = 62 }, mount = { z_m = 0.6, pitch_deg = 20 } },
]
[[event]]
at_s = 0.1
set_carpet_color = { color = "#a02020" }
[[event]]
at_s = 0.1
set_light = { lamp = 0.01, ambient = 0.01 }
`))
	must.Do(t, err)
	sim, err := omnipitch.New(w, omnipitch.Options{})
	must.Do(t, err)
	defer sim.Close()
	names := []string{"above", "cyan1.omni", "cyan1.front", "cyan1.spare"}
	var means [2][4][3]float64 // by moment and picture
	for moment := range means {
		if moment > 0 {
			must.Get(sim.Run(t.Context(), omnipitch.Pace{For: 100 * time.Millisecond, Speed: timesync.Max}))(t)
		}
		pictures, err := Moment(sim, names[1:])
		must.Do(t, err)
		if len(pictures) != len(names) {
			t.Fatalf("%d pictures, want %v", len(pictures), names)
		}
		for i, p := range pictures {
			if p.Name != names[i] {
				t.Fatalf("picture %d is %s, want %s", i, p.Name, names[i])
			}
			means[moment][i] = meanColor(p)
		}
	}
	sum := func(c [3]float64) float64 { return c[0] + c[1] + c[2] }
	for i, name := range names {
		light, dark := means[0][i], means[1][i]
		if !(sum(dark) < sum(light)/3) { // a hundredth of the light is a tenth in sRGB; names and rings stay bright
			t.Errorf("%s: mean colour %.1f in the light, %.1f in the dark", name, light, dark)
		}
		if !(light[1] > light[0] && dark[0] > dark[1]) {
			t.Errorf("%s: mean colour %.1f on a green carpet, %.1f on a red one", name, light, dark)
		}
	}
}

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
	must.Do(t, err)
	sim, err := omnipitch.New(w, omnipitch.Options{})
	must.Do(t, err)
	defer sim.Close()
	pictures, err := Moment(sim, nil)
	must.Do(t, err)
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
