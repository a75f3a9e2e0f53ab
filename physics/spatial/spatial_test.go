package spatial

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

func near(t interface{ Fatalf(string, ...any) }, what string, got, want mgl64.Vec3) {
	if !(got.Sub(want).Len() <= 1e-12*(1+want.Len())) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

func TestOpticalAxesFollowREP103(t *testing.T) {
	o := BodyToOptical()
	near(t, "optical z in body", o.Rotate(mgl64.Vec3{0, 0, 1}), mgl64.Vec3{1, 0, 0})
	near(t, "optical x in body", o.Rotate(mgl64.Vec3{1, 0, 0}), mgl64.Vec3{0, -1, 0})
	near(t, "optical y in body", o.Rotate(mgl64.Vec3{0, 1, 0}), mgl64.Vec3{0, 0, -1})
}

func TestRPYTurnsAboutFixedAxes(t *testing.T) {
	p := RPY(mgl64.Vec3{}, math.Pi/2, 0, math.Pi/2)
	// Roll turns y into z; yaw does not change z.
	near(t, "y", p.Rotate(mgl64.Vec3{0, 1, 0}), mgl64.Vec3{0, 0, 1})
	// Roll does not change x; yaw turns x into y.
	near(t, "x", p.Rotate(mgl64.Vec3{1, 0, 0}), mgl64.Vec3{0, 1, 0})
}

func genPose(t *rapid.T, label string) Pose {
	f := rapid.Float64Range(-3, 3)
	return RPY(mgl64.Vec3{f.Draw(t, label+"x"), f.Draw(t, label+"y"), f.Draw(t, label+"z")},
		f.Draw(t, label+"roll"), f.Draw(t, label+"pitch"), f.Draw(t, label+"yaw"))
}

func TestPoseIsAGroupActingOnPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := genPose(t, "p"), genPose(t, "q")
		v := mgl64.Vec3{0.3, -1.2, 2}
		near(t, "p(q(v))", p.Mul(q).Apply(v), p.Apply(q.Apply(v)))
		near(t, "p⁻¹(p(v))", p.Inverse().Apply(p.Apply(v)), v)
		near(t, "unrotate", p.Unrotate(p.Rotate(v)), v)
		near(t, "matrix", mgl64.TransformCoordinate(v, p.Mat4()), p.Apply(v))
	})
}

// A turn about an axis leaves the axis where it is, and its angular velocity is along the axis.
func TestTurnAbout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := genPose(t, "from")
		axis, point := from.Rotate(mgl64.Vec3{0.6, 0, 0.8}), mgl64.Vec3{1, 2, -3}
		angle := rapid.Float64Range(-1e-3, 1e-3).Draw(t, "angle")
		turn := TurnAbout(&axis, &point, angle)
		near(t, "point", turn.Apply(point), point)
		near(t, "axis", turn.Rotate(axis), axis)
		to := turn.Mul(from)
		got, want := AngularVelocity(&from.Rot, &to.Rot, 0.1), axis.Mul(angle/0.1)
		if !(got.Sub(want).Len() <= 1e-6*want.Len()+1e-14) { // of the first order: the error is angle²/24
			t.Fatalf("angular velocity = %v, want %v", got, want)
		}
	})
}

func TestHeadingAndWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.Float64Range(-3.1, 3.1).Draw(t, "heading")
		if got := Planar(1, 2, h).Heading(); !scalar.EqualWithinAbs(got, h, 1e-12) {
			t.Fatalf("Heading() = %v, want %v", got, h)
		}
		n := rapid.IntRange(-5, 5).Draw(t, "turns")
		if got := WrapAngle(h + 2*math.Pi*float64(n)); !scalar.EqualWithinAbs(got, h, 1e-9) {
			t.Fatalf("WrapAngle = %v, want %v", got, h)
		}
	})
	if got := WrapAngle(-math.Pi); got != math.Pi {
		t.Errorf("WrapAngle(-π) = %v, want π", got)
	}
}

func TestPointVelocity(t *testing.T) {
	tw := Twist{Lin: mgl64.Vec3{1, 0, 0}, Ang: mgl64.Vec3{0, 0, 2}}
	near(t, "velocity", tw.PointVelocity(mgl64.Vec3{0, 0.5, 0}), mgl64.Vec3{0, 0, 0})
}

// A pose drifts along its linear velocity and turns by its angular velocity, both in world axes.
func TestPoseDrifts(t *testing.T) {
	p := Planar(1, 2, 0.3)
	twist := Twist{Lin: mgl64.Vec3{0.5, -1, 0.2}, Ang: mgl64.Vec3{0, 0, 2}}
	got := p.Drifted(twist, 0.01)
	if want := (mgl64.Vec3{1.005, 1.99, 0.002}); !(got.Pos.Sub(want).Len() <= 1e-12) {
		t.Errorf("position %v, want %v", got.Pos, want)
	}
	if want := Planar(0, 0, 0.32).Rotate(mgl64.Vec3{1, 0, 0}); !(got.Rotate(mgl64.Vec3{1, 0, 0}).Sub(
		want).Len() <= 1e-12) {
		t.Errorf("the front points to %v, want %v", got.Rotate(mgl64.Vec3{1, 0, 0}), want)
	}
	if back := got.Drifted(twist, -0.01); !(back.Pos.Sub(p.Pos).Len() <= 1e-12) || p.Drifted(Twist{}, 1) != p {
		t.Errorf("drifts back to %v", back)
	}
}
