package gl_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// fisheye is an equidistant lens that sees up to an angle from its axis: a model for which the renderer has no formula.
type fisheye struct {
	width, height int
	f, cx, cy     float64 // pixels per radian
	limit         float64 // radians
}

func (f fisheye) Size() (width, height int) { return f.width, f.height }

func (f fisheye) Project(p mgl64.Vec3) (u, v float64, ok bool) {
	r := math.Hypot(p[0], p[1])
	angle := math.Atan2(r, p[2])
	if angle > f.limit {
		return 0, 0, false
	}
	k := f.f
	if r > 0 {
		k = f.f * angle / r
	}
	return f.cx + k*p[0], f.cy + k*p[1], true
}

func (f fisheye) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	x, y := (u-f.cx)/f.f, (v-f.cy)/f.f
	angle := math.Hypot(x, y)
	if angle > f.limit {
		return mgl64.Vec3{}, false
	}
	k := 1.0
	if angle > 0 {
		k = math.Sin(angle) / angle
	}
	return mgl64.Vec3{k * x, k * y, math.Cos(angle)}, true
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
	m, err := optics.NewBrownConrady(optics.Pinhole{Width: 640, Height: 480, FX: 520, FY: 524, CX: 325, CY: 236},
		optics.Distortion{K1: -0.28, K2: 0.09, P1: 0.001, P2: -0.002})
	if err != nil {
		panic(err)
	}
	return m
}

func wideLens(w, h int) fisheye {
	size := float64(min(w, h))
	return fisheye{width: w, height: h, f: size / 2 / 1.75, cx: float64(w)/2 + 1.3, cy: float64(h)/2 - 2.2, limit: 1.7}
}

func crookedLens(w, h int) *sheared {
	return &sheared{optics.Pinhole{Width: w, Height: h, FX: 0.8 * float64(w), FY: 0.78 * float64(w),
		CX: 0.52 * float64(w), CY: 0.47 * float64(h)},
		[]float64{3}, []float64{0.25}}
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

// blindMirror has no single viewpoint.
type blindMirror struct{ optics.Hyperbolic }

func (b blindMirror) Ray(u, v float64) (originC, dirC mgl64.Vec3, ok bool) { return }

func TestModelsWithoutAViewpointAreRefused(t *testing.T) {
	eachRasteriser(t, modelsWithoutAViewpointAreRefused)
}

func modelsWithoutAViewpointAreRefused(t *testing.T, open opener) {
	r := open(t, bare(ball(0.3)))
	err := r.Render(&render.Batch{PosesWB: []spatial.Pose{spatial.Identity()},
		Views: []render.View{colorView(blindMirror{omni()}, upward(mgl64.Vec3{0, 0, 1}))}})
	if err == nil {
		t.Error("a mirror without a single viewpoint was drawn as if it had one")
	}
}

// BenchmarkLens draws the same pinhole with its formula and with tables.
func BenchmarkLens(b *testing.B) {
	s := withFloor(bare(ball(0.3)), 8, spatial.Mark{Kind: spatial.Arc, Radius: 2, Sweep: 2 * math.Pi, Width: 0.125})
	r := renderer(b, s)
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1.5, 1, 0.3})}
	m := optics.PinholeFromFOV(640, 480, 1.1)
	for name, model := range map[string]optics.Model{"formula": m, "table": &unknown{m}} {
		f := &render.Batch{PosesWB: poses, Views: []render.View{colorView(model, forward(mgl64.Vec3{-2, 0, 1}, 0.1, 0.3,
			0.2))}}
		draw(b, r, f.PosesWB, f.Views...) // the tables are computed once
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				draw(b, r, f.PosesWB, f.Views...)
			}
		})
	}
}
