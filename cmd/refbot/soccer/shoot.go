package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Aim returns the point between the opponents' posts that is best to shoot at, and the room beside the way there as an
// angle from the ball, rad: less than 0 where somebody stands in every way. Of points with room enough it is the one
// that the robot has to turn least for.
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

// Guesses: more room than this, rad, is not worth more; and how much room a turn by a radian is worth.
const (
	aimRoomEnough = 0.2
	aimTurnCost   = 0.02
)

// aimPoints are where it is looked for room, m from the goal's middle.
var aimPoints = [...]float64{-0.72, 0.72, -0.55, 0.55, -0.35, 0.35, 0}

// Shoot returns the command that shoots the ball at a point of the goal, flat, while the robot drives on.
func Shoot(w *world.World, at pitch.Vec, vel pitch.Vec) Command {
	return KickTo(w, at, ShotSpeed, Flat, vel)
}
