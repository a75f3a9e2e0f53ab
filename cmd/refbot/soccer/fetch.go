package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses about how the ball is taken: how much nearer to it the robot drives than it holds it, from where on it looks
// at the ball and goes with it, and how far ahead it looks.
const (
	fetchOverlap     = 0.05 // m
	fetchNear        = 1.2  // m
	interceptHorizon = 4.0  // s
)

// Fetch returns the command with which the robot goes to where it can meet the ball, and takes it: one that rolls past,
// too.
func Fetch(w *world.World) Command {
	if !w.Pitch.Inside(w.Ball.Pos, -0.25) { // out there the game is over
		return Stop(w, Facing(w, w.Ball.Pos))
	}
	at, _ := Intercept(w, w.Me.Pos)
	at = w.Pitch.Clamp(at, -0.1)
	ahead := pitch.Unit(at.Sub(w.Me.Pos))
	g := DriveGoal{Pos: at.Sub(ahead.Mul(world.HoldDistance - fetchOverlap)), Heading: pitch.Angle(ahead)}
	if off := w.Ball.Pos.Sub(w.Me.Pos); off.Len() < fetchNear {
		ahead = pitch.Unit(off)
		g.Heading = pitch.Angle(ahead)
		g.Vel = ahead.Mul(max(0, w.Ball.Vel.Dot(ahead))) // one that rolls away is followed
	}
	c := GoTo(w, g)
	c.Dribble = true
	return c
}

// Intercept returns where a robot at a place can be as soon as the ball, and in how many seconds.
func Intercept(w *world.World, from pitch.Vec) (at pitch.Vec, in float64) {
	for in = 0; in < interceptHorizon; in += 0.1 {
		at = w.BallAt(in)
		if DriveTime(pitch.Distance(from, at)-world.HoldDistance) <= in {
			return at, in
		}
	}
	return at, DriveTime(pitch.Distance(from, at) - world.HoldDistance)
}

// DriveTime is how long a robot takes for a way from rest to rest, s.
func DriveTime(far float64) float64 {
	switch ramps := maxSpeed * maxSpeed / accel; {
	case far <= 0:
		return 0
	case far > ramps:
		return far/maxSpeed + maxSpeed/accel
	}
	return 2 * math.Sqrt(far/accel)
}
