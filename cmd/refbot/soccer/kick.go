package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for kicking.
const (
	aimError     = 0.02 // rad, heading error below which the robot kicks
	aimTurn      = 0.6  // rad/s, turn rate below which the robot kicks
	EasyPass     = 1.6  // m/s, speed of the ball at the receiver
	FirmPass     = 2.8  // m/s, speed of the ball at a receiver that expects the pass
	ShotSpeed    = 11.0 // m/s
	maxPass      = 7.0  // m/s
	KickTime     = 0.25 // s from the decision to kick until the ball leaves, if the robot need not turn
	meanTurnRate = 2.5  // rad/s, mean turn rate while the robot turns to aim
	rollShare    = 5. / 7
)

// KickTo turns a robot that holds the ball until the ball will go to a position, and then kicks. Meanwhile the robot
// drives with the velocity vel. speed is the ball's speed over the floor after the kick, in m/s. The kick adds to the
// robot's own velocity, so a robot that moves does not aim straight at the position.
func KickTo(w *world.World, at pitch.Vec, speed float64, way Kick, vel pitch.Vec) Command {
	want := pitch.Unit(at.Sub(w.Ball.Pos)).Mul(speed).Sub(w.Me.Vel)
	c := Command{Vel: vel, Omega: TurnTo(w, pitch.Angle(want)), Dribble: true}
	if math.Abs(pitch.Wrap(pitch.Angle(want)-w.Me.Heading)) < aimError && math.Abs(w.Me.Omega) < aimTurn {
		c.Kick, c.Speed = way, want.Len()
	}
	return c
}

// PassTo passes the ball to a teammate. The ball arrives at the position at with the speed arrival, in m/s.
func PassTo(w *world.World, mate uint8, at pitch.Vec, arrival float64) Command {
	far := pitch.Distance(w.Ball.Pos, at)
	c := KickTo(w, at, PassSpeed(far, arrival), Flat, pitch.Vec{})
	c.Pass = Pass{To: mate, At: at, In: PassTime(far, arrival, far)}
	if c.Kick == NoKick {
		c.Pass.In += TimeToKick(w, at)
	}
	return c
}

// TimeToKick returns the time that the robot needs to turn towards a position and kick the ball there, in s.
func TimeToKick(w *world.World, at pitch.Vec) float64 {
	return KickTime + math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos))-w.Me.Heading))/meanTurnRate
}

// PassSpeed returns the speed with which to kick a ball so that it has the speed arrival after the distance far, in
// m/s. A kicked ball first slides. When it begins to roll, it has 5/7 of its initial speed or slightly less.
func PassSpeed(far, arrival float64) float64 {
	return min(maxPass, math.Sqrt(arrival*arrival+2*world.RollingDecel*far)/rollShare)
}

// PassTime returns the time in which a pass covers the distance along from its start, in s. The pass goes over the
// distance far and arrives there with the speed arrival.
func PassTime(far, arrival, along float64) float64 {
	speed := PassSpeed(far, arrival) * rollShare
	return (speed - math.Sqrt(max(0, speed*speed-2*world.RollingDecel*along))) / world.RollingDecel
}

// FreeAngle returns the angle between the path of a ball to a position and the rival closest to the path, as seen from
// the ball, in rad. Rivals behind the ball or beyond the end of the path do not count.
func FreeAngle(w *world.World, to pitch.Vec) float64 {
	free := math.Pi
	w.Rivals(func(o *world.Robot) { free = min(free, angleBeside(w.Ball.Pos, to, o)) })
	return free
}

// FreeAngleOfAll returns the same angle as FreeAngle, but considers teammates as well as rivals.
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
