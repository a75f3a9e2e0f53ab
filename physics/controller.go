package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// NextTwist returns the next velocity setpoint of a robot's own controller, in the body frame. The argument now is the
// present setpoint, and the next setpoint applies dt seconds later. It is the wanted velocity without the part that the
// wheels cannot drive, limited to the drive's speed and acceleration. If a wheel would exceed its largest speed,
// NextTwist scales down the whole velocity, so that its direction stays the same.
func (d *Drive) NextTwist(now, wanted PlanarTwist, wheels *WheelSet, dt float64) PlanarTwist {
	wanted = wheels.Drivable(wanted)
	wanted.VX, wanted.VY = limitLength(wanted.VX, wanted.VY, d.MaxSpeed)
	wanted.Omega = mgl64.Clamp(wanted.Omega, -d.MaxOmega, d.MaxOmega)
	wanted = d.withinWheels(wanted, wheels)

	dvx, dvy := limitLength(wanted.VX-now.VX, wanted.VY-now.VY, d.MaxAccel*dt)
	return d.withinWheels(PlanarTwist{
		VX:    now.VX + dvx,
		VY:    now.VY + dvy,
		Omega: now.Omega + mgl64.Clamp(wanted.Omega-now.Omega, -d.MaxAlpha*dt, d.MaxAlpha*dt),
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

// limitLength returns the vector (x, y). If the vector is longer than the argument most, it is scaled down to this
// length.
func limitLength(x, y, most float64) (float64, float64) {
	if x*x+y*y <= most*most {
		return x, y
	}
	k := most / math.Hypot(x, y)
	return x * k, y * k
}

// windupTime, in seconds, limits how much the velocity setpoint of a drive with motors may differ from the velocity
// that the encoders measure: by at most the change of velocity that the drive can make in this time. 0.1 is a guess:
// motors follow their setpoint in less time, and the setpoint of a blocked robot differs by more.
const windupTime = 0.1

// LimitWindup returns the velocity from which the controller continues. The argument asked is the controller's last
// setpoint, and measured is the velocity that the encoders measure. The result is the last setpoint, moved close to the
// measured velocity, so that the controller of a blocked robot does not wind up. For a drive without motors the result
// is the measured velocity.
func (d *Drive) LimitWindup(asked, measured PlanarTwist) PlanarTwist {
	if d.Motor == nil || d.Level == ChassisDrive || d.Level == KinematicDrive {
		return measured
	}
	dvx, dvy := limitLength(asked.VX-measured.VX, asked.VY-measured.VY, d.MaxAccel*windupTime)
	return PlanarTwist{
		VX:    measured.VX + dvx,
		VY:    measured.VY + dvy,
		Omega: measured.Omega + mgl64.Clamp(asked.Omega-measured.Omega, -d.MaxAlpha*windupTime, d.MaxAlpha*windupTime),
	}
}
