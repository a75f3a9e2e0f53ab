package soccer

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses about goalkeeping: how far before its line the keeper stands, how near to a post, and which balls are shots.
const (
	keeperLine     = 0.45 // m
	keeperReach    = 0.78 // m from the goal's middle
	blockShotSpeed = 0.8  // m/s towards the goal
	blockShotTime  = 3.0  // s
)

// Block returns the command of a goalkeeper: it stands between the ball and the middle of its goal, and goes to where a
// shot will pass.
func Block(w *world.World) Command {
	goal := w.Pitch.OwnGoal()
	line := goal[0] + keeperLine
	y, in, shot := crossing(w, line)
	if !shot {
		off := w.Ball.Pos.Sub(goal)
		// nearer to the post on the ball's side, where the way is shorter
		y = off[1] * keeperLine / max(keeperLine, off[0]) * 1.6
	}
	at := pitch.Vec{line, mgl64.Clamp(y, -keeperReach, keeperReach)}
	c := GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, w.Ball.Pos)})
	if off := at[1] - w.Me.Pos[1]; shot && math.Abs(off) > math.Abs(c.Vel[1])*in { // too far to stop there in time
		c.Vel[1] = mgl64.Clamp(off/max(in, framePeriod), -maxSpeed, maxSpeed)
	}
	c.Dribble = true
	return c
}

// crossing returns where a ball that is shot at the goal crosses a line before it, and in how many seconds.
func crossing(w *world.World, line float64) (y, in float64, shot bool) {
	b := &w.Ball
	if b.Vel[0] > -blockShotSpeed || b.Pos[0] < line {
		return 0, 0, false
	}
	in = (b.Pos[0] - line) / -b.Vel[0]
	y = b.Pos[1] + b.Vel[1]*in
	return y, in, in < blockShotTime && math.Abs(y) < pitch.GoalWidth/2+0.5
}
