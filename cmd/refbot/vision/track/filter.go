package track

import "github.com/omnipitch/omnipitch/cmd/refbot/pitch"

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
