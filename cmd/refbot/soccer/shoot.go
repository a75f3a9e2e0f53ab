package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Aim returns the best point between the opponents' posts, and the free angle beside the shot, rad, which is negative
// if every shot is blocked. Of points with enough free angle it returns the one that needs the smallest turn.
func Aim(w *world.World) (at pitch.Vec, room float64) {
	goal := w.Pitch.TheirGoal()
	best := math.Inf(-1)
	for _, y := range aimPoints {
		p := pitch.Vec{goal[0], y}
		free := FreeAngleOfAll(w, p)
		turn := math.Abs(pitch.Wrap(pitch.Angle(p.Sub(w.Ball.Pos)) - w.Me.Heading))
		if worth := min(free, aimRoomEnough) - aimTurnCost*turn; worth > best {
			at, room, best = p, free, worth
		}
	}
	return at, room
}

// Guesses. aimRoomEnough is a free angle beyond which more has no value, rad. aimTurnCost is the free angle that a turn
// by one radian costs, rad.
const (
	aimRoomEnough = 0.2
	aimTurnCost   = 0.02
)

// aimPoints are the candidate points, m from the centre of the goal.
var aimPoints = [...]float64{-0.72, 0.72, -0.55, 0.55, -0.35, 0.35, 0}

// Shoot shoots the ball flat at a point of the goal while the robot drives with velocity vel.
func Shoot(w *world.World, at pitch.Vec, vel pitch.Vec) Command {
	return KickTo(w, at, ShotSpeed, Flat, vel)
}
