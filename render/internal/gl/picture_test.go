package gl_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

func TestUpIsUpAndLeftIsLeft(t *testing.T) { eachRasteriser(t, upIsUpAndLeftIsLeft) }

func upIsUpAndLeftIsLeft(t *testing.T, open opener) {
	r := open(t, bare(ball(0.1)))
	front := optics.PinholeFromFOV(160, 120, 1)
	mirror := omni()
	for _, c := range []struct {
		name   string
		view   render.View
		ball   mgl64.Vec3
		du, dv float64 // signs of the direction from the image's centre
	}{
		{"front, left", colorView(front, forward(mgl64.Vec3{}, 0, 0, 0)), mgl64.Vec3{2, 0.5, 0}, -1, 0},
		{"front, above", colorView(front, forward(mgl64.Vec3{}, 0, 0, 0)), mgl64.Vec3{2, 0, 0.5}, 0, -1},
		// A camera that looks up into a mirror, with the robot's front at the image's upper edge, sees the robot's left
		// on the right.
		{"mirror, ahead", colorView(mirror, upward(mgl64.Vec3{})), mgl64.Vec3{1, 0, -0.5}, 0, -1},
		{"mirror, left", colorView(mirror, upward(mgl64.Vec3{})), mgl64.Vec3{0, 1, -0.5}, 1, 0},
	} {
		draw(t, r, []spatial.Pose{spatial.Translation(c.ball)}, c.view)
		w, h := c.view.Model.Size()
		u, v, _ := centroid(c.view.Color, float64(w)/2, float64(h)/2, max(w, h))
		du, dv := u-float64(w)/2, v-float64(h)/2
		if !(du*c.du+dv*c.dv >= 10) || !(math.Abs(du*c.dv)+math.Abs(dv*c.du) <= 4) {
			t.Errorf("%s: seen %+.1f, %+.1f pixels from the centre, want the direction %v, %v", c.name, du, dv, c.du,
				c.dv)
		}
	}
}

func TestSameFrameGivesTheSameBytes(t *testing.T) {
	scene := func() *render.Scene {
		s := withFloor(bare(ball(0.3), shapes.BevelledBox(0.5, 0.5, 0.5, 0.05)), 6, spatial.Mark{Kind: spatial.Arc,
			Radius: 1, Sweep: 2 * math.Pi, Width: 0.1})
		s.Light = render.Light{DirectionW: mgl32.Vec3{0.3, 0.2, 0.9}.Normalize(), Lamp: mgl32.Vec3{0.6, 0.6, 0.6},
			Sky: mgl32.Vec3{0.4, 0.4, 0.4}}
		return s
	}
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1, 0, 0.3}), spatial.Translation(mgl64.Vec3{-0.4, 1, 0.25})}
	a, b := renderer(t, scene()), renderer(t, scene())
	views := func() []render.View {
		k := colorView(kinect(), forward(mgl64.Vec3{-2, 0, 1}, 0, 0.3, 0))
		k.Depth = render.NewDepth(k.Color.Width, k.Color.Height)
		return []render.View{colorView(omni(), upward(mgl64.Vec3{0, 0, 0.8})), k}
	}
	first, again, other := views(), views(), views()
	draw(t, a, poses, first...)
	draw(t, a, poses, again...)
	draw(t, b, poses, other...)
	for i := range first {
		if !bytes.Equal(first[i].Color.Pix, again[i].Color.Pix) {
			t.Errorf("view %d: other pixels the second time", i)
		}
		if !bytes.Equal(first[i].Color.Pix, other[i].Color.Pix) {
			t.Errorf("view %d: other pixels from a second renderer", i)
		}
	}
	for i, z := range first[1].Depth.Z {
		if z != again[1].Depth.Z[i] || z != other[1].Depth.Z[i] {
			t.Fatalf("pixel %d: other depth the second time", i)
		}
	}
}

// A lamp at 45° towards +x casts the shadow of a block of height 1 one metre to −x.
func TestShadowsFallAwayFromTheLamp(t *testing.T) { eachRasteriser(t, shadowsFallAwayFromTheLamp) }

