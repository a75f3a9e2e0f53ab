package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Resolutions of a servo Dynamixel XM430-W350. Source: Robotis, XM430-W350 e-manual.
const (
	servoVolts   = 0.1 // V
	servoDegrees = 1   // K
)

// hasServo reports whether a joint has a motor whose current is known.
func hasServo(j *physics.Joint) bool {
	return j.Commanded() && !j.Passive && !math.IsInf(j.MaxEffort, 0)
}

// warm lets the temperatures of the motors follow their efforts over a time, and returns the voltage at the motors.
//
// The current of a motor is proportional to its effort. Its winding turns the square of the current, times its
// resistance, into heat. The temperature approaches its final value with one time constant. The supply delivers this
// heat and the mechanical power; motors that brake return none.
func (s *jointEncoders) warm(states []physics.JointState, dt float64) (voltage float64) {
	spec := s.cfg.Joints
	winding := spec.Supply / spec.Stall // its resistance, ohm
	share := -math.Expm1(-dt / spec.ThermalTau)
	power := 0.
	for i := range states {
		j := &s.robot.Joints[i]
		if !hasServo(j) {
			continue
		}
		current := spec.Stall * states[i].Effort / j.MaxEffort
		heat := winding * current * current
		s.warmth[i] += share * (spec.ThermalOhm*heat - s.warmth[i])
		power += max(0, heat+states[i].Effort*states[i].Velocity)
	}
	return max(0, spec.Supply-spec.SupplyOhm*power/spec.Supply)
}

// servo returns what the servo of a joint reports: its voltage in V and its temperature in °C.
func (s *jointEncoders) servo(voltage float64, joint int, level abstraction.Level) (volts, celsius float64) {
	celsius = s.cfg.Joints.Air + s.warmth[joint]
	if level == abstraction.Raw {
		return quantised(voltage, servoVolts), quantised(celsius, servoDegrees)
	}
	return voltage, celsius
}
