package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for carrying the ball: carrySpeed is in m/s; with a heading error above carryTurn, rad, the robot slows down;
// carryRoom is the additional clearance from others, m.
const (
	carrySpeed = 2.0
	carryTurn  = 0.7
	carryRoom  = 0.25
)

// Carry drives a robot that holds the ball to a place, ball first, around others.
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
