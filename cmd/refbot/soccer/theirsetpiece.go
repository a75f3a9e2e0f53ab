package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// keepAway drives robots to the places of their roles, at a distance from the ball. The goalkeeper may stay in its
// goal.
func keepAway(w *world.World, r Role, room float64) Command {
	if r == Goalkeeper {
		return Block(w)
	}
	if w.Game.SetPiece == world.Penalty {
		return standAt(w, besidePenalty(w, ballSpot(w)), room)
	}
	c := standAt(w, setPieceWaitingPlace(w, r, room), room)
	c.Dribble = false
	return c
}
