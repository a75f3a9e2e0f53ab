package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// keepAway has robots take the places of their roles, but as far from the ball as the rules ask for. The goalkeeper may
// stay in its goal.
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
