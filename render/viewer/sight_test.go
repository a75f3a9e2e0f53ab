package viewer

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// mirror is an omnidirectional camera 0.7 m above the floor that looks up, in a window that it does not fill.
func mirror() Sight {
	m := optics.Hyperbolic{Pinhole: optics.PinholeFromFOV(640, 480, 1.1), K: 3.294, C: 0.1, RimRadius: 0.0683}
	return NewSight(m, spatial.Pose{Pos: mgl64.Vec3{1, -2, 0.7}, Rot: spatial.RotZ(0.3)}, 960, 960)
}

// window is the viewer's own camera.
func window() Sight {
	model, pose := start().Camera(960, 720, poses)
	return NewSight(model, pose, 960, 720)
}

// The oracle computes the window's projection by trigonometry, without optics and quaternions: the eye is 16 m from the
// point 0.3 m above the middle, in the direction −y, 0.7 rad up; the view is 60° wide.
func TestTheWindowProjects(t *testing.T) {
	sight := window()
	for _, p := range []mgl64.Vec3{{0, 0, 0.3}, {3, -2, 0}, {-4, 1, 0.11}, {8, 5, 1}} {
		sin, cos := math.Sincos(0.7)
		dy, dz := p[1]+16*cos, p[2]-0.3-16*sin
		depth, down := dy*cos-dz*sin, -dy*sin-dz*cos
		f := 480 / math.Tan(math.Pi/6)
		wantX, wantY := 479.5+f*p[0]/depth, 359.5+f*down/depth
		x, y, ok := sight.Project(p)
		if d := math.Hypot(x-wantX, y-wantY); !ok || !(d < 1e-6) {
			t.Errorf("%v is seen at (%v, %v), want (%v, %v)", p, x, y, wantX, wantY)
		}
	}
}

// A line in the world covers exactly the pixels where its points are seen, and is bent in a mirror's image.
func TestLinesAreDrawnWhereTheyAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		sight    Sight
		from, to mgl64.Vec3
		least    int // least number of pixels
	}{
		"window": {window(), mgl64.Vec3{-6, -3, 0.5}, mgl64.Vec3{6, 4, 0}, 500},
		"behind": {window(), mgl64.Vec3{2, -30, 0}, mgl64.Vec3{2, 5, 0}, 300}, // starts behind the camera
		"mirror": {mirror(), mgl64.Vec3{4, -5, 0}, mgl64.Vec3{3, 2, 0}, 150},
	} {
		im := render.NewImage(960, c.sight.Frame.Max.Y+c.sight.Frame.Min.Y)
		NewPen(im, c.sight).Line(c.from, c.to, Ink{255, 255, 255, 255})
		const points = 20000
		near := make([]bool, im.Width*im.Height) // pixels within two of the line's image
		seen := 0
		for i := range points + 1 {
			x, y, ok := c.sight.Project(c.from.Add(c.to.Sub(c.from).Mul(float64(i) / points)))
			if !ok || !(x > 2 && y > 2 && x < float64(im.Width-3) && y < float64(im.Height-3)) {
				continue
			}
			u, v := int(math.Round(x)), int(math.Round(y))
			if im.Pix[3*(v*im.Width+u)] < 60 {
				t.Fatalf("%s: the line is seen at (%.1f, %.1f), which is dark", name, x, y)
			}
			for dv := -2; dv <= 2; dv++ {
				for du := -2; du <= 2; du++ {
					near[(v+dv)*im.Width+u+du] = true
				}
			}
		}
		for i := range near {
			if lit := im.Pix[3*i] > 0; lit && !near[i] && i/im.Width > 3 && i/im.Width < im.Height-4 &&
				i%im.Width > 3 && i%im.Width < im.Width-4 {
				t.Fatalf("%s: (%d, %d) is lit, where the line is not seen", name, i%im.Width, i/im.Width)
			} else if lit {
				seen++
			}
		}
		if seen < c.least {
			t.Errorf("%s: %d pixels are lit, want at least %d", name, seen, c.least)
		}
	}
}

// Lines of all lengths and places stay in the camera's image.
func TestLinesStayInTheImage(t *testing.T) {
	sight := mirror() // its image fills the middle of the window
	rapid.Check(t, func(t *rapid.T) {
		im := render.NewImage(960, 960)
		pen := NewPen(im, sight)
		at := func(name string) float64 { return rapid.Float64Range(-1e7, 1e7).Draw(t, name) }
		pen.stroke(at("x0"), at("y0"), at("x1"), at("y1"), Ink{255, 255, 255, 255})
		for _, c := range im.Pix[:3*960*sight.Frame.Min.Y] {
			if c != 0 {
				t.Fatal("a pixel above the camera's image is lit")
			}
		}
	})
}