func shadowsFallAwayFromTheLamp(t *testing.T, open opener) {
	s := withFloor(bare(shapes.Box(1, 1, 1)), 10, spatial.Mark{Kind: spatial.Segment, A: [2]float64{-5, 0},
		B: [2]float64{5, 0}, Width: 9})
	s.Light = render.Light{DirectionW: mgl32.Vec3{1, 0, 1}.Normalize(), Lamp: mgl32.Vec3{0.8, 0.8, 0.8},
		Sky: mgl32.Vec3{0.2, 0.2, 0.2}}
	r := open(t, s)
	m := optics.PinholeFromFOV(320, 320, 1.2)
	view := colorView(m, forward(mgl64.Vec3{0, 0, 6}, 0, math.Pi/2, 0))
	draw(t, r, []spatial.Pose{spatial.Translation(mgl64.Vec3{0, 0, 0.5})}, view)
	brightness := func(x, y float64) float64 {
		u, v, _ := m.Project(view.PoseWC.Inverse().Apply(mgl64.Vec3{x, y, 0}))
		return green(view.Color, int(math.Round(u)), int(math.Round(v)))
	}
	lit := brightness(2.5, 0)
	for _, p := range [][2]float64{{-0.9, 0}, {-1.2, 0.2}, {-0.8, -0.3}} {
		if got := brightness(p[0], p[1]) / lit; !(got <= 0.4) {
			t.Errorf("floor at %v is %.2f as bright as in the open: must lie in the shadow", p, got)
		}
	}
	for _, p := range [][2]float64{{-2.2, 0}, {-1, 1.2}, {1.2, 0}} {
		if got := brightness(p[0], p[1]) / lit; !(got >= 0.8) {
			t.Errorf("floor at %v is %.2f as bright as in the open: must be lit", p, got)
		}
	}
}

func TestHiddenPartsAreLeftOut(t *testing.T) { eachRasteriser(t, hiddenPartsAreLeftOut) }

func hiddenPartsAreLeftOut(t *testing.T, open opener) {
	s := bare(ball(0.3), ball(0.3))
	s.Bodies[0].Parts[0].Name = "lid"
	r := open(t, s)
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0.5, 0}), spatial.Translation(mgl64.Vec3{2, -0.5, 0})}
	m := optics.PinholeFromFOV(160, 120, 1)
	all, some := colorView(m, forward(mgl64.Vec3{}, 0, 0, 0)), colorView(m, forward(mgl64.Vec3{}, 0, 0, 0))
	some.Hidden = []render.Hidden{{Body: 0, Part: "lid"}}
	draw(t, r, poses, all, some)
	for _, c := range []struct {
		u    int
		seen bool
	}{{43, false}, {116, true}} {
		if !(green(all.Color, c.u, 60) >= 0.5) {
			t.Errorf("pixel %d does not show its ball", c.u)
		}
		if got := green(some.Color, c.u, 60) > 0.5; got != c.seen {
			t.Errorf("pixel %d shows a ball: %v, want %v", c.u, got, c.seen)
		}
	}
}

// A hall of uniform brightness shows only the law of vignetting. An 8-bit pixel at this brightness is precise to 0.4 %.
func TestVignetting(t *testing.T) { eachRasteriser(t, vignetting) }

func vignetting(t *testing.T, open opener) {
	s := bare()
	s.Light.Background = mgl32.Vec3{0.7, 0.7, 0.7}
	r := open(t, s)
	m := optics.PinholeFromFOV(320, 240, 1.2)
	for _, share := range []float64{0, 0.5, 1} {
		view := colorView(m, forward(mgl64.Vec3{0, 0, 1}, 0, -0.9, 0))
		view.Vignetting = share
		draw(t, r, nil, view)
		for _, p := range [][2]int{{0, 0}, {319, 239}, {160, 0}, {80, 60}} {
			dir, _ := m.Unproject(float64(p[0]), float64(p[1]))
			want := 1 - share + share*math.Pow(dir[2], 4)
			if got := green(view.Color, p[0], p[1]) / green(view.Color, 160, 120); !scalar.EqualWithinAbs(got, want,
				0.012) {
				t.Errorf("share %v: pixel %v is %.3f as bright as the centre, want %.3f", share, p, got, want)
			}
		}
	}
}

func TestBeyondTheMirrorIsDark(t *testing.T) { eachRasteriser(t, beyondTheMirrorIsDark) }

func beyondTheMirrorIsDark(t *testing.T, open opener) {
	s := bare()
	s.Light.Background = mgl32.Vec3{0.7, 0.7, 0.7}
	m := omni()
	view := colorView(m, upward(mgl64.Vec3{0, 0, 0.8}))
	draw(t, open(t, s), nil, view)
	for i := range m.Width * m.Height {
		u, v := i%m.Width, i/m.Width
		off := math.Hypot((float64(u)-m.CX)/m.FX, (float64(v)-m.CY)/m.FY) * m.FX / m.RimPixels()
		if got := green(view.Color, u, v); !(off <= 1.03) && !(got <= 0.02) || !(off >= 0.99) && !(got >= 0.05) &&
			s.Floor.SizeX > 0 {
			t.Fatalf("pixel (%d, %d), %.2f of the rim's radius from the centre, has brightness %.3f", u, v, off, got)
		}
	}
}
