package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// sweepShare is the sweeper's position as a fraction of the distance from the goal to the ball. Guess.
const sweepShare = 0.45

// Sweep returns the command of a sweeper, which stays between the ball and the own goal.
func Sweep(w *world.World) Command { return waitAt(w, sweeperAt(w)) }

// sweeperAt returns a position between the ball and the own goal, outside of the penalty area.
func sweeperAt(w *world.World) pitch.Vec {
	goal := w.Pitch.OwnGoal()
	at := pitch.Toward(goal, w.Ball.Pos, max(pitch.PenaltyDepth+0.6, sweepShare*pitch.Distance(goal, w.Ball.Pos)))
	return w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.5), 0.4)
}
