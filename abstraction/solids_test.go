package abstraction

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Rays hit a set of solids where they hit the nearest of its boxes, although long boxes are cut into pieces.
func TestSolidsAreTheirBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place, size := rapid.Float64Range(-30, 30), rapid.Float64Range(0.05, 9)
		boxes := make([]spatial.UprightBox, rapid.IntRange(1, 60).Draw(t, "boxes"))
		for i := range boxes {
			b := spatial.UprightBox{Centre: mgl64.Vec3{place.Draw(t, "x"), place.Draw(t, "y"),
				rapid.SampledFrom([]float64{1, 1.7, 2, -0.25}).Draw(t, "z")},
				Half:    mgl64.Vec3{size.Draw(t, "half"), size.Draw(t, "half"), 1},
				Heading: rapid.Float64Range(-3, 3).Draw(t, "heading")}
			if b.Round = rapid.Bool().Draw(t, "round"); b.Round {
				b.Half[1] = b.Half[0]
			}
			boxes[i] = b
		}
		from := mgl64.Vec3{place.Draw(t, "from x"), place.Draw(t, "from y"), 0.7}
		sin, cos := math.Sincos(rapid.Float64Range(-3, 3).Draw(t, "bearing"))
		along := mgl64.Vec3{cos, sin, 0.02}.Normalize()
		want := math.Inf(1)
		for i := range boxes {
			alone := (&Solids{})
			alone.add(boxes[i])
			s := alone.solids[0]
			r := s.Raycast(s.PoseW, from, along)
			d := spatial.RotZ(-boxes[i].Heading).Rotate(from.Sub(boxes[i].Centre))
			if math.Abs(d[0]) < boxes[i].Half[0] && math.Abs(d[1]) < boxes[i].Half[1] {
				t.Skip("from inside")
			}
			want = min(want, r)
		}
		most := rapid.SampledFrom([]float64{5, 20, math.Inf(1)}).Draw(t, "most")
		got := math.Inf(1)
		var r Raycaster
		steepest := rapid.SampledFrom([]float64{0.02, math.Inf(1)}).Draw(t, "steepest")
		far := func(float64, float64, float64) float64 { return min(got, most) }
		NewSolids(boxes).Cast(from, steepest, &r, far, func() { got = min(got, r.Cast(&along)) })
		if want <= most && got != want && !(math.Abs(got-want) <= 1e-9) || want > most && !(got >= want-1e-9) {
			t.Errorf("got %v m, want %v m, at most %v m", got, want, most)
		}
	})
}

// A wall hides what is behind it, except through its opening, and a low wall hides only the lower part.
func TestWallsHideTargets(t *testing.T) {
	wall := func(y, half, bottom, top float64) spatial.UprightBox {
		return spatial.UprightBox{Centre: mgl64.Vec3{2, y, (bottom + top) / 2}, Half: mgl64.Vec3{0.05, half,
			(top - bottom) / 2}}
	}
	vp := &Viewpoint{Model: optics.Pinhole{Width: 640, Height: 480, FX: 300, FY: 300, CX: 319.5, CY: 239.5},
		PoseWC: spatial.Translation(mgl64.Vec3{0, 0, 1}).Mul(spatial.BodyToOptical()), MaxRange: 20}
	for name, c := range map[string]struct {
		walls []spatial.UprightBox
		want  float64
	}{
		"none":       {nil, 1},
		"wall":       {[]spatial.UprightBox{wall(0, 3, 0, 2.5)}, 0},
		"beside":     {[]spatial.UprightBox{wall(4, 3, 0, 2.5)}, 1},
		"left half":  {[]spatial.UprightBox{wall(1, 1, 0, 2.5)}, 0.5},
		"upper half": {[]spatial.UprightBox{wall(0, 3, 1, 2.5)}, 0.5},
		"door": {[]spatial.UprightBox{wall(1.5, 1, 0, 2.5), wall(-1.5, 1, 0, 2.5), wall(0, 0.5, 2.05, 2.5)},
			1},
		"column": {[]spatial.UprightBox{{Centre: mgl64.Vec3{2, 0, 1}, Half: mgl64.Vec3{0.5, 0.5, 1}, Round: true}},
			0},
		"behind the ball": {[]spatial.UprightBox{{Centre: mgl64.Vec3{5, 0, 1}, Half: mgl64.Vec3{0.05, 3, 1}}}, 1},
	} {
		ball := NewTarget(BallKind, "ball", "", Shape{Kind: Sphere, Radius: 0.2}, nil)
		ball.Move(spatial.Translation(mgl64.Vec3{4, 0, 1}), mgl64.Vec3{})
		env := &Environment{Targets: []Target{ball}, PoseWB: spatial.Identity(), Walls: NewSolids(c.walls)}
		must.Near(t, fmt.Sprintf("%s: visible fraction", name), vp.Visible(env, 0), c.want, 0.01)
	}
}
