package physics

import "math"

// A robot is stuck when it wants to go faster than stuckWanted and yet moves slower than stuckMoving, in m/s, for
// stuckAfter seconds. Guesses: clearly a wish, clearly no motion, and longer than any start takes.
const (
	stuckWanted = 0.2
	stuckMoving = 0.05
	stuckAfter  = 0.5
)

// StuckTimer finds out whether a robot is stuck. The zero value is ready.
type StuckTimer struct{ seconds float64 }

// Update takes the wanted velocity and the real speed, m/s, of a step of dt seconds and tells whether the robot is stuck
// at its end.
func (t *StuckTimer) Update(wanted PlanarTwist, speed, dt float64) bool {
	if speed >= stuckMoving || math.Hypot(wanted.VX, wanted.VY) <= stuckWanted {
		t.seconds = 0
		return false
	}
	t.seconds += dt
	return t.seconds > stuckAfter
}
