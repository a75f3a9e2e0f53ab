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

// Update takes the velocities of a step of dt seconds and tells whether the robot is stuck at its end.
func (t *StuckTimer) Update(wanted, moving PlanarTwist, dt float64) bool {
	if math.Hypot(wanted.VX, wanted.VY) <= stuckWanted || math.Hypot(moving.VX, moving.VY) >= stuckMoving {
		t.seconds = 0
		return false
	}
	t.seconds += dt
	return t.seconds > stuckAfter
}
