package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// A FieldOfView does not change visible shares, for a pinhole and a mirror camera.
func TestSightDecidesAsTheModelDoes(t *testing.T) {
	cameras := []optics.Model{
		optics.PinholeFromFOV(640, 480, 1.1),
		optics.Hyperbolic{Pinhole: optics.PinholeFromFOV(640, 640, 1.15), K: 3.294, C: 0.1, RimRadius: 0.0683},
	}
	fields := []*FieldOfView{NewFieldOfView(cameras[0]), NewFieldOfView(cameras[1])}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 1).Draw(t, "camera")
		angle := rapid.Float64Range(-math.Pi, math.Pi)
		place := rapid.Float64Range(-9, 9)
		pose := spatial.RPY(mgl64.Vec3{0, 0, 0.7}, 0, rapid.Float64Range(-0.5, 0.5).Draw(t, "pitch"),
			angle.Draw(t, "yaw")).Mul(spatial.BodyToOptical())
		if k == 1 {
			pose = spatial.RPY(mgl64.Vec3{0, 0, 0.7}, 0, 0, angle.Draw(t, "turn"))
		}
		targets := []Target{
			ball(place.Draw(t, "x"), place.Draw(t, "y"), rapid.Float64Range(0.1, 2).Draw(t, "z")),
			pillar("p", place.Draw(t, "x"), place.Draw(t, "y"), 0.25),
			box("b", place.Draw(t, "x"), place.Draw(t, "y"), angle.Draw(t, "heading"), 0.5, 0.3),
		}
		env := Environment{Targets: targets}
		slow := Viewpoint{Model: cameras[k], PoseWC: pose, MaxRange: 8}
		fast := slow
		fast.FieldOfView = fields[k]
		// exact edges of the image, against six sampled points of a column
		const within = 0.25
		for i := range targets {
			if want, got := slow.Visible(&env, i), fast.Visible(&env, i); !scalar.EqualWithinAbs(got, want, within) {
				t.Fatalf("target %d: %v at once, %v point by point", i, got, want)
			}
		}
	})
}
