package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// sweepShare is where on the way from its goal to the ball the sweeper stands. Guess.
const sweepShare = 0.45

// Sweep covers the own goal.
func Sweep(w *world.World) Command { return waitAt(w, sweeperAt(w)) }

// sweeperAt is between the ball and the own goal, outside of the penalty area.
func sweeperAt(w *world.World) pitch.Vec {
	goal := w.Pitch.OwnGoal()
	at := pitch.Toward(goal, w.Ball.Pos, max(pitch.PenaltyDepth+0.6, sweepShare*pitch.Distance(goal, w.Ball.Pos)))
	return w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.5), 0.4)
}
