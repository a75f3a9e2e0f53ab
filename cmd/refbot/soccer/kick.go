package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses about kicks: how well the robot aims, how fast it may turn meanwhile, and how fast the ball is to come to a
// mate.
const (
	aimError     = 0.02 // rad
	aimTurn      = 0.6  // rad/s
	EasyPass     = 1.6  // m/s
	FirmPass     = 2.8  // m/s: to one who has been told, and waits for it
	ShotSpeed    = 11.0 // m/s
	maxPass      = 7.0  // m/s
	KickTime     = 0.25 // s from the decision to the ball's start, beside the turn
	meanTurnRate = 2.5  // rad/s, on the whole
	rollShare    = 5. / 7
)

// KickTo returns the command of a robot that holds the ball: it turns to a place, while it drives on with a velocity,
// and kicks the ball there with a speed over the floor once it aims well. The ball keeps the robot's velocity, for
// which it aims beside the place.
func KickTo(w *world.World, at pitch.Vec, speed float64, way Kick, vel pitch.Vec) Command {
	want := pitch.Unit(at.Sub(w.Ball.Pos)).Mul(speed).Sub(w.Me.Vel)
	c := Command{Vel: vel, Omega: TurnTo(w, pitch.Angle(want)), Dribble: true}
	if math.Abs(pitch.Wrap(pitch.Angle(want)-w.Me.Heading)) < aimError && math.Abs(w.Me.Omega) < aimTurn {
		c.Kick, c.Speed = way, want.Len()
	}
	return c
}

// PassTo returns the command that passes the ball to a mate, which gets it at a place where it is to arrive with a
// speed.
func PassTo(w *world.World, mate uint8, at pitch.Vec, arrival float64) Command {
	far := pitch.Distance(w.Ball.Pos, at)
	c := KickTo(w, at, PassSpeed(far, arrival), Flat, pitch.Vec{})
	c.Pass = Pass{To: mate, At: at, In: PassTime(far, arrival, far)}
	if c.Kick == NoKick {
		c.Pass.In += TimeToKick(w, at)
	}
	return c
}

// TimeToKick is how long the robot takes until it has kicked the ball to a place, s.
func TimeToKick(w *world.World, at pitch.Vec) float64 {
	return KickTime + math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos))-w.Me.Heading))/meanTurnRate
}

// PassSpeed is how fast a ball has to be kicked to come over a way with a speed, m/s. It slides at first, until it
// rolls, at 5/7 of its speed or some less.
func PassSpeed(far, arrival float64) float64 {
	return min(maxPass, math.Sqrt(arrival*arrival+2*world.RollingDecel*far)/rollShare)
}

// PassTime is how long a ball that is passed so over a way takes for the first part of it, s.
func PassTime(far, arrival, along float64) float64 {
	speed := PassSpeed(far, arrival) * rollShare
	return (speed - math.Sqrt(max(0, speed*speed-2*world.RollingDecel*along))) / world.RollingDecel
}

// FreeAngle tells how far the nearest rival is from the way of a ball, as an angle from where the ball is, rad: the larger,
// the safer. Who is behind does not count, nor who is beyond the way's end.
func FreeAngle(w *world.World, to pitch.Vec) float64 {
	free := math.Pi
	w.Rivals(func(o *world.Robot) { free = min(free, angleBeside(w.Ball.Pos, to, o)) })
	return free
}

// FreeAngleOfAll counts team-mates, too.
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
