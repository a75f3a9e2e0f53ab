package physics

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func testDrive() Drive {
	return Drive{
		Level:       WheelsDrive,
		WheelAngles: degrees(45, 135, -135, -45), WheelDistance: 0.203, WheelRadius: 0.06,
		MaxWheelSpeed: 4, MaxWheelForce: 80, MaxSpeed: 3, MaxOmega: 5, MaxAccel: 4, MaxAlpha: 20,
	}
}

func TestNextKeepsEveryLimit(t *testing.T) {
	d := testDrive()
	wheels := must.Get(d.WheelSet())(t)
	const dt, eps = 0.005, 1e-9
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(-20, 20)
		now := PlanarTwist{}
		for range 20 {
			wanted := PlanarTwist{VX: f.Draw(t, "vx"), VY: f.Draw(t, "vy"), Omega: f.Draw(t, "omega")}
			next := d.NextTwist(now, wanted, &wheels, dt)
			if !(math.Hypot(next.VX, next.VY) <= d.MaxSpeed+eps) || !(math.Abs(next.Omega) <= d.MaxOmega+eps) {
				t.Fatalf("too fast: %+v", next)
			}
			for _, w := range wheels.Speeds(next) {
				if !(math.Abs(w)*d.WheelRadius <= d.MaxWheelSpeed+eps) {
					t.Fatalf("wheel too fast: %v rad/s", w)
				}
			}
			now = next
		}
	})
}

func TestNextRampsStraightToTheCommand(t *testing.T) {
	d := testDrive()
	wheels, _ := d.WheelSet()
	wanted := PlanarTwist{VX: 0.3, VY: -0.4, Omega: 1}
	var now PlanarTwist
	steps := 0
	for now != wanted {
		now = d.NextTwist(now, wanted, &wheels, 0.005)
		if steps++; steps > 100 {
			t.Fatalf("still at %+v", now)
		}
	}
	if steps != 25 { // 0.5 m/s at 4 m/s² takes 0.125 s
		t.Errorf("reached after %d steps of 5 ms, want 25", steps)
	}
}

func TestWheelLimitKeepsTheDirection(t *testing.T) {
	d := testDrive()
	d.MaxAccel, d.MaxAlpha, d.MaxWheelSpeed = 1e9, 1e9, 1
	wheels, _ := d.WheelSet()
	wanted := PlanarTwist{VX: 2, VY: 1, Omega: 3}
	got := d.NextTwist(PlanarTwist{}, wanted, &wheels, 0.005)
	k := got.VX / wanted.VX
	if !(k < 1) || !scalar.EqualWithinAbs(got.VY, k*wanted.VY, 1e-12) || !scalar.EqualWithinAbs(got.Omega,
		k*wanted.Omega, 1e-12) {
		t.Errorf("Next = %+v, want a multiple of %+v", got, wanted)
	}
}
