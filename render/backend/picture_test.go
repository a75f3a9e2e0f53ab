package backend_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

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
		must.Equal(t, green(some.Color, c.u, 60) > 0.5, c.seen, "pixel %d shows a ball", c.u)
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

// sheared is a pinhole with skewed pixels and an off-axis barrel distortion, without any symmetry. It contains slices,
// so that models that == cannot compare are tested too.
type sheared struct {
	optics.Pinhole
	shear, barrel []float64 // one element each
}

func (s *sheared) Project(p mgl64.Vec3) (u, v float64, ok bool) {
	if p[2] <= 0 {
		return 0, 0, false
	}
	x, y := p[0]/p[2]+0.03, p[1]/p[2]-0.05
	// Invert r = R·(1 + b·R²), so that projection is the direction to be solved.
	r := math.Hypot(x, y)
	inner := r
	for range 50 {
		inner -= (inner*(1+s.barrel[0]*inner*inner) - r) / (1 + 3*s.barrel[0]*inner*inner)
	}
	k := 1.0
	if r > 0 {
		k = inner / r
	}
	x, y = k*x, k*y
	return s.CX + s.FX*x + s.shear[0]*y, s.CY + s.FY*y, true
}

func (s *sheared) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	y := (v - s.CY) / s.FY
	x := (u - s.CX - s.shear[0]*y) / s.FX
	k := 1 + s.barrel[0]*(x*x+y*y)
	return mgl64.Vec3{k*x - 0.03, k*y + 0.05, 1}.Normalize(), true
}

// brown is a common lens with strong barrel distortion.
func brown() optics.BrownConrady {
	return valid(optics.NewBrownConrady(optics.Pinhole{Width: 640, Height: 480, FX: 520, FY: 524, CX: 325, CY: 236},
		optics.Distortion{K1: -0.28, K2: 0.09, P1: 0.001, P2: -0.002}))
}

func crookedLens(w, h int) *sheared {
	return &sheared{optics.Pinhole{Width: w, Height: h, FX: 0.8 * float64(w), FY: 0.78 * float64(w),
		CX: 0.52 * float64(w), CY: 0.47 * float64(h)}, []float64{3}, []float64{0.25}}
}

// A hyperbolic mirror drawn with tables looks like one drawn with its formula.
func TestTablesAreAsGoodAsFormulas(t *testing.T) { eachRasteriser(t, tablesAreAsGoodAsFormulas) }

func tablesAreAsGoodAsFormulas(t *testing.T, open opener) {
	s := withFloor(bare(ball(0.3)), 8, spatial.Mark{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: 0.125},
		spatial.Mark{Kind: spatial.Spot, Radius: 0.5})
	r := open(t, s)
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1.5, 1, 0.3})}
	for name, m := range map[string]struct {
		model optics.Model
		pose  spatial.Pose
	}{
		"mirror":  {omni(), spatial.RPY(mgl64.Vec3{0, 0, 0.8}, 0.03, -0.02, 0.7).Mul(upward(mgl64.Vec3{}))},
		"pinhole": {optics.PinholeFromFOV(640, 480, 1.1), forward(mgl64.Vec3{-2, 0, 1}, 0.1, 0.3, 0.2)},
	} {
		formula, table := colorView(m.model, m.pose), colorView(&unknown{m.model}, m.pose)
		draw(t, r, poses, formula, table)
		sum, worst, n := 0, 0, 0
		for i, b := range formula.Color.Pix {
			// The formula draws a bright ring around a mirror, which starts in the last pixels that show something.
			u, v := float64(i/3%formula.Color.Width), float64(i/3/formula.Color.Width)
			if _, _, ok := m.model.Project(outwards(m.model, u, v)); !ok {
				continue
			}
			d := int(b) - int(table.Color.Pix[i])
			sum, worst, n = sum+max(d, -d), max(worst, d, -d), n+1
		}
		mean := float64(sum) / float64(n)
		t.Logf("%s: mean difference %.4f of 255, largest %d", name, mean, worst)
		if !(mean <= 0.05) {
			t.Errorf("%s: mean difference %.4f of 255: must be at most 0.05", name, mean)
		}
	}
}

// outwards returns the direction two pixels farther from the middle of the image.
func outwards(m optics.Model, u, v float64) mgl64.Vec3 {
	w, h := m.Size()
	x, y := u-float64(w)/2, v-float64(h)/2
	k := 1 + 2/math.Max(math.Hypot(x, y), 1)
	d, ok := m.Unproject(float64(w)/2+k*x, float64(h)/2+k*y)
	if !ok {
		return mgl64.Vec3{0, 0, 1} // behind a mirror
	}
	return d
}

// unknown hides the type of a model.
type unknown struct{ optics.Model }
