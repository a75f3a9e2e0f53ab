package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for kicking.
const (
	aimError     = 0.02 // rad, heading error at which the robot kicks
	aimTurn      = 0.6  // rad/s, turn rate at which the robot kicks
	EasyPass     = 1.6  // m/s, speed of the ball at the receiver
	FirmPass     = 2.8  // m/s, the same for a receiver that expects the pass
	ShotSpeed    = 11.0 // m/s
	maxPass      = 7.0  // m/s
	KickTime     = 0.25 // s from the decision until the ball leaves, without turning
	meanTurnRate = 2.5  // rad/s, mean
	rollShare    = 5. / 7
)

// KickTo turns a robot that holds the ball towards a position while it drives with velocity vel, and kicks once it aims
// well. speed is that of the ball over the floor, m/s. The ball keeps the robot's velocity, so the robot aims beside
// the position.
func KickTo(w *world.World, at pitch.Vec, speed float64, way Kick, vel pitch.Vec) Command {
	want := pitch.Unit(at.Sub(w.Ball.Pos)).Mul(speed).Sub(w.Me.Vel)
	c := Command{Vel: vel, Omega: TurnTo(w, pitch.Angle(want)), Dribble: true}
	if math.Abs(pitch.Wrap(pitch.Angle(want)-w.Me.Heading)) < aimError && math.Abs(w.Me.Omega) < aimTurn {
		c.Kick, c.Speed = way, want.Len()
	}
	return c
}

// PassTo passes the ball to a teammate, so that it arrives at a position with a speed, m/s.
func PassTo(w *world.World, mate uint8, at pitch.Vec, arrival float64) Command {
	far := pitch.Distance(w.Ball.Pos, at)
	c := KickTo(w, at, PassSpeed(far, arrival), Flat, pitch.Vec{})
	c.Pass = Pass{To: mate, At: at, In: PassTime(far, arrival, far)}
	if c.Kick == NoKick {
		c.Pass.In += TimeToKick(w, at)
	}
	return c
}

// TimeToKick returns the time until the robot has kicked the ball towards a position, s.
func TimeToKick(w *world.World, at pitch.Vec) float64 {
	return KickTime + math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos))-w.Me.Heading))/meanTurnRate
}

// PassSpeed returns the kicking speed at which a ball arrives with a speed after a distance, m/s. The ball slides until
// it rolls, at 5/7 of its initial speed or slightly less.
func PassSpeed(far, arrival float64) float64 {
	return min(maxPass, math.Sqrt(arrival*arrival+2*world.RollingDecel*far)/rollShare)
}

// PassTime returns the time until a pass over far metres, which arrives with a speed, has covered the first metres
// along, s.
func PassTime(far, arrival, along float64) float64 {
	speed := PassSpeed(far, arrival) * rollShare
	return (speed - math.Sqrt(max(0, speed*speed-2*world.RollingDecel*along))) / world.RollingDecel
}

// FreeAngle returns the angle between the path of a ball and the nearest rival, seen from the ball, rad. Rivals behind
// the ball or beyond the end of the path do not count.
func FreeAngle(w *world.World, to pitch.Vec) float64 {
	free := math.Pi
	w.Rivals(func(o *world.Robot) { free = min(free, angleBeside(w.Ball.Pos, to, o)) })
	return free
}

// FreeAngleOfAll is FreeAngle for rivals and teammates.
func FreeAngleOfAll(w *world.World, to pitch.Vec) float64 {
	free := FreeAngle(w, to)
	w.Mates(func(o *world.Robot) { free = min(free, angleBeside(w.Ball.Pos, to, o)) })
	return free
}

func angleBeside(from, to pitch.Vec, o *world.Robot) float64 {
	far := pitch.Distance(from, o.Pos)
	if far > pitch.Distance(from, to) {
		return math.Pi
	}
	off := math.Abs(pitch.Wrap(pitch.Angle(o.Pos.Sub(from)) - pitch.Angle(to.Sub(from))))
	return off - math.Asin(min(1, (robotRadius+pitch.BallRadius)/max(far, 1e-6)))
}
