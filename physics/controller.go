package physics

import "math"

// Next returns what a robot's own velocity controller asks of the wheels dt seconds after it asked for now: wanted,
// limited to the drive's speeds, and approached no faster than its accelerations allow. Where a wheel would have to
// turn faster than it can, the whole velocity is scaled, which keeps its direction. What its wheels cannot drive is
// left out.
func (d *Drive) Next(now, wanted PlanarTwist, wheels *WheelSet, dt float64) PlanarTwist {
	wanted = wheels.Drivable(wanted)
	wanted.VX, wanted.VY = shortened(wanted.VX, wanted.VY, d.MaxSpeed)
	wanted.Omega = clamp(wanted.Omega, d.MaxOmega)
	wanted = d.withinWheels(wanted, wheels)

	dvx, dvy := shortened(wanted.VX-now.VX, wanted.VY-now.VY, d.MaxAccel*dt)
	return d.withinWheels(PlanarTwist{
		VX:    now.VX + dvx,
		VY:    now.VY + dvy,
		Omega: now.Omega + clamp(wanted.Omega-now.Omega, d.MaxAlpha*dt),
	}, wheels)
}

func (d *Drive) withinWheels(t PlanarTwist, wheels *WheelSet) PlanarTwist {
	if wheels.within(t, d.MaxWheelSpeed/d.WheelRadius) {
		return t
	}
	fastest := wheels.fastest(t) * d.WheelRadius
	if fastest <= d.MaxWheelSpeed {
		return t
	}
	s := d.MaxWheelSpeed / fastest
	return PlanarTwist{VX: t.VX * s, VY: t.VY * s, Omega: t.Omega * s}
}

// shortened returns a vector, at most so long.
func shortened(x, y, most float64) (float64, float64) {
	if x*x+y*y <= most*most {
		return x, y
	}
	k := most / math.Hypot(x, y)
	return x * k, y * k
}

func clamp(v, limit float64) float64 { return max(-limit, min(limit, v)) }

// leash is how long a drive with motors may fall behind what its controller asks before that waits, in seconds.
// Guess: longer than motors take to follow, shorter than what a robot that is held back would wind up.
const leash = 0.1

// Leashed returns the velocity from which the controller goes on: what it asked for last, kept near to what the
// encoders say, so that a robot that is held back does not wind up.
func (d *Drive) Leashed(asked, measured PlanarTwist) PlanarTwist {
	if d.Motor == nil || d.Level == ChassisDrive || d.Level == KinematicDrive {
		return measured
	}
	dvx, dvy := shortened(asked.VX-measured.VX, asked.VY-measured.VY, d.MaxAccel*leash)
	return PlanarTwist{
		VX:    measured.VX + dvx,
		VY:    measured.VY + dvy,
		Omega: measured.Omega + clamp(asked.Omega-measured.Omega, d.MaxAlpha*leash),
	}
}
