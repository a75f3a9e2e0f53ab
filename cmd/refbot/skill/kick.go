package skill

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses about kicks: how well the robot aims, how fast it may turn meanwhile, and how fast the ball is to come to a mate.
const (
	aimError   = 0.02 // rad
	aimTurn    = 0.6  // rad/s
	arrival    = 1.6  // m/s
	ShotSpeed  = 11.0 // m/s
	maxPass    = 7.0  // m/s
	slideShare = 5. / 7
)

// KickTo returns the command of a robot that holds the ball: it turns to a place, while it drives on with a velocity, and kicks the ball there with a
// speed over the floor once it aims well. The ball keeps the robot's velocity, for which it aims beside the place.
func KickTo(w *world.World, at pitch.Vec, speed float64, way Kick, vel pitch.Vec) Command {
	want := pitch.Unit(at.Sub(w.Ball.Pos)).Mul(speed).Sub(w.Me.Vel)
	c := Command{Vel: vel, Omega: TurnTo(w, pitch.Angle(want)), Dribble: true}
	if math.Abs(pitch.Wrap(pitch.Angle(want)-w.Me.Heading)) < aimError && math.Abs(w.Me.Omega) < aimTurn {
		c.Kick, c.Speed = way, want.Len()
	}
	return c
}

// Pass returns the command that passes the ball to a place where somebody waits.
func Pass(w *world.World, to pitch.Vec) Command {
	return KickTo(w, to, PassSpeed(pitch.Distance(w.Ball.Pos, to)), Flat, pitch.Vec{})
}

// PassSpeed is how fast a ball has to be kicked to come over a way at a speed that is easy to take, m/s. It slides at first, until it rolls, at
// 5/7 of its speed or some less.
func PassSpeed(far float64) float64 {
	return min(maxPass, math.Sqrt(arrival*arrival+2*0.4*far)/slideShare)
}

// Free tells how far the nearest rival is from the way of a ball, as an angle from where the ball is, rad: the larger, the safer. Who is behind
// does not count, nor who is beyond the way's end.
func Free(w *world.World, to pitch.Vec) float64 {
	free := math.Pi
	w.Rivals(func(o *world.Robot) { free = min(free, beside(w.Ball.Pos, to, o)) })
	return free
}

// FreeOfAll counts team-mates, too.
func FreeOfAll(w *world.World, to pitch.Vec) float64 {
	free := Free(w, to)
	w.Mates(func(o *world.Robot) { free = min(free, beside(w.Ball.Pos, to, o)) })
	return free
}

func beside(from, to pitch.Vec, o *world.Robot) float64 {
	far := pitch.Distance(from, o.Pos)
	if far > pitch.Distance(from, to) {
		return math.Pi
	}
	off := math.Abs(pitch.Wrap(pitch.Angle(o.Pos.Sub(from)) - pitch.Angle(to.Sub(from))))
	return off - math.Asin(min(1, (robotRadius+pitch.BallRadius)/max(far, 1e-6)))
}
