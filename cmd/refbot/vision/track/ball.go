package track

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses about the ball's motion.
const (
	// m/s², standard deviation of the acceleration: friction, and robots that push the ball
	ballAccel   = 1.0
	ballFastest = 6.0                    // m/s, standard deviation of the velocity of a new track
	ballForget  = 500 * time.Millisecond // a track without observations for this time is dropped
	// ballKicked is a squared distance from the prediction, in variances. Beyond it, somebody has kicked the ball, or
	// the observation shows a different ball.
	ballKicked = 16.0
	ballSure   = 0.5 // m/s, standard deviation below which the velocity is known
)

// Ball is the ball's track. The zero value has not seen the ball.
type Ball struct {
	filter
	known bool
	at    time.Duration // of the filter
	seen  time.Duration // stamp of the last image that showed the ball
	fresh bool          // an image has shown the ball since the last call of Now
}

// See adds an observation of the ball in an image. variance is the variance of the observed position along each axis,
// in m². Images of two cameras may arrive in any order.
func (b *Ball) See(stamp time.Duration, at pitch.Vec, variance float64) {
	b.fresh = true
	if !b.known || stamp < b.at-ballForget || stamp > b.seen+ballForget {
		b.start(at, variance, ballFastest)
		b.known, b.at, b.seen = true, stamp, stamp
		return
	}
	b.Predict(stamp)
	b.seen = b.at
	late := (b.at - stamp).Seconds()
	at = at.Add(b.vel.Mul(late))
	switch off := b.distance(at, variance); {
	case late > 0 && (off > ballKicked || !b.moves()): // its present position is unknown
	case off > ballKicked:
		b.start(at, variance, ballFastest)
	default:
		b.correct(at, variance)
	}
}

// moves reports whether the ball's velocity is known.
func (b *Ball) moves() bool { return math.Sqrt(b.vv) < ballSure }

// Predict moves the track forward to a time.
func (b *Ball) Predict(to time.Duration) {
	if dt := (to - b.at).Seconds(); b.known && dt > 0 {
		b.predict(dt, ballAccel)
		b.at = to
	}
}

// Now returns the ball's position and velocity at the time of the last prediction. seen says whether an image has shown
// the ball since the last call of Now. moves says whether the ball's velocity is known.
func (b *Ball) Now() (pos, vel pitch.Vec, seen, moves bool) {
	seen, b.fresh = b.fresh, false
	return b.pos, b.vel, seen, seen && b.moves()
}

// filter is a Kalman filter of a position whose velocity changes at random. Both axes have the same variances.
type filter struct {
	pos, vel   pitch.Vec
	pp, pv, vv float64 // covariance of position and velocity along an axis: m², m²/s, m²/s²
}

// start starts the filter at a position, in m, whose variance along each axis is given in m². The velocity starts at 0
// with the standard deviation fastest, in m/s, because it is unknown.
func (f *filter) start(at pitch.Vec, variance, fastest float64) {
	*f = filter{pos: at, pp: variance, vv: fastest * fastest}
}

// predict moves the state of the filter by dt seconds. accel is the standard deviation of the acceleration along each
// axis, in m/s².
func (f *filter) predict(dt, accel float64) {
	f.pos = f.pos.Add(f.vel.Mul(dt))
	q := accel * accel * dt * dt
	f.pp += dt*(2*f.pv+dt*f.vv) + q*dt*dt/4
	f.pv += dt*f.vv + q*dt/2
	f.vv += q
}

// distance returns the squared distance between a measured and the predicted position, divided by the variance of this
// difference.
func (f *filter) distance(at pitch.Vec, variance float64) float64 {
	e := at.Sub(f.pos)
	return e.Dot(e) / (f.pp + variance)
}

// correct corrects the state by a measured position with a variance, in m².
func (f *filter) correct(at pitch.Vec, variance float64) {
	e, s := at.Sub(f.pos), f.pp+variance
	k, g := f.pp/s, f.pv/s
	f.pos, f.vel = f.pos.Add(e.Mul(k)), f.vel.Add(e.Mul(g))
	f.vv -= g * f.pv
	f.pv *= 1 - k
	f.pp *= 1 - k
}
