package track

import "github.com/omnipitch/omnipitch/cmd/refbot/pitch"

// filter is a Kalman filter of what moves with a velocity that changes at random. Both axes have the same variances.
type filter struct {
	pos, vel   pitch.Vec
	pp, pv, vv float64 // covariance of place and velocity along an axis: m², m²/s, m²/s²
}

// begin believes a place, m, with its variance along an axis, m², and nothing of the velocity but how fast the thing
// may be, m/s.
func (f *filter) begin(at pitch.Vec, variance, fastest float64) {
	*f = filter{pos: at, pp: variance, vv: fastest * fastest}
}

// predict moves on by dt seconds, in which the velocity changes by an acceleration, m/s², of which that is the standard
// deviation along an axis.
func (f *filter) predict(dt, accel float64) {
	f.pos = f.pos.Add(f.vel.Mul(dt))
	q := accel * accel * dt * dt
	f.pp += dt*(2*f.pv+dt*f.vv) + q*dt*dt/4
	f.pv += dt*f.vv + q*dt/2
	f.vv += q
}

// off is by how many standard deviations a measured place differs from the one that is expected.
func (f *filter) off(at pitch.Vec, variance float64) float64 {
	e := at.Sub(f.pos)
	return e.Dot(e) / (f.pp + variance)
}

// correct takes a measured place in.
func (f *filter) correct(at pitch.Vec, variance float64) {
	e, s := at.Sub(f.pos), f.pp+variance
	k, g := f.pp/s, f.pv/s
	f.pos, f.vel = f.pos.Add(e.Mul(k)), f.vel.Add(e.Mul(g))
	f.vv -= g * f.pv
	f.pv *= 1 - k
	f.pp *= 1 - k
}
