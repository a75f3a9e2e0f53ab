package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// carrySpeed is how fast a robot carries the ball, m/s; carryTurn is how far it has to look to where it goes before it
// drives there, rad; carryRoom is what a robot with the ball before it needs more to pass others, m. Guesses.
const (
	carrySpeed = 2.0
	carryTurn  = 0.7
	carryRoom  = 0.25
)

// Carry returns the command with which a robot that holds the ball takes it to a place, ball first, around others.
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
