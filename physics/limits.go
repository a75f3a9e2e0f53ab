package physics

import "math"

// Next returns what a robot's own velocity controller asks of the wheels dt seconds after it asked for now: wanted,
// limited to the drive's speeds, and approached no faster than its accelerations allow. Where a wheel would have to
// turn faster than it can, the whole velocity is scaled, which keeps its direction.
func (d *Drive) Next(now, wanted PlanarTwist, wheels *OmniWheels, dt float64) PlanarTwist {
	if speed := math.Hypot(wanted.VX, wanted.VY); speed > d.MaxSpeed {
		wanted.VX *= d.MaxSpeed / speed
		wanted.VY *= d.MaxSpeed / speed
	}
	wanted.Omega = clamp(wanted.Omega, d.MaxOmega)
	wanted = d.withinWheels(wanted, wheels)

	dvx, dvy := wanted.VX-now.VX, wanted.VY-now.VY
	if change, most := math.Hypot(dvx, dvy), d.MaxAccel*dt; change > most {
		dvx *= most / change
		dvy *= most / change
	}
	return d.withinWheels(PlanarTwist{
		VX:    now.VX + dvx,
		VY:    now.VY + dvy,
		Omega: now.Omega + clamp(wanted.Omega-now.Omega, d.MaxAlpha*dt),
	}, wheels)
}

func (d *Drive) withinWheels(t PlanarTwist, wheels *OmniWheels) PlanarTwist {
	fastest := 0.0
	for _, rate := range wheels.Speeds(t) {
		fastest = math.Max(fastest, math.Abs(rate)*d.WheelRadius)
	}
	if fastest <= d.MaxWheelSpeed {
		return t
	}
	s := d.MaxWheelSpeed / fastest
	return PlanarTwist{VX: t.VX * s, VY: t.VY * s, Omega: t.Omega * s}
}

func clamp(v, limit float64) float64 { return math.Max(-limit, math.Min(limit, v)) }
