package assess

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// TestHistory checks interpolation between two states. For even acceleration and even turning it must be exact. A body
// that was placed elsewhere has no motion before that.
func TestHistory(t *testing.T) {
	const step = 20 * time.Millisecond
	pos := func(s float64) mgl64.Vec3 { return mgl64.Vec3{1 + 2*s + 3*s*s, -s, 0} }
	state := func(s float64) *physics.Snapshot {
		now := &physics.Snapshot{Time: time.Duration(math.Round(s * 1e9)), Robots: make([]physics.RobotState, 1)}
		r := &now.Robots[0]
		r.PoseWB = spatial.Pose{Pos: pos(s), Rot: spatial.RotZ(3 * s)}
		r.TwistWBInW = spatial.Twist{Lin: mgl64.Vec3{2 + 6*s, -1, 0}, Ang: mgl64.Vec3{0, 0, 3}}
		now.Ball.PosW = mgl64.Vec3{0, 1, 0.11}
		if s > 1 {
			now.Ball.PosW = mgl64.Vec3{5, 1, 0.11}
		}
		return now
	}
	h := newHistory(step)
	var got physics.Snapshot
	if h.at(0, &got) {
		t.Error("a state without any")
	}
	for i := range 200 { // 4 s, of which the history keeps the last 2.5 s
		h.add(state(float64(i) * step.Seconds()))
	}
	for _, s := range []float64{1.6, 2.0031, 2.01, 3.98} {
		if !h.at(time.Duration(math.Round(s*1e9)), &got) {
			t.Fatalf("no state of %v s", s)
		}
		p := got.Robots[0].PoseWB
		if off := p.Pos.Sub(pos(s)).Len(); !(off < 1e-9) ||
			!(math.Abs(math.Remainder(p.Heading()-3*s, 2*math.Pi)) < 1e-5) {
			t.Errorf("%v s: off by %v m, heading %v, want %v", s, off, p.Heading(), 3*s)
		}
	}
	for _, s := range []float64{0.5, 3.99, -1} {
		if h.at(time.Duration(math.Round(s*1e9)), &got) {
			t.Errorf("a state of %v s", s)
		}
	}
	h.clear()
	for i := range 60 {
		h.add(state(float64(i) * step.Seconds()))
	}
	if !h.at(1010*time.Millisecond, &got) || got.Ball.PosW[0] != 0 {
		t.Errorf("half a step before it was placed the ball was at %v", got.Ball.PosW)
	}
}
