package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for carrying the ball. carrySpeed is the maximum speed, in m/s. carryTurn is the heading error above which
// the robot slows down, in rad. carryRoom is the additional clearance from other robots, in m.
const (
	carrySpeed = 2.0
	carryTurn  = 0.7
	carryRoom  = 0.25
)

// Carry drives a robot that holds the ball to a place. The robot faces where it drives, and drives around other robots.
func Carry(w *world.World, to pitch.Vec) Command {
	g := DriveGoal{Pos: to, Room: carryRoom, Speed: carrySpeed}
	c := GoTo(w, g)
	heading := Facing(w, to)
	if c.Vel.Len() > 0.2 {
		heading = pitch.Angle(c.Vel)
	}
	if off := math.Abs(pitch.Wrap(heading - w.Me.Heading)); off > carryTurn {
		c.Vel = c.Vel.Mul(0.3)
	}
	c.Omega = TurnTo(w, heading)
	c.Dribble = true
	return c
}
