package track

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses about the motion and the detection of robots.
const (
	bodyAccel   = 3.0                    // m/s², standard deviation of the acceleration between two images
	bodyFastest = 2.0                    // m/s, standard deviation of the velocity of a new track
	bodyError   = 0.06                   // m, standard deviation of a detected position along an axis
	bodyJump    = 0.5                    // m, largest distance of a detection from the predicted position
	bodyForget  = 300 * time.Millisecond // a track without detections for this time is dropped
	believed    = 3                      // number of detections after which a track is reported
)

// Body is a robot or an obstacle on the field.
type Body struct {
	Pos, Vel pitch.Vec // m, m/s
	Radius   float64   // m
}

// body is a track.
type body struct {
	filter
	radius float64
	images int
	seen   time.Duration
}

// Obstacles are the tracks of obstacles. The zero value has none.
type Obstacles struct {
	tracks []body
	found  []Body
	at     time.Duration
	free   []bool // for each detection, whether it belongs to no track yet
}

// See processes the detections in an image. It ignores the velocities in seen. It returns the confirmed tracks to which
// a detection in this image belongs. The result is valid until the next call.
func (o *Obstacles) See(stamp time.Duration, seen []Body) []Body {
	if stamp < o.at { // time has restarted
		o.tracks = o.tracks[:0]
	}
	dt := (stamp - o.at).Seconds()
	o.at = stamp
	o.free = o.free[:0]
	for range seen {
		o.free = append(o.free, true)
	}
	for i := range o.tracks {
		o.tracks[i].predict(dt, bodyAccel)
	}
	o.match(seen)
	o.tracks = slices.DeleteFunc(o.tracks, func(b body) bool {
		return b.seen < stamp && b.images < believed || stamp-b.seen > bodyForget
	})
	for i := range seen {
		if o.free[i] {
			b := body{radius: seen[i].Radius, images: 1, seen: stamp}
			b.start(seen[i].Pos, bodyError*bodyError, bodyFastest)
			o.tracks = append(o.tracks, b)
		}
	}
	o.found = o.found[:0]
	for i := range o.tracks {
		if b := &o.tracks[i]; b.images >= believed && b.seen == stamp {
			o.found = append(o.found, Body{b.pos, b.vel, b.radius})
		}
	}
	return o.found
}

// match assigns detections to tracks. It repeatedly takes the detection and the track that are closest to each other.
func (o *Obstacles) match(seen []Body) {
	for {
		track, shown, least := -1, -1, bodyJump
		for i := range o.tracks {
			for j := range seen {
				if d := pitch.Distance(o.tracks[i].pos, seen[j].Pos); o.free[j] && o.tracks[i].seen < o.at &&
					d < least {
					track, shown, least = i, j, d
				}
			}
		}
		if track < 0 {
			return
		}
		b := &o.tracks[track]
		b.correct(seen[shown].Pos, bodyError*bodyError)
		b.radius, b.seen, b.images = seen[shown].Radius, o.at, b.images+1
		o.free[shown] = false
	}
}

// Guesses about the ball's motion.
const (
	// m/s², standard deviation of the acceleration: friction, and robots that push the ball
	ballAccel   = 1.0
	ballFastest = 6.0                    // m/s, standard deviation of the velocity of a new track
	ballForget  = 500 * time.Millisecond // a track without observations for this time is dropped
	// ballKicked is a squared distance between an observation and the prediction, in variances. If the distance is
	// larger, somebody has kicked the ball, or the observation shows a different ball.
	ballKicked = 16.0
	ballSure   = 0.5 // m/s, standard deviation of the velocity below which the velocity counts as known
)

// Ball is the ball's track. The zero value has not seen the ball.
type Ball struct {
	filter
	known bool
	at    time.Duration // of the filter
	seen  time.Duration // stamp of the last image that showed the ball
	fresh bool          // whether an image has shown the ball since the last call of Now
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

// Predict advances the track to a time.
func (b *Ball) Predict(to time.Duration) {
	if dt := (to - b.at).Seconds(); b.known && dt > 0 {
		b.predict(dt, ballAccel)
		b.at = to
	}
}

// Now returns the ball's position and velocity at the time of the last prediction. seen reports whether an image has
// shown the ball since the last call of Now. moves reports whether the ball's velocity is known.
func (b *Ball) Now() (pos, vel pitch.Vec, seen, moves bool) {
	seen, b.fresh = b.fresh, false
	return b.pos, b.vel, seen, seen && b.moves()
}

// filter is a Kalman filter of a position whose velocity changes at random. Both axes have the same variances.
type filter struct {
	pos, vel   pitch.Vec
	pp, pv, vv float64 // covariance of position and velocity along an axis: m², m²/s, m²/s²
}

// start initialises the filter with a position, in m, and the variance of the position along each axis, in m². The
// velocity is unknown, so it starts at 0 with the standard deviation fastest, in m/s.
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
