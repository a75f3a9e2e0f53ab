package physics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func degrees(angles ...float64) []float64 {
	for i := range angles {
		angles[i] *= math.Pi / 180
	}
	return angles
}

// The oracle is the published formula, written out once more.
func TestWheelSpeedsFollowTheFormula(t *testing.T) {
	const r, d = 0.06, 0.203
	for _, beta := range degrees(90, 45, 120) {
		angles := degrees(45, 135, -135, -45)
		o, err := newOmniWheels(angles, beta, d, r)
		if err != nil {
			t.Fatal(err)
		}
		v := PlanarTwist{VX: 1.3, VY: -0.4, Omega: 2.5}
		var want [MaxWheels]float64
		for i, a := range angles {
			want[i] = (-math.Cos(a+beta)/math.Sin(beta)*v.VX - math.Sin(a+beta)/math.Sin(beta)*v.VY - d*v.Omega) / r
		}
		if diff := cmp.Diff(want, o.Speeds(v), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("beta %v: %s", beta, diff)
		}
	}
}

func TestTwistUndoesSpeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(-5, 5)
		n := rapid.IntRange(3, MaxWheels).Draw(t, "wheels")
		angles := make([]float64, n)
		for i := range angles {
			angles[i] = 2*math.Pi*float64(i)/float64(n) + rapid.Float64Range(-0.3, 0.3).Draw(t, "angle")
		}
		o, err := newOmniWheels(angles, rollerAngle, 0.2, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		want := PlanarTwist{VX: f.Draw(t, "vx"), VY: f.Draw(t, "vy"), Omega: f.Draw(t, "omega")}
		if diff := cmp.Diff(want, o.Twist(o.Speeds(want)), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestWheelsMustSpanThePlane(t *testing.T) {
	for name, angles := range map[string][]float64{
		"none":     nil,
		"two":      degrees(90, -90),
		"parallel": degrees(90, 90, -90, -90),
		"opposed":  degrees(0, 180, 0),
		"nine":     degrees(0, 40, 80, 120, 160, 200, 240, 280, 320),
	} {
		if _, err := newOmniWheels(angles, rollerAngle, 0.2, 0.05); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
