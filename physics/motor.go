package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Motor is a brushed or block-commutated motor with gear, amplifier and speed controller; each wheel has one. If u is
// the voltage, w the wheel's rate and n the gear ratio, then
//
//	current  i = (u − k·n·w)/R            within ±max_current_a
//	torque   τ = η·n·k·i − n·k·i0·sgn(w)  at the wheel
//	inertia  J = J_wheel + n²·J_rotor
//	voltage  u = f·k·n·w* + kp·(w* − w) + ki·∫(w* − w) − kd·dw/dt   within what the battery gives
//
// where w* is the rate that the robot's velocity controller asks for. The integral is frozen while a limit is reached.
type Motor struct {
	Torque     float64 `toml:"torque_constant_nm_a" required:"true" range:"(0, 10]" doc:"torque constant, which equals the back-EMF constant in V s/rad"`
	Resistance float64 `toml:"resistance_ohm" required:"true" range:"(0, 100]" doc:"resistance of winding and amplifier"`
	NoLoad     float64 `toml:"no_load_current_a" range:"[0, 20]" doc:"current that friction takes"`
	Rotor      float64 `toml:"rotor_inertia_kg_m2" range:"[0, 0.1]"`
	MaxCurrent float64 `toml:"max_current_a" required:"true" range:"(0, 500]" doc:"current limit of the amplifier"`
	Gear       float64 `toml:"gear" required:"true" range:"[0.1, 1000]" doc:"turns of the motor per turn of the wheel"`
	Efficiency float64 `toml:"efficiency" range:"(0, 1]" doc:"efficiency of the gear"`
	Wheel      float64 `toml:"wheel_inertia_kg_m2" range:"[0, 1]" doc:"moment of inertia of the wheel about its axle, at level wheels"`
	P          float64 `toml:"p" range:"[0, 10000]" doc:"proportional gain of the controller, V for each rad/s of the wheel"`
	I          float64 `toml:"i" range:"[0, 1000000]" doc:"integral gain, V for each rad of the wheel"`
	D          float64 `toml:"d" range:"[0, 100]" doc:"derivative gain, V for each rad/s² of the wheel"`
	Forward    float64 `toml:"feed_forward" range:"[0, 2]" doc:"share of the back-EMF at the wanted rate that is fed forward"`
}

// SetDefaults sets the optional keys.
func (m *Motor) SetDefaults() {
	m.Efficiency = 1
	m.P, m.I = 3, 60 // measured: fastest ramp response without overshoot on a robot of 31 kg
	m.Forward = 1
}

// Battery feeds all motors of a robot; its voltage falls with their current.
type Battery struct {
	Voltage    float64 `toml:"voltage_v" range:"(0, 1000]" doc:"open-circuit voltage"`
	Resistance float64 `toml:"resistance_ohm" range:"[0, 10]" doc:"resistance of cells and cables, by which the voltage sags"`
}

// SetDefaults sets a nominal supply without internal resistance.
func (b *Battery) SetDefaults() { b.Voltage = 24 }

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
