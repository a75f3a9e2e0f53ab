package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// track is what a filter knows of a target: a critically damped constant-velocity (α-β) filter in the world.
type track struct {
	pos, vel mgl64.Vec3
	stamp    time.Duration
	frames   int
}

// trackGap is the pause after which a filter starts anew. Guess.
const trackGap = 500 * time.Millisecond

// velocity fills a detection's velocity: the true one with noise, or what a filter makes of the places where it was located.
func (v *Vision) velocity(d *Detection, scene *Environment, k *track, t *Target, pointW mgl64.Vec3, stamp time.Duration, noise Noise) {
	if v.cfg.VelocityFilter == 0 {
		d.VelB = scene.velocityB(&t.VelW)
		if v.cfg.VelocityNoise > 0 {
			nx, ny := v.drawn.Normal(noise, streamVelocity, t.id)
			d.VelB[0], d.VelB[1] = d.VelB[0]+nx*v.cfg.VelocityNoise, d.VelB[1]+ny*v.cfg.VelocityNoise
		}
		if v.ranging != nil {
			scene.land(d, pointW, spatial.Turn(&scene.turn, d.VelB[0], d.VelB[1], d.VelB[2]), t.Shape.Radius)
		}
		return
	}
	k.update(pointW, stamp, v.cfg.VelocityFilter)
	d.VelB, d.VelKnown = scene.velocityB(&k.vel), k.frames > 1
	if v.ranging != nil && d.VelKnown {
		scene.land(d, k.pos, k.vel, t.Shape.Radius)
	}
}

// update takes a measured place in. Source of the gains: Kalata, "The tracking index", IEEE Trans. AES 1984, for critical damping.
func (k *track) update(pointW mgl64.Vec3, stamp, constant time.Duration) {
	dt := (stamp - k.stamp).Seconds()
	if k.frames == 0 || stamp-k.stamp > trackGap || dt <= 0 {
		*k = track{pos: pointW, stamp: stamp, frames: 1}
		return
	}
	theta := math.Exp(-dt / constant.Seconds())
	alpha, beta := 1-theta*theta, (1-theta)*(1-theta)
	ahead := k.pos.Add(k.vel.Mul(dt))
	off := pointW.Sub(ahead)
	k.pos, k.vel = ahead.Add(off.Mul(alpha)), k.vel.Add(off.Mul(beta/dt))
	k.stamp = stamp
	k.frames++
}
