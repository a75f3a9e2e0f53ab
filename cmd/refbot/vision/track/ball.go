package track

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses of how the ball moves, and of when it has been kicked, or is another one.
const (
	ballAccel   = 1.0                    // m/s², between two images: friction, and robots that drive with it
	ballFastest = 6.0                    // m/s, of a ball of which nothing is known
	ballForget  = 500 * time.Millisecond // without any image of it nothing is known
	ballKicked  = 16.0                   // squared standard deviations off its way: its velocity is another
	ballSure    = 0.5                    // m/s, standard deviation of a velocity that is known
)

// Ball is the ball's track. The zero value has not seen it.
type Ball struct {
	filter
	known bool
	at    time.Duration // of the filter
	seen  time.Duration // the last image of it
	fresh bool          // there was one since Now was called
}

// See takes in where an image of a stamp shows the ball, with the variance along an axis, m². Images of two cameras may
// come in any order.
func (b *Ball) See(stamp time.Duration, at pitch.Vec, variance float64) {
	b.fresh = true
	if !b.known || stamp < b.at-ballForget || stamp > b.seen+ballForget {
		b.begin(at, variance, ballFastest)
		b.known, b.at, b.seen = true, stamp, stamp
		return
	}
	b.Predict(stamp)
	b.seen = b.at
	late := (b.at - stamp).Seconds()
	at = at.Add(b.vel.Mul(late))
	switch off := b.off(at, variance); {
	case late > 0 && (off > ballKicked || !b.moves()): // where it is since then is not known
	case off > ballKicked:
		b.begin(at, variance, ballFastest)
	default:
		b.correct(at, variance)
	}
}

// moves tells whether the velocity is known.
func (b *Ball) moves() bool { return math.Sqrt(b.vv) < ballSure }

// Predict moves the track on to a time that has not been yet.
func (b *Ball) Predict(to time.Duration) {
	if dt := (to - b.at).Seconds(); b.known && dt > 0 {
		b.predict(dt, ballAccel)
		b.at = to
	}
}

// Now returns where the ball is and how fast, at the time up to which it was predicted; whether an image has shown it
// since the last call, and whether its velocity is known.
func (b *Ball) Now() (pos, vel pitch.Vec, seen, moves bool) {
	seen, b.fresh = b.fresh, false
	return b.pos, b.vel, seen, seen && b.moves()
}
