package physics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func degrees(angles ...float64) []float64 {
	for i := range angles {
		angles[i] *= math.Pi / 180
	}
	return angles
}

// The oracle is the published formula, written out again.
func TestWheelSpeedsFollowTheFormula(t *testing.T) {
	const r, d = 0.06, 0.203
	for _, beta := range degrees(90, 45, 120) {
		angles := degrees(45, 135, -135, -45)
		drive := Drive{WheelRadius: r}
		for _, a := range angles {
			drive.Wheels = append(drive.Wheels, Wheel{Kind: OmniWheel, X: d * math.Cos(a), Y: d * math.Sin(a),
				Heading: a - math.Pi/2, Roller: beta})
		}
		o := must.Get(drive.WheelSet())(t)
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
		o := must.Get((&Drive{WheelAngles: angles, WheelDistance: 0.2, WheelRadius: 0.05}).WheelSet())(t)
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
		if _, err := (&Drive{WheelAngles: angles, WheelDistance: 0.2, WheelRadius: 0.05}).WheelSet(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A differential drive moves forwards by the mean of its wheels and turns by their difference over the track. Drivable
// leaves out what it cannot drive.
func TestDifferentialDrive(t *testing.T) {
	const r, half = 0.1, 0.2
	d := Drive{WheelRadius: r, Wheels: []Wheel{{Kind: StandardWheel, Y: half}, {Kind: StandardWheel, Y: -half}}}
	o := must.Get(d.WheelSet())(t)
	got := o.Twist([MaxWheels]float64{5, 8})
	want := PlanarTwist{VX: r * (5. + 8) / 2, Omega: r * (8. - 5) / (2 * half)}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	got = o.Drivable(PlanarTwist{VX: 1, VY: 0.7, Omega: 2})
	if diff := cmp.Diff(PlanarTwist{VX: 1, Omega: 2}, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}

// The published matrix of a Mecanum robot. With half length l and half width w, r·rates = [1 −1 −(l+w); 1 1 l+w; 1 1
// −(l+w); 1 −1 l+w]·v for the wheels front left, front right, rear left, rear right.
func TestMecanumDrive(t *testing.T) {
	const r, l, w = 0.05, 0.2, 0.15
	q := math.Pi / 4
	d := Drive{WheelRadius: r, Wheels: []Wheel{
		{Kind: OmniWheel, X: l, Y: w, Roller: q}, {Kind: OmniWheel, X: l, Y: -w, Roller: -q},
		{Kind: OmniWheel, X: -l, Y: w, Roller: -q}, {Kind: OmniWheel, X: -l, Y: -w, Roller: q},
	}}
	o := must.Get(d.WheelSet())(t)
	v := PlanarTwist{VX: 0.7, VY: 0.3, Omega: -1.1}
	turn := (l + w) * v.Omega
	want := [MaxWheels]float64{(v.VX - v.VY - turn) / r, (v.VX + v.VY + turn) / r, (v.VX + v.VY - turn) / r,
		(v.VX - v.VY + turn) / r}
	if diff := cmp.Diff(want, o.Speeds(v), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(v, o.Twist(o.Speeds(v)), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Error(diff)
	}
}
