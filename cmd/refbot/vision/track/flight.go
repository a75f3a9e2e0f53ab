package track

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

const radius = pitch.BallRadius

// Flight is the path of a ball in the air: its position and velocity at a time.
type Flight struct {
	Stamp    time.Duration // of the newest sighting
	Pos, Vel mgl64.Vec3    // m, m/s
	Images   int           // number of images with at least one inlier; images with the same stamp count once

	posPos, posVel, velVel mgl64.Mat3 // covariance
	span                   float64    // time from the first to the last inlier, s
	highest                float64    // highest inlier, m
	chi2                   float64    // robust, of all sightings
	misfit                 float64    // χ² of the inliers per degree of freedom
}

// acceleration returns the acceleration by gravity and drag of a ball with the velocity v, multiplied by share. share
// is 1 for a ball in the air, and 0 for a straight path.
func acceleration(v mgl64.Vec3, share float64) mgl64.Vec3 {
	a := v.Mul(-share * pitch.AirDrag * v.Len())
	a[2] -= share * pitch.Gravity
	return a
}

// integrationStep is the largest time step of the integration, in s. With it, the third-order error of a step is below
// a tenth of a millimetre.
const integrationStep = 0.02

// integrate returns the position and velocity after t seconds, computed by the midpoint method. t may be negative.
// share is passed to acceleration.
func integrate(pos, vel mgl64.Vec3, t, share float64) (mgl64.Vec3, mgl64.Vec3) {
	n := math.Ceil(math.Abs(t) / integrationStep)
	h := t / max(n, 1)
	for range int(n) {
		middle := vel.Add(acceleration(vel, share).Mul(h / 2))
		pos, vel = pos.Add(middle.Mul(h)), vel.Add(acceleration(middle, share).Mul(h))
	}
	return pos, vel
}

// fitSteps is the number of iterations of a fit. Each iteration changes the path at most a tenth as much as the
// preceding iteration.
const fitSteps = 6

// looseSigmas is the largest error of an inlier, in standard deviations. The weight of a sighting with a larger error
// falls with the fourth power of the error.
const looseSigmas = 4

// byVelocity returns the derivative of the position after t seconds with respect to the initial velocity v. It is t −
// ½t²·k·(|v| + v·vᵀ/|v|), to the first order of drag.
func byVelocity(v mgl64.Vec3, t, share float64) mgl64.Mat3 {
	speed := v.Len()
	return mgl64.Ident3().Mul(t - t*t/2*share*pitch.AirDrag*speed).Sub(v.OuterProd3(v).Mul(t * t / 2 * share *
		pitch.AirDrag / max(speed, 1e-9)))
}

// fitFlight returns the most likely path for the sightings, which are ordered oldest first. The fit starts from the
// path guess, which must be close to the result. share is passed to acceleration.
func fitFlight(seen []BallSighting, guess Flight, share float64) (f Flight, ok bool) {
	if len(seen) == 0 {
		return f, false
	}
	f.Stamp = seen[len(seen)-1].Stamp
	f.Pos, f.Vel = integrate(guess.Pos, guess.Vel, (f.Stamp - guess.Stamp).Seconds(), share)
	for range fitSteps {
		// The normal equations of position and velocity have 3 × 3 blocks: [a b; bᵀ c].
		var a, b, c mgl64.Mat3
		var gp, gv mgl64.Vec3
		first, last := time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
		f.chi2, f.Images, f.highest = 0, 0, 0
		agree, good := 0.0, 0.0
		pos, vel, at := f.Pos, f.Vel, f.Stamp
		for i := len(seen) - 1; i >= 0; i-- {
			s := &seen[i]
			pos, vel = integrate(pos, vel, (s.Stamp - at).Seconds(), share)
			at = s.Stamp
			e := s.Pos.Sub(pos)
			w := s.info.Mul3x1(e)
			d2 := e.Dot(w)
			const l2 = looseSigmas * looseSigmas
			q := 1.0
			if d2 < l2 {
				if s.Stamp != first {
					f.Images++
				}
				agree, good = agree+1, good+d2
				f.chi2 += d2
				first, last = min(first, s.Stamp), max(last, s.Stamp)
				f.highest = max(f.highest, s.Pos[2])
			} else {
				q = l2 / d2
				q *= q
				f.chi2 += 2*l2 - l2*l2/d2 // its derivative is q
			}
			j := byVelocity(f.Vel, (s.Stamp - f.Stamp).Seconds(), share) // symmetric
			info := s.info.Mul(q)
			infoJ := info.Mul3(j)
			a, b, c = a.Add(info), b.Add(infoJ), c.Add(j.Mul3(infoJ))
			w = w.Mul(q)
			gp, gv = gp.Add(w), gv.Add(j.Mul3x1(w))
		}
		if !(a.Det() > 0) {
			return f, false
		}
		ai := a.Inv()
		s := c.Sub(b.Transpose().Mul3(ai).Mul3(b))
		if !(s.Det() > 0) {
			return f, false
		}
		f.velVel = s.Inv()
		f.posVel = ai.Mul3(b).Mul3(f.velVel).Mul(-1)
		f.posPos = ai.Sub(f.posVel.Mul3(b.Transpose()).Mul3(ai))
		dp := f.posPos.Mul3x1(gp).Add(f.posVel.Mul3x1(gv))
		dv := f.posVel.Transpose().Mul3x1(gp).Add(f.velVel.Mul3x1(gv))
		f.Pos, f.Vel = f.Pos.Add(dp), f.Vel.Add(dv)
		f.span = (last - first).Seconds()
		f.misfit = good / max(1, 3*agree-6)
	}
	return f, !math.IsNaN(f.Pos.Len() + f.Vel.Len())
}

