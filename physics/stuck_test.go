package physics

import "testing"

func TestStuckTimer(t *testing.T) {
	slow, fast := 0.04, PlanarTwist{VX: 1}
	var timer StuckTimer
	for step := 1; step <= 12; step++ {
		if got, want := timer.Update(fast, slow, 0.05), step > 10; got != want {
			t.Errorf("after %d steps of 50 ms: %v, want %v", step, got, want)
		}
	}
	if timer.Update(fast, 1, 0.05) || timer.Update(fast, slow, 0.05) {
		t.Error("motion does not reset the timer")
	}
	if timer.Update(PlanarTwist{Omega: 3}, slow, 10) {
		t.Error("a robot that wants to stay counts as stuck")
	}
}
