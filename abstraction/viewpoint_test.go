package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// lookingAlongX is a camera at a height that looks along x, 60° wide.
func lookingAlongX(z float64) Viewpoint {
	return Viewpoint{
		Model:    optics.PinholeFromFOV(640, 480, math.Pi/3),
		PoseWC:   spatial.Translation(mgl64.Vec3{0, 0, z}).Mul(spatial.BodyToOptical()),
		MaxRange: 20,
	}
}

func placed(kind Kind, name string, shape Shape, pose spatial.Pose) Target {
	t := NewTarget(kind, name, "", shape, nil)
	t.Move(pose, mgl64.Vec3{})
	return t
}

func ball(x, y, z float64) Target {
	return placed(BallKind, "ball", Shape{Kind: Sphere, Radius: 0.11}, spatial.Translation(mgl64.Vec3{x, y, z}))
}

func pillar(name string, x, y, radius float64) Target {
	return placed(ObstacleKind, name, Shape{Kind: Cylinder, Radius: radius, Height: 0.8}, spatial.Planar(x, y, 0))
}

func box(name string, x, y, heading, sx, sy float64) Target {
	return placed(ObstacleKind, name, Shape{Kind: Box, SizeX: sx, SizeY: sy, Height: 0.8},
		spatial.Planar(x, y, heading))
}

func TestVisibleFraction(t *testing.T) {
	for _, c := range []struct {
		name      string
		targets   []Target // the first is observed
		want, tol float64
	}{
		{"free", []Target{ball(3, 0, 0.5)}, 1, 0},
		{"behind the camera", []Target{ball(-3, 0, 0.5)}, 0, 0},
		{"beyond the range", []Target{ball(30, 0, 0.5)}, 0, 0},
		{"outside the image", []Target{ball(3, 3, 0.5)}, 0, 0},
		// The image ends at y = x·tan 30°: half of a ball there is inside.
		{"half over the image's edge", []Target{ball(3, 3*math.Tan(math.Pi/6), 0.5)}, 0.5, 0.01},
		{"behind a pillar", []Target{ball(3, 0, 0.5), pillar("p", 2, 0, 0.25)}, 0, 0},
		{"before a pillar", []Target{ball(1, 0, 0.5), pillar("p", 2, 0, 0.25)}, 1, 0},
		// The pillar's edge as seen from the camera hides the ball's half: tangent at asin(0.25/2.0156).
		{"half behind a pillar", []Target{ball(3, 0, 0.5), pillar("p", 2*math.Cos(0.125), 2*math.Sin(0.125),
			2*math.Sin(0.125))}, 0.5, 0.08},
		{"behind a box", []Target{ball(3, 0, 0.5), box("b", 2, 0, 0.7, 0.4, 0.4)}, 0, 0},
		{"over a box", []Target{ball(3, 0, 1.2), box("b", 2, 0, 0.7, 0.4, 0.4)}, 1, 0},
		{"hidden by another ball", []Target{ball(3, 0, 0.5), ball(1, 0, 0.5)}, 0, 0},
	} {
		view := lookingAlongX(0.5)
		if got := view.Visible(&Environment{Targets: c.targets}, 0); !scalar.EqualWithinAbs(got, c.want, c.tol) {
			t.Errorf("%s: visible = %v, want %v within %v", c.name, got, c.want, c.tol)
		}
	}
}

func TestVisibleMirrorsSides(t *testing.T) {
	view := lookingAlongX(0.5)
	for _, y := range []float64{-1.6, -1.2, -0.4, 0.4, 1.2, 1.6} {
		a := []Target{ball(3, y, 0.4), box("b", 2, y*0.6, 0, 0.3, 0.3)}
		b := []Target{ball(3, -y, 0.4), box("b", 2, -y*0.6, 0, 0.3, 0.3)}
		if va, vb := view.Visible(&Environment{Targets: a}, 0), view.Visible(&Environment{Targets: b},
			0); !scalar.EqualWithinAbs(va, vb, 1e-9) {
			t.Errorf("y = %v: visible %v on the left, %v on the right", y, va, vb)
		}
	}
}

func BenchmarkVisibleInAMatch(b *testing.B) {
	b.ReportAllocs()
	view := lookingAlongX(0.7)
	targets := []Target{ball(4, 0, 0.11)}
	for i := range 11 {
		targets = append(targets, pillar("r", 1+float64(i)*0.6, float64(i%5-2)*0.7, 0.25))
	}
	env := Environment{Targets: targets}
	for b.Loop() {
		for i := range targets {
			view.Visible(&env, i)
		}
	}
}
