package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// markDistance is how far from an opponent the marker stands, on the way to the ball, m. Guess: nobody is pushed.
const markDistance = 1.0

// Mark keeps the ball from an opponent.
func Mark(w *world.World) Command { return waitAt(w, markerAt(w)) }

// markerAt is between the ball and the opponent that is most dangerous without it: the one nearest to the own goal.
// Without one it is on the side of the goal that the sweeper leaves.
func markerAt(w *world.World) pitch.Vec {
	goal := w.Pitch.OwnGoal()
	at := pitch.Toward(goal, w.Ball.Pos, 4.5).Add(pitch.Vec{0, -math.Copysign(1.5, w.Ball.Pos[1])})
	least := math.Inf(1)
	w.Rivals(func(o *world.Robot) {
		far := pitch.Distance(o.Pos, goal)
		if far < least && far > 2 && pitch.Distance(o.Pos, w.Ball.Pos) > 1.5 && o.Pos[0] < 3 {
			at, least = pitch.Toward(o.Pos, w.Ball.Pos, markDistance), far
		}
	})
	return w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.5), 0.4)
}