// At returns the ball's position when the time t has passed since the newest sighting, in m. It assumes that the ball
// hits nothing.
func (f *Flight) At(t time.Duration) mgl64.Vec3 {
	pos, _ := integrate(f.Pos, f.Vel, t.Seconds(), 1)
	return pos
}

// Touchdown is where and when a ball lands.
type Touchdown struct {
	Stamp time.Duration
	Pos   mgl64.Vec3 // of the ball's centre, m
	Vel   mgl64.Vec3 // just before it lands, m/s
	Sigma float64    // horizontal standard deviation, m, from the noise of the sightings
}

// touchdownHorizon is the longest time ahead in which Touchdown looks for the landing, in s. A ball kicked with 15 m/s
// lands within 3 s.
const touchdownHorizon = 3.0

// Touchdown returns where the ball lands if it hits nothing before. It returns false if it does not land within 3 s or
// already lies on the floor.
func (f *Flight) Touchdown() (d Touchdown, ok bool) {
	const h = 0.01 // s
	pos, vel := f.Pos, f.Vel
	if !(pos[2] > radius) {
		return d, false
	}
	for t := 0.0; t < touchdownHorizon; t += h {
		next, nextVel := integrate(pos, vel, h, 1)
		if next[2] > radius {
			pos, vel = next, nextVel
			continue
		}
		// within the step the path is a parabola: the ball lands when ½·a·s² + v·s + height = 0
		a, height := (nextVel[2]-vel[2])/h, pos[2]-radius
		s := 2 * height / (-vel[2] + math.Sqrt(max(0, vel[2]*vel[2]-2*a*height)))
		d.Pos, d.Vel = integrate(pos, vel, s, 1)
		d.Pos[2] = radius
		d.Stamp = f.Stamp + time.Duration((t+s)*1e9)
		d.Sigma = f.sigma(t+s, d.Vel)
		return d, true
	}
	return d, false
}

// sigma returns the standard deviation of the landing position, in m. The ball lands after t seconds with the velocity
// vel. An error of its height shifts the landing position along the path.
func (f *Flight) sigma(t float64, vel mgl64.Vec3) float64 {
	j := byVelocity(f.Vel, t, 1)
	posVel := f.posVel.Mul3(j)
	// covariance of the position after t seconds
	at := f.posPos.Add(posVel).Add(posVel.Transpose()).Add(j.Mul3(f.velVel).Mul3(j))
	sum := 0.0
	for k := range 2 {
		n := mgl64.Vec3{}
		n[k], n[2] = 1, -vel[k]/vel[2]
		sum += n.Dot(at.Mul3x1(n))
	}
	return math.Sqrt(max(0, sum))
}
