package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// keepAway drives the robot to the place of its role, but keeps the distance room from the ball, in m. The goalkeeper
// may stay in its goal even if the ball is closer.
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
