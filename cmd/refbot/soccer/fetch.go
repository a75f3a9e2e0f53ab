package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for taking the ball.
const (
	fetchOverlap     = 0.05 // m, by how much the robot drives closer to the ball than HoldDistance
	fetchNear        = 1.2  // m, distance from the ball within which the robot faces and follows it
	interceptHorizon = 4.0  // s, latest time at which the robot intercepts the ball
)

// Fetch drives the robot to where it can intercept the ball, and turns on the dribbler, which takes the ball.
func Fetch(w *world.World) Command {
	if !w.Pitch.Inside(w.Ball.Pos, -0.25) { // the ball is out of play
		return Stop(w, Facing(w, w.Ball.Pos))
	}
	at, _ := Intercept(w, w.Me.Pos)
	at = w.Pitch.Clamp(at, -0.1)
	ahead := pitch.Unit(at.Sub(w.Me.Pos))
	g := DriveGoal{Pos: at.Sub(ahead.Mul(world.HoldDistance - fetchOverlap)), Heading: pitch.Angle(ahead)}
	if off := w.Ball.Pos.Sub(w.Me.Pos); off.Len() < fetchNear {
		ahead = pitch.Unit(off)
		g.Heading = pitch.Angle(ahead)
		g.Vel = ahead.Mul(max(0, w.Ball.Vel.Dot(ahead))) // follow a ball that rolls away
	}
	c := GoTo(w, g)
	c.Dribble = true
	return c
}

// Intercept returns the first position on the ball's path that a robot at the position from reaches no later than the
// ball. It also returns the time until the ball is there, in s.
func Intercept(w *world.World, from pitch.Vec) (at pitch.Vec, in float64) {
	for in = 0; in < interceptHorizon; in += 0.1 {
		at = w.BallAt(in)
		if DriveTime(pitch.Distance(from, at)-world.HoldDistance) <= in {
			return at, in
		}
	}
	return at, DriveTime(pitch.Distance(from, at) - world.HoldDistance)
}

// DriveTime returns the time in which a robot drives the distance far, in s. The robot stands at the start and at the
// end.
func DriveTime(far float64) float64 {
	switch ramps := maxSpeed * maxSpeed / accel; {
	case far <= 0:
		return 0
	case far > ramps:
		return far/maxSpeed + maxSpeed/accel
	}
	return 2 * math.Sqrt(far/accel)
}
