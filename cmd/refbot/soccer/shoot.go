package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Aim returns the best point between the opponents' posts at which to shoot. It also returns room, the free angle
// beside the path of that shot, in rad, which is negative if every shot is blocked. If several points have enough free
// angle, Aim returns the point for which the robot has to turn least.
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

// Guesses. aimRoomEnough is the free angle that is enough for a shot, in rad; a larger angle has no additional value.
// aimTurnCost is how much free angle a turn by one radian is worth, in rad.
const (
	aimRoomEnough = 0.2
	aimTurnCost   = 0.02
)

// aimPoints are the points between the posts that Aim considers, as y coordinates from the centre of the goal, in m.
var aimPoints = [...]float64{-0.72, 0.72, -0.55, 0.55, -0.35, 0.35, 0}

// Shoot shoots the ball flat at a point of the goal. Until the robot has kicked the ball, it drives with the velocity
// vel.
func Shoot(w *world.World, at pitch.Vec, vel pitch.Vec) Command {
	return KickTo(w, at, ShotSpeed, Flat, vel)
}
