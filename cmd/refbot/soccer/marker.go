package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// markDistance is the distance of a marker from its opponent, towards the ball, in m. 1.0 is a guess: at this distance
// the marker does not push the opponent.
const markDistance = 1.0

// Mark returns the command of a marker, which stays between an opponent and the ball.
func Mark(w *world.World) Command { return waitAt(w, markerAt(w)) }

// markerAt returns a position between the ball and the most dangerous opponent. That is, of the opponents that do not
// have the ball, the opponent closest to the own goal. If there is no such opponent, markerAt returns a position on the
// side of the goal that the sweeper leaves free.
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
