package node

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// felt returns what an accelerometer at rest measures in a trunk that leans.
func felt(roll, pitch float64) mgl64.Vec3 {
	trunk := mgl64.Rotate3DY(pitch).Mul3(mgl64.Rotate3DX(roll))
	return trunk.Transpose().Mul3x1(mgl64.Vec3{0, 0, 9.81})
}

// The lean is that of the accelerometer at first, after a gap and after a restart. Between, it is the integral of the
// gyroscope, which the accelerometer corrects slowly.
func TestAttitude(t *testing.T) {
	const step = 10 * time.Millisecond
	var a attitude
	at := time.Duration(0)
	check := func(what string, force, rate mgl64.Vec3, wantRoll, wantPitch float64) {
		t.Helper()
		if roll, pitch := a.add(at, force, rate); !(math.Hypot(roll-wantRoll, pitch-wantPitch) < 1e-3) {
			t.Errorf("%s: roll %.4f, pitch %.4f, want %.4f, %.4f", what, roll, pitch, wantRoll, wantPitch)
		}
	}
	check("first reading", felt(0.2, -0.3), mgl64.Vec3{}, 0.2, -0.3)
	at += step
	check("at rest", felt(0.2, -0.3), mgl64.Vec3{}, 0.2, -0.3)
	at += 2 * attitudeGap
	check("gap", felt(0, 0), mgl64.Vec3{3, 3, 3}, 0, 0)
	const rate = 0.1 // rad/s
	began := at
	for range 100 {
		at += step
		// The trunk accelerates so that the force stays on its vertical axis: the lean x follows dx/dt = rate - x/T.
		lean := rate * attitudeTime * (1 - math.Exp(-(at-began).Seconds()/attitudeTime))
		check("turns to the right", felt(0, 0), mgl64.Vec3{rate, 0, 0}, lean, 0)
	}
	at = 0
	check("restart", felt(0, 0.1), mgl64.Vec3{}, 0, 0.1)
	at += step
	check("falls freely", mgl64.Vec3{}, mgl64.Vec3{}, 0, 0.1)
	for k := range 50 {
		at += step
		lean := 0.1 + rate*float64(k+2)*step.Seconds()
		check("turns forward", felt(0, lean), mgl64.Vec3{0, rate, 0}, 0, lean)
	}
}
